#include "measure/interleaved.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>

#include "base/format.hpp"
#include "measure/limits.hpp"
#include "peers/native_queue.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The sum of `calls` times of one call.
template <class Call>
Stopwatch one_by_one(Call call) {
  return [call](std::uint64_t calls) {
    double sum = 0;
    for (std::uint64_t i = 0; i < calls; ++i) sum += call();
    return sum;
  };
}

/// Of a graph: so many that its launch is little beside them, and fewer of slow ones.
unsigned calls_per_graph(double call_s) {
  constexpr double long_enough_s = 2e-3;
  return static_cast<unsigned>(std::clamp(long_enough_s / call_s, 1.0, 32.0));
}

std::unique_ptr<CudaGraph> graph_of(const bifold::Queue& queue, unsigned calls,
                                    const std::function<void()>& call) {
  return std::make_unique<CudaGraph>(queue, [&] {
    for (unsigned i = 0; i < calls; ++i) call();
  });
}

/// From the timing of what makes several calls at once.
Timing per_call(const Timing& together, std::uint64_t calls) {
  const auto count = static_cast<double>(calls);
  return {together.samples, together.batch * calls, together.median_s / count,
          together.p10_s / count, together.p90_s / count};
}

std::string in_a_graph(std::string_view what) {
  return formatted("in a CUDA graph: {}", one_line(what));
}

}  // namespace

/// A peer that takes turns over one configuration.
struct InterleavedTiming::Entrant {
  const Peer* peer = nullptr;
  PeerResult result;
  std::unique_ptr<PeerCall> call;    ///< On the queue of the other regimes.
  std::unique_ptr<PeerCall> timed;   ///< On the one whose events tell device time.
  std::unique_ptr<CudaGraph> graph;  ///< Null where calls are not captured.
  std::function<void()> enqueue;
  std::function<void()> launch;  ///< Of the graph.
  alignas(bifold::max_element_bytes) std::array<std::byte, bifold::max_element_bytes> value{};

  /// Nobody waits for one that has failed; with one that takes the device along, all is over.
  [[nodiscard]] Stopwatch guarded(Stopwatch stopwatch) {
    return [this, stopwatch = std::move(stopwatch)](std::uint64_t calls) {
      if (result.outcome != Outcome::timed) return std::numeric_limits<double>::infinity();
      try {
        return stopwatch(calls);
      } catch (const std::exception& error) {
        if (const bifold::Error* loss = device_loss(error)) {
          throw bifold::Error(loss->category(),
                              formatted("beside {}: {}", result.name, loss->what()));
        }
        result.outcome = Outcome::failed;
        result.reason = one_line(error.what());
        return std::numeric_limits<double>::infinity();
      }
    };
  }
};

/// A yardstick beside one configuration. What fails in it is no failure of ours.
struct InterleavedTiming::Gauge {
  const Yardstick* yardstick;
  Timing timing{};
  std::string problem{};

  void attempt(const std::function<void()>& work) {
    try {
      work();
    } catch (const bifold::Error& error) {
      if (device_loss(error) != nullptr) throw;
      problem = one_line(error.what());
    }
  }
  [[nodiscard]] Stopwatch guarded(Stopwatch stopwatch) {
    return [this, stopwatch = std::move(stopwatch)](std::uint64_t calls) {
      double seconds = std::numeric_limits<double>::infinity();
      if (problem.empty()) attempt([&] { seconds = stopwatch(calls); });
      return seconds;
    };
  }
};

class InterleavedTiming::Round {
 public:
  /// `timing` is where the contender's goes; it has to outlive measure().
  void add(Stopwatch contender, Timing& timing) {
    contenders_.push_back(std::move(contender));
    timings_.push_back(&timing);
  }

  /// Each of what a contender times makes so many calls.
  void measure(const Budget& budget, Batches batches, std::uint64_t calls) const {
    if (contenders_.empty()) return;
    const std::vector<Timing> measured = measure_in_turn(budget, batches, contenders_);
    for (std::size_t i = 0; i < measured.size(); ++i) *timings_[i] = per_call(measured[i], calls);
  }

