#include "measure/session.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "core/tuning/tuning.hpp"
#include "data/together.hpp"
#include "peers/cuda_graph.hpp"
#include "peers/native_queue.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double longest_enqueue_batch_s = 2e-3;

struct Planned {
  std::string variant;  ///< The row that "production" or a name stands for.
  std::uint64_t workspace_bytes = 0;
};

/// Compiles what the calls will need.
Planned planned(const bifold::Device& device, const Configuration& what) {
  const auto facts_of = [&](const auto& plan) {
    if (what.matrix) {
      return Planned{std::string(plan.variant().name), plan.workspace_bytes(what.matrix->lines())};
    }
    return Planned{std::string(plan.variant(what.n).name), plan.workspace_bytes(what.n)};
  };
  const bifold::Type accumulator = bifold::accumulator_of(what.type);
  if (what.algorithm == bifold::Algorithm::reduce) {
    bifold::ReduceShape shape{what.type, accumulator, what.operation(), what.variant};
    shape.result = what.type;
    shape.order = what.order;
    shape.lines = what.matrix.has_value();
    return facts_of(bifold::ReducePlan(device, shape));
  }
  bifold::ScanShape shape{what.type, what.type,        accumulator,
                          what.kind, what.operation(), what.variant};
  shape.order = what.order;
  shape.lines = what.matrix.has_value();
  return facts_of(bifold::ScanPlan(device, shape));
}

/// What to write so that little else is left in a last-level cache of that size, 0 if unknown. What
/// a processor calls its cache may be that of all its sockets: beyond some size nothing is gained.
std::uint64_t flush_bytes(std::uint64_t cache_bytes) {
  constexpr std::uint64_t mib = std::uint64_t{1} << 20;
  return cache_bytes == 0 ? 256 * mib : std::clamp(2 * cache_bytes, mib, 256 * mib);
}

/// A limit needs fewer samples than a result to be steady.
Budget limit_budget(Budget budget) {
  budget.seconds /= 2;
  return budget;
}

}  // namespace

Session::Session(bifold::Device device, const Budget& budget, const HostInfo& host)
    : device_(std::move(device)),
      queue_(device_),
      budget_(budget),
      limits_(device_, limit_budget(budget)),
      own_cache_bytes_(bifold::core::own_cache_bytes(device_.info().kind, device_.capabilities())),
      cache_bytes_(device_.capabilities().cache_bytes),
      host_cache_bytes_(host.cache_bytes) {
  const bool cpu = device_.info().kind == bifold::DeviceKind::cpu;
  if (cache_bytes_ == 0 && cpu) own_cache_bytes_ = cache_bytes_ = host.cache_bytes;
}

void Session::compete_with(const std::vector<PeerModule>& peers) {
  std::vector<const Peer*> here;
  for (const PeerModule& module : peers) {
    if (module.peer == nullptr) continue;
    const PeerSide side = module.peer->side();
    if (side == PeerSide::host || side == side_of(device_)) here.push_back(module.peer);
  }
  interleave_with(std::move(here));
  in_graphs_ = has_graphs(device_);
}

void Session::measure_in_regimes() { interleave_with({}); }

void Session::interleave_with(std::vector<const Peer*> peers) {
  interleaved_ = std::make_unique<InterleavedTiming>(
      queue_, budget_, FlushBytes{flush_bytes(cache_bytes_), flush_bytes(host_cache_bytes_)},
      std::move(peers));
}

bool Session::shares_host_memory() const {
  return device_.capabilities().unified_memory || device_.info().kind == bifold::DeviceKind::cpu;
}

