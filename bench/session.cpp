#include "session.hpp"

#include <fmt/format.h>

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "format.hpp"
#include "together.hpp"

namespace bench {
namespace {

/// The row that "production" or a name stands for. Compiles what the calls will need.
std::string variant_that_runs(const bifold::Device& device, const Configuration& what) {
  const bifold::Type accumulator = bifold::accumulator_of(what.type);
  if (what.algorithm == bifold::Algorithm::reduce) {
    bifold::ReduceShape shape{what.type, accumulator, what.op, what.variant};
    shape.result = what.type;
    shape.order = what.order;
    return std::string(bifold::ReducePlan(device, shape).variant().name);
  }
  bifold::ScanShape shape{what.type, what.type, accumulator, what.kind, what.op, what.variant};
  shape.order = what.order;
  return std::string(bifold::ScanPlan(device, shape).variant().name);
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
      cache_bytes_(device_.capabilities().cache_bytes) {
  const bool cpu = device_.info().kind == bifold::DeviceKind::cpu;
  if (cache_bytes_ == 0 && cpu) cache_bytes_ = host.cache_bytes;
}

bool Session::shares_host_memory() const {
  return device_.capabilities().unified_memory || device_.info().kind == bifold::DeviceKind::cpu;
}

std::string Session::obstacle(const Configuration& what) const {
  if (!lost_.empty()) return lost_;
  if (!what.op.supports(bifold::accumulator_of(what.type))) {
    return fmt::format("{} is not defined on {}", what.op.name(), bifold::name_of(what.type));
  }
  if (!device_.supports(what.type)) {
    return fmt::format("the device has no {}", bifold::name_of(what.type));
  }
  if (const auto* row = bifold::gallery::find(what.algorithm, what.variant)) {
    const auto support = bifold::gallery::supports(device_, *row, what.type, what.op);
    if (!support) return one_line(support.reason);
  }
  // Scratch memory, and what others keep on the device, need room beside the two buffers.
  const auto& capabilities = device_.capabilities();
  const std::uint64_t bytes = LimitMeter::measured_bytes(what.n * bifold::size_of(what.type));
  if (bytes > capabilities.max_allocation_bytes) {
    return fmt::format("needs buffers of {}, the device allows {}", bytes_text(bytes),
                       bytes_text(capabilities.max_allocation_bytes));
  }
  if (bytes > capabilities.global_bytes / 4) {
    return fmt::format("needs 2 x {}, which is more than half of the device's {}",
                       bytes_text(bytes), bytes_text(capabilities.global_bytes));
  }
  return {};
}

void Session::load(const HostData& data, std::uint64_t n) {
  unload();
  data_ = &data;
  const std::uint64_t bytes = LimitMeter::measured_bytes(n * bifold::size_of(data.type()));
  input_ = bifold::Buffer<std::uint8_t>(device_, bytes);
  output_ = bifold::Buffer<std::uint8_t>(device_, bytes);
  total_ = bifold::Buffer<std::uint8_t>(device_, 64);
  // The probes read whole buffers: what the data leave over must have been written too.
  const std::uint64_t used = n * bifold::size_of(data.type());
  if (used < bytes) {
    const std::vector<std::uint8_t> rest(bytes - used, 0);
    queue_.upload(std::span<const std::uint8_t>(rest), input_.view(used, bytes - used));
  }
  queue_.upload_bytes(elements(input_, n), data.input(), n);
}

void Session::unload() {
  data_ = nullptr;
  input_ = {};
  output_ = {};
  total_ = {};
}

bifold::ErasedView Session::elements(bifold::Buffer<std::uint8_t>& buffer,
                                     std::uint64_t count) const {
  bifold::ErasedView view = buffer.view();
  view.type = data_->type();
  view.count = count;
  return view;
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
        lost_ = fmt::format("the device was {} by an earlier configuration",
                            error.category() == bifold::ErrorCategory::timeout ? "hung" : "lost");
        [[fallthrough]];
      default: result.outcome = Outcome::failed; break;
    }
  }
  return result;
}

void Session::measure_into(Result& result, Verifier& verifier) {
  const Configuration& what = result.what;
  const bool is_scan = what.algorithm == bifold::Algorithm::scan;
  result.variant_ran = what.together ? what.variant : variant_that_runs(device_, what);

  const bifold::ErasedView input = elements(input_, what.n);
  const bifold::ErasedView output = elements(is_scan ? output_ : total_, is_scan ? what.n : 1);
  bifold::ReduceOptions reduce_options;
  reduce_options.variant = what.variant;
  reduce_options.order = what.order;
  bifold::ScanOptions scan_options;
  scan_options.variant = what.variant;
  scan_options.order = what.order;
  const std::function<void()> call = [&] {
    if (what.together) {
      reduce_together(queue_, input, total_, what.variant);
    } else if (is_scan) {
      bifold::scan(queue_, what.kind, input, output, what.op, {}, scan_options);
    } else {
      bifold::reduce_into(queue_, input, output, what.op, data_->identity(), reduce_options);
    }
  };

  if (what.together) {
    poison_together(queue_, total_);
  } else {
    queue_.fill(output, is_scan ? poison(what.type) : poison(data_->inclusive(what.n - 1)));
  }
  call();
  queue_.finish(wait_limit);
  const auto mismatch = what.together ? check_together(queue_, total_, *data_, what.n)
                        : is_scan     ? verifier.check_scan(queue_, output, *data_, what.kind)
                                      : Verifier::check_reduce(queue_, output, *data_, what.n);
  if (mismatch) {
    result.outcome = Outcome::wrong;
    result.reason = describe(*mismatch);
    return;
  }

  const std::uint64_t bytes = what.n * bifold::size_of(what.type);
  result.in_cache = what.bytes() <= cache_bytes_;
  result.limits = limits_.at(queue_, bytes, input_.view(), output_.view());
  result.timing = measure(queue_, budget_, call);
  result.outcome = Outcome::timed;
}

DeviceReport Session::report() const {
  DeviceReport report;
  report.info = device_.info();
  report.capabilities = device_.capabilities();
  for (const auto& [bytes, limits] : limits_.measured()) report.limits.push_back(limits);
  report.kernels = device_.cache_statistics();
  return report;
}

}  // namespace bench