 private:
  std::vector<Stopwatch> contenders_;
  std::vector<Timing*> timings_;
};

InterleavedTiming::InterleavedTiming(bifold::Queue queue, const Budget& budget, FlushBytes flush,
                                     std::vector<const Peer*> peers)
    : queue_(std::move(queue)),
      timed_(queue_.device(), {.timing = bifold::Timing::enabled}),
      budget_(budget),
      peers_(std::move(peers)),
      flushed_(queue_.device(), flush.device / sizeof(std::uint32_t)) {
  const auto on_host = [](const Peer* peer) { return peer->side() == PeerSide::host; };
  if (std::any_of(peers_.begin(), peers_.end(), on_host)) {
    flushed_on_host_.resize(flush.host / sizeof(std::uint32_t));
  }
}

// Twice: the second time the device is still busy while the host enqueues what is timed, so that
// the timing does not contain the host's part.
void InterleavedTiming::flush() {
  for (int i = 0; i < 2; ++i) timed_.fill(flushed_.view(), ++flush_value_);
}

void InterleavedTiming::flush_host() {
  std::fill(flushed_on_host_.begin(), flushed_on_host_.end(), ++flush_value_);
}

double InterleavedTiming::isolated(const std::function<void(bifold::Queue&)>& enqueue) {
  flush();
  const bifold::Event start = timed_.record();
  enqueue(timed_);
  const bifold::Event end = timed_.record();
  timed_.finish(wait_limit);
  return bifold::elapsed(start, end);
}

std::uint64_t InterleavedTiming::host_output_needed(const Configuration& what) const {
  const std::uint64_t bytes = what.outputs() * bifold::size_of(what.type);
  return host_output_ && bytes <= host_output_bytes_ ? 0 : bytes;
}

std::byte* InterleavedTiming::host_output(const Configuration& what) {
  if (const std::uint64_t bytes = host_output_needed(what); bytes != 0) {
    host_output_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    host_output_bytes_ = bytes;
  }
  return host_output_.get();
}

std::string InterleavedTiming::obstacle(const Peer& peer, const PeerTask& task,
                                        const Configuration& what) const {
  std::string reason = is_argmax(what.op)                   ? "it is not compared on argmax"
                       : what.matrix && !peer.takes_lines() ? "it has no calls on lines"
                                                            : peer.obstacle(task);
  if (!reason.empty() || peer.side() != PeerSide::host) return reason;
  const std::uint64_t available = host_bytes_available();
  const std::uint64_t needed = host_output_needed(what);
  if (available == 0 || needed <= available / 10 * 9) return {};
  return "needs " + bytes_text(needed) + " more of host memory";
}

std::optional<Mismatch> InterleavedTiming::check(Entrant& entrant, const Configuration& what,
                                                 const Arena& arena, Verifier& verifier) {
  const bool on_host = entrant.peer->side() == PeerSide::host;
  if (!what.only_reads()) {
    if (!on_host) return check_output(entrant.enqueue, what, arena, verifier, Equality::values);
    std::byte* const output = host_output(what);
    std::fill_n(output, what.outputs() * bifold::size_of(what.type), std::byte{0xa5});
    entrant.call->enqueue();
    if (!what.matrix) {
      return Verifier::check_host_scan(output, arena.data, what.n, what.kind, Equality::values);
    }
    const auto& expected = arena.reference.outputs(arena.data, what.data, what.matrix_call());
    return Verifier::check_host_elements(output, expected, what.type, Equality::values);
  }
  const bifold::Value wrong = poison(arena.data.total(what.n));
  std::copy_n(wrong.data(), wrong.size(), entrant.value.data());
  entrant.call->block(entrant.value.data());
  auto mismatch =
      Verifier::check_host_reduce(entrant.value.data(), arena.data, what.n, Equality::values);
  if (mismatch || entrant.call->only_blocks()) return mismatch;
  return check_output(entrant.enqueue, what, arena, verifier, Equality::values);
}