std::string Session::obstacle(const Configuration& what) const {
  if (!lost_.empty()) return lost_;
  if (!can_combine(what.type, element_operator(what.op))) {
    return formatted("{} is not defined on {}", what.op.name(), bifold::name_of(what.type));
  }
  if (!device_.supports(what.type)) {
    return formatted("the device has no {}", bifold::name_of(what.type));
  }
  if (const auto* row = bifold::gallery::find(what.algorithm, what.variant)) {
    const auto support = bifold::gallery::supports(device_, *row, what.type, what.operation());
    if (!support) return one_line(support.reason);
  }
  // Scratch memory, and what others keep on the device, need room beside the buffers.
  const auto& capabilities = device_.capabilities();
  const std::uint64_t bytes = LimitMeter::measured_bytes(what.n * bifold::size_of(what.type));
  if (what.outputs() * bifold::size_of(what.output_type()) > bytes) return "too many results";
  if (bytes > capabilities.max_allocation_bytes) {
    return formatted("needs buffers of {}, the device allows {}", bytes_text(bytes),
                     bytes_text(capabilities.max_allocation_bytes));
  }
  if (bytes > capabilities.global_bytes / 2 / buffers()) {
    return formatted("needs {} x {}, which is more than half of the device's {}", buffers(),
                     bytes_text(bytes), bytes_text(capabilities.global_bytes));
  }
  return {};
}

void Session::load(const HostData& data, std::uint64_t n) {
  unload();
  data_ = &data;
  const std::size_t size = bifold::size_of(data.type());
  const std::uint64_t bytes = LimitMeter::measured_bytes((first_element_ + n) * size);
  input_ = bifold::Buffer<std::uint8_t>(device_, bytes);
  output_ = bifold::Buffer<std::uint8_t>(device_, bytes);
  total_ = bifold::Buffer<std::uint8_t>(device_, 64);
  // The probes read whole buffers: what the data leave over must have been written too.
  const auto clear = [&](std::uint64_t begin, std::uint64_t end) {
    if (begin == end) return;
    const std::vector<std::uint8_t> zeros(end - begin, 0);
    queue_.upload(std::span<const std::uint8_t>(zeros), input_.view(begin, end - begin));
  };
  clear(0, first_element_ * size);
  clear((first_element_ + n) * size, bytes);
  queue_.upload_bytes(elements(input_, first_element_, n), data.input(), n);
  if (!beside_aligned()) return;
  aligned_input_ = bifold::Buffer<std::uint8_t>(device_, n * size);
  queue_.upload_bytes(elements(aligned_input_, 0, n), data.input(), n);
}

void Session::unload() {
  if (interleaved_) interleaved_->unload();
  data_ = nullptr;
  input_ = {};
  aligned_input_ = {};
  output_ = {};
  total_ = {};
}

bifold::ErasedView Session::elements(bifold::Buffer<std::uint8_t>& buffer, std::uint64_t first,
                                     std::uint64_t count) const {
  return elements_of(buffer, data_->type(), first, count);
}

Result Session::run(const Configuration& what, Verifier& verifier) {
  Result result;
  result.what = what;
  if (!lost_.empty()) {
    result.reason = lost_;
    return result;
  }
  try {
    measure_into(result, verifier);
  } catch (const bifold::Error& error) {
    result.reason = one_line(error.what());
    switch (error.category()) {
      case bifold::ErrorCategory::unsupported:
      case bifold::ErrorCategory::out_of_memory: result.outcome = Outcome::skipped; break;
      case bifold::ErrorCategory::timeout:
      case bifold::ErrorCategory::device_lost:
        lost_ = formatted("the device was {} by an earlier configuration",
                          error.category() == bifold::ErrorCategory::timeout ? "hung" : "lost");
        [[fallthrough]];
      default: result.outcome = Outcome::failed; break;
    }
  }
  return result;
}

Session::Place Session::place_of(const Configuration& what, bifold::Buffer<std::uint8_t>& input,
                                 std::uint64_t first) {
  Place place{elements(input, first, what.n), what.only_reads()
                                                  ? elements(total_, 0, 1)
                                                  : elements(output_, first, what.outputs())};
  place.output.type = what.output_type();
  return place;
}

Session::Enqueue Session::call_of(const Configuration& what, const Place& place,
                                  const bifold::Workspace* workspace) {
  if (what.together) {
    return [&](bifold::Queue& queue) { reduce_together(queue, place.input, total_, what.variant); };
  }
  const bifold::Operator op = what.operation();
  if (what.algorithm == bifold::Algorithm::scan) {
    bifold::ScanOptions options;
    options.lines = what.lines();
    options.variant = what.variant;
    options.order = what.order;
    options.workspace = workspace;
    return [&, options, op](bifold::Queue& queue) {
      bifold::scan(queue, what.kind, place.input, place.output, op, {}, options);
    };
  }
  bifold::ReduceOptions options;
  options.lines = what.lines();
  options.variant = what.variant;
  options.order = what.order;
  options.workspace = workspace;
  if (is_argmax(what.op)) {
    return [&, options](bifold::Queue& q) { argmax_into(q, place.input, place.output, options); };
  }
  return [&, options, op](bifold::Queue& queue) {
    bifold::reduce_into(queue, place.input, place.output, op, data_->identity(), options);
  };
}

std::optional<Mismatch> Session::mismatch_of(const Configuration& what, const Place& place,
                                             const Enqueue& enqueue, Verifier& verifier) {
  if (!what.together) {
    return check_call(
        queue_, what, arena_of(place), [&] { enqueue(queue_); }, verifier);
  }
  poison_together(queue_, total_);
  enqueue(queue_);
  queue_.finish(wait_limit);
  return check_together(queue_, total_, *data_, what.n);
}

std::optional<Mismatch> Session::time_in_regimes(Result& result, const Place& place,
                                                 const Enqueue& enqueue, Verifier& verifier) {
  const bifold::Operator op = result.what.operation();
  const auto block = [&](bifold::Queue& queue) {
    if (!result.what.only_reads()) {
      enqueue(queue);
      queue.finish();
      return;
    }
    bifold::ReduceOptions options;
    options.variant = result.what.variant;
    options.order = result.what.order;
    bifold::transform_reduce(queue, place.input, result.what.type, op, data_->identity(), {},
                             options);
  };
  const bool reduces = result.what.only_reads();
  const std::uint64_t bytes = result.what.n * bifold::size_of(result.what.type);
  std::vector<Yardstick> yardsticks{
      {[&] { limits_.probe().launch_empty(queue_); },
       [](Result& told, double median_s) { told.empty_launch_s = median_s; }}};
  // The limits that the result is a share of, as far as the device has them.
  for (LimitCall& limit : limits_.calls(queue_, bytes, input_.view(), output_.view())) {
    if (result.limits.*limit.rate == 0 || (limit.rate == &Limits::read) != reduces) continue;
    yardsticks.push_back({std::move(limit.call), [rate = limit.rate, moved = limit.moved_bytes](
                                                     Result& told, double median_s) {
                            told.limits.*rate = moved / median_s / 1e9;
                          }});
  }
  OurCall ours{enqueue, block};
  // The queue's own scratch may move, so a graph has some that stays.
  bifold::Buffer<std::uint8_t> scratch;
  bifold::Workspace workspace;
  if (in_graphs_) {
    const std::uint64_t needed = planned(device_, result.what).workspace_bytes;
    scratch = bifold::Buffer<std::uint8_t>(device_, std::max<std::uint64_t>(needed, 1));
    workspace = bifold::Workspace(scratch.view());
    workspace.prepare(queue_);
    ours.enqueue_captured = call_of(result.what, place, &workspace);
  }
  return interleaved_->run(result, ours, yardsticks, arena_of(place), verifier);
}