std::optional<Mismatch> InterleavedTiming::check_output(const std::function<void()>& enqueue,
                                                        const Configuration& what,
                                                        const Arena& arena, Verifier& verifier,
                                                        Equality equality) {
  return check_call(queue_, what, arena, enqueue, verifier, equality);
}

std::unique_ptr<CudaGraph> InterleavedTiming::capture(const OurCall& ours, unsigned calls) {
  try {
    return graph_of(queue_, calls, [&] { ours.enqueue_captured(queue_); });
  } catch (const bifold::Error& error) {
    if (device_loss(error) != nullptr) throw;
    throw bifold::Error(bifold::ErrorCategory::backend_failure, in_a_graph(error.what()));
  }
}

void InterleavedTiming::capture(Entrant& entrant, unsigned calls, const Configuration& what,
                                const Arena& arena, Verifier& verifier) {
  try {
    entrant.graph = graph_of(queue_, calls, entrant.enqueue);
    entrant.launch = [graph = entrant.graph.get()] { graph->launch(); };
    const auto mismatch = check_output(entrant.launch, what, arena, verifier, Equality::values);
    if (!mismatch) return;
    entrant.result.outcome = Outcome::wrong;
    entrant.result.reason = in_a_graph(describe(*mismatch));
  } catch (const std::exception& error) {
    if (device_loss(error) != nullptr) throw;
    entrant.result.outcome = Outcome::failed;
    entrant.result.reason = in_a_graph(error.what());
  }
}

InterleavedTiming::Entrant InterleavedTiming::enter(const Peer& peer, const Configuration& what,
                                                    const Arena& arena, Verifier& verifier) {
  Entrant entrant;
  entrant.peer = &peer;
  entrant.result.name = peer.name();
  PeerTask task;
  task.algorithm = what.algorithm;
  task.kind = what.kind;
  task.type = what.type;
  task.op = what.op.kind();
  task.identity = arena.data.identity();
  task.n = what.n;
  if (what.matrix) task.lines = what.matrix->lines();
  entrant.result.reason = obstacle(peer, task, what);
  if (!entrant.result.reason.empty()) return entrant;
  entrant.result.outcome = Outcome::failed;
  try {
    if (peer.side() == PeerSide::host) {
      task.input = reinterpret_cast<std::uintptr_t>(arena.data.input());
      task.output = reinterpret_cast<std::uintptr_t>(host_output(what));
      entrant.call = peer.prepare(task);
    } else {
      task.input = arena.input.memory.handle;
      task.output = arena.output.memory.handle;
      task.queue = native_queue(queue_);
      entrant.call = peer.prepare(task);
      task.queue = native_queue(timed_);
      entrant.timed = peer.prepare(task);
      timed_.finish(wait_limit);
    }
    entrant.enqueue = [call = entrant.call.get()] { call->enqueue(); };
    entrant.result.only_blocks = entrant.call->only_blocks();
    if (const auto mismatch = check(entrant, what, arena, verifier)) {
      entrant.result.outcome = Outcome::wrong;
      entrant.result.reason = describe(*mismatch);
    } else {
      entrant.result.outcome = Outcome::timed;
    }
  } catch (const bifold::Error&) {
    throw;  // Of our own calls: the device may be lost.
  } catch (const std::exception& error) {
    entrant.result.reason = one_line(error.what());
  }
  return entrant;
}

// The entrant stays where it is as long as the stopwatch is used.
Stopwatch InterleavedTiming::stopwatch(Entrant& entrant, Regime regime) {
  const bool on_host = entrant.peer->side() == PeerSide::host;
  switch (regime) {
    case Regime::back_to_back:
      if (!on_host) return back_to_back(queue_, entrant.enqueue);
      return one_by_one([&] { return seconds_of(entrant.enqueue); });
    case Regime::isolated:
      if (!on_host) {
        return one_by_one(
            [&] { return isolated([&](bifold::Queue&) { entrant.timed->enqueue(); }); });
      }
      return one_by_one([&] {
        flush_host();
        return seconds_of(entrant.enqueue);
      });
    case Regime::graph: return back_to_back(queue_, entrant.launch);
    case Regime::blocking: break;
  }
  return one_by_one([&] { return seconds_of([&] { entrant.call->block(entrant.value.data()); }); });
}