void Session::measure_into(Result& result, Verifier& verifier) {
  const Configuration& what = result.what;
  result.variant_ran = what.together ? what.variant : planned(device_, what).variant;

  const Place place = place_of(what, input_, first_element_);
  const Enqueue enqueue = call_of(what, place);
  const Place aligned = place_of(what, beside_aligned() ? aligned_input_ : input_, 0);
  const Enqueue enqueue_aligned = call_of(what, aligned);
  auto mismatch = mismatch_of(what, place, enqueue, verifier);
  if (!what.together && !is_argmax(what.op)) result.digest = verifier.digest();
  const bool takes_turns = beside_aligned() && !what.together;
  std::string_view which;
  if (!mismatch && takes_turns) {
    mismatch = mismatch_of(what, aligned, enqueue_aligned, verifier);
    which = " from where buffers start";
  }
  if (mismatch) {
    result.outcome = Outcome::wrong;
    result.reason = formatted("{}{}", describe(*mismatch), which);
    return;
  }

  const std::uint64_t bytes = what.n * bifold::size_of(what.type);
  // Calls that take turns have an input each.
  result.in_cache = what.bytes() + (takes_turns ? bytes : 0) <= own_cache_bytes_;
  result.limits = limits_.at(queue_, bytes, input_.view(), output_.view());
  if (interleaved_ && !what.together) {
    if (const auto wrong = time_in_regimes(result, place, enqueue, verifier)) {
      result.outcome = Outcome::wrong;
      result.reason = formatted("{} in a CUDA graph", describe(*wrong));
      return;
    }
  } else if (takes_turns) {
    const std::function<void()> calls[] = {[&] { enqueue(queue_); },
                                           [&] { enqueue_aligned(queue_); }};
    const Stopwatch contenders[] = {back_to_back(queue_, calls[0]), back_to_back(queue_, calls[1])};
    const auto timings = measure_in_turn(budget_, Batches::long_enough, contenders);
    result.timing = timings[0];
    result.aligned = timings[1];
  } else {
    result.timing = measure(queue_, budget_, [&] { enqueue(queue_); });
  }
  if (interleaved_) {
    const auto seconds = enqueue_seconds(
        {[&] { enqueue(queue_); }, [&] { limits_.probe().launch_empty(queue_); }}, result.timing);
    result.enqueue_s = seconds[0];
    result.empty_enqueue_s = seconds[1];
  }
  result.outcome = Outcome::timed;
}

std::vector<double> Session::enqueue_seconds(const std::vector<std::function<void()>>& calls,
                                             const Timing& timing) {
  constexpr unsigned turns = 5;
  // So few that no queue of the driver's is full, which would make the host wait for the device.
  const auto batch =
      static_cast<unsigned>(std::clamp(longest_enqueue_batch_s / timing.median_s, 1.0, 64.0));
  std::vector<std::vector<double>> samples(calls.size());
  for (unsigned turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const auto start = Clock::now();
      for (unsigned call = 0; call < batch; ++call) calls[i]();
      samples[i].push_back(std::chrono::duration<double>(Clock::now() - start).count() / batch);
      queue_.finish(wait_limit);
    }
  }
  std::vector<double> medians;
  medians.reserve(samples.size());
  for (auto& of_one : samples) medians.push_back(median_of(std::move(of_one)));
  return medians;
}

EmptyLaunch Session::empty_launch() {
  if (!interleaved_ || !lost_.empty()) return {};
  const bifold::core::BandwidthProbe& probe = limits_.probe();
  const auto call = [&] { probe.launch_empty(queue_); };
  call();
  const Timing timing = measure(queue_, budget_, call);
  return {timing.median_s, enqueue_seconds({call}, timing).front()};
}

Transfers Session::transfers() {
  if (!lost_.empty()) return {};
  const bool gpu = device_.info().kind == bifold::DeviceKind::gpu;
  Transfers transfers;
  transfers.bytes = std::uint64_t{gpu ? 64u : 4u} << 20;
  std::vector<std::uint8_t> host(transfers.bytes, 1);
  bifold::Buffer<std::uint8_t> buffer(device_, transfers.bytes);
  const auto rate = [&](const std::function<void()>& copy) {
    copy();
    std::vector<double> seconds;
    for (int turn = 0; turn < 5; ++turn) {
      const auto start = Clock::now();
      copy();
      queue_.finish(wait_limit);
      seconds.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    return static_cast<double>(transfers.bytes) / median_of(std::move(seconds)) / 1e9;
  };
  transfers.upload =
      rate([&] { queue_.upload(std::span<const std::uint8_t>(host), buffer.view()); });
  transfers.download = rate([&] { queue_.download(buffer.view(), std::span(host)); });
  return transfers;
}

DeviceReport Session::report() const {
  DeviceReport report;
  report.info = device_.info();
  report.capabilities = device_.capabilities();
  for (const auto& [bytes, limits] : limits_.measured()) report.limits.push_back(limits);
  report.kernels = device_.cache_statistics();
  report.facts = facts_of(device_);
  return report;
}

}  // namespace bench