Stopwatch InterleavedTiming::stopwatch(const OurCall& ours, const std::function<void()>& enqueue,
                                       Regime regime) {
  switch (regime) {
    case Regime::back_to_back:
    case Regime::graph: return back_to_back(queue_, enqueue);
    case Regime::isolated: return one_by_one([&] { return isolated(ours.enqueue); });
    case Regime::blocking: break;
  }
  return one_by_one([&] { return seconds_of([&] { ours.block(queue_); }); });
}

bool shares_processor(PeerSide side, bifold::DeviceKind device) {
  return side != PeerSide::host || device == bifold::DeviceKind::cpu;
}

std::optional<Mismatch> InterleavedTiming::run(Result& result, const OurCall& ours,
                                               std::span<const Yardstick> yardsticks,
                                               const Arena& arena, Verifier& verifier) {
  std::vector<Entrant> entrants;
  entrants.reserve(peers_.size());
  for (const Peer* peer : peers_) {
    entrants.push_back(enter(*peer, result.what, arena, verifier));
  }
  const std::function<void()> our_enqueue = [&] { ours.enqueue(queue_); };
  std::unique_ptr<CudaGraph> our_graph;
  const std::function<void()> our_launch = [&] { our_graph->launch(); };
  ours.enqueue(timed_);  // What a queue does at its first call is in none of the timings.
  timed_.finish(wait_limit);
  std::vector<Gauge> gauges;
  gauges.reserve(yardsticks.size());
  for (const Yardstick& yardstick : yardsticks) {
    gauges.push_back({&yardstick});
    gauges.back().attempt([&] {
      yardstick.call();
      queue_.finish(wait_limit);
    });
  }
  queue_.finish(wait_limit);
  for (const Regime regime : regimes) {
    const bool in_graphs = regime == Regime::graph;
    if (in_graphs) {
      if (!ours.enqueue_captured) continue;
      const unsigned calls = result.calls_per_graph = calls_per_graph(result.timing.median_s);
      our_graph = capture(ours, calls);
      auto wrong = check_output(our_launch, result.what, arena, verifier, Equality::bits);
      if (wrong) return wrong;
      for (Entrant& entrant : entrants) {
        if (entrant.result.outcome != Outcome::timed || !entrant.call->can_be_captured()) continue;
        capture(entrant, calls, result.what, arena, verifier);
      }
    }
    Round beside_ours;
    Round elsewhere;
    beside_ours.add(stopwatch(ours, in_graphs ? our_launch : our_enqueue, regime),
                    result.timing_in(regime));
    if (regime == Regime::back_to_back) {
      for (Gauge& gauge : gauges) {
        beside_ours.add(gauge.guarded(back_to_back(queue_, gauge.yardstick->call)), gauge.timing);
        // Ours once more stands among the yardsticks, so that neither comes right behind the other.
        if (&gauge != &gauges.front()) continue;
        beside_ours.add(stopwatch(ours, our_enqueue, regime), result.again);
      }
    }
    for (Entrant& entrant : entrants) {
      if (entrant.result.outcome != Outcome::timed || (in_graphs && !entrant.graph)) continue;
      const auto kind = queue_.device().info().kind;
      (shares_processor(entrant.peer->side(), kind) ? beside_ours : elsewhere)
          .add(entrant.guarded(stopwatch(entrant, regime)), entrant.result.timing_in(regime));
    }
    const Batches batches =
        regime == Regime::back_to_back || in_graphs ? Batches::long_enough : Batches::single;
    const std::uint64_t calls = in_graphs ? result.calls_per_graph : 1;
    beside_ours.measure(budget_, batches, calls);
    elsewhere.measure(budget_, batches, calls);
  }
  for (Gauge& gauge : gauges) {
    if (gauge.problem.empty()) {
      gauge.yardstick->tell(result, gauge.timing.median_s);
    } else {
      result.limits.problem = gauge.problem;
    }
  }
  for (Entrant& entrant : entrants) result.peers.push_back(std::move(entrant.result));
  return {};
}

}  // namespace bench
