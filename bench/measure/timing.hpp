// Timing of calls, alone or several in turn.
#pragma once

#include <bifold/queue.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace bench {

/// What one configuration may cost.
struct Budget {
  double seconds = 0.25;  ///< Time for its samples.
  unsigned samples = 15;  ///< Samples to aim at within that time; many more when they are cheap.
  /// A configuration is skipped when the same one at a smaller size lets a longer call be expected;
  /// 0: never.
  double longest_call_s = 0;
};

/// Seconds per call. A sample is the time of a batch of calls, divided by their number.
struct Timing {
  unsigned samples = 0;
  std::uint64_t batch = 0;  ///< Calls per sample.
  double median_s = 0;
  double p10_s = 0;
  double p90_s = 0;
};

/// No wait of this tool for a device lasts longer; beyond, the device counts as hung.
inline constexpr std::chrono::seconds wait_limit{120};

/// The seconds that so many calls take.
using Stopwatch = std::function<double(std::uint64_t calls)>;

/// Whether a sample may be of many calls.
enum class Batches : std::uint8_t { long_enough, single };

/// What all processes that measure together do, of what each would: the first one's.
using Agreement = std::function<bool(bool)>;

/// Times each of `contenders`, whose calls have run before: after a warm-up that brings the
/// device's clocks up, a sample of each in turn, and all over again, so that what changes meanwhile
/// changes for all. Each has the budget's time. Throws what they throw. Processes that measure
/// together need an agreement, and stopwatches that tell all of them the same.
std::vector<Timing> measure_in_turn(const Budget& budget, Batches batches,
                                    std::span<const Stopwatch> contenders,
                                    const Agreement& agreed = std::identity{});

/// The stopwatch of back-to-back calls: from the first enqueue until all are done. `call` enqueues
/// on `queue`; both must outlive it. Throws what the call throws, and timeout.
Stopwatch back_to_back(bifold::Queue& queue, const std::function<void()>& call);

/// Times `call` back to back. Throws what the call throws, and timeout.
Timing measure(bifold::Queue& queue, const Budget& budget, const std::function<void()>& call);

/// Seconds per call of several calls, [call][turn].
using Samples = std::vector<std::vector<double>>;

/// Times the calls in turns, so that what changes about a device meanwhile changes all of them
/// alike; each turn begins with another one. Each call has run before. Throws as measure().
Samples measure_in_turns(bifold::Queue& queue, unsigned turns,
                         const std::vector<std::function<void()>>& calls);

/// The value in the middle; of an even number, what lies between the two there.
double median_of(std::vector<double> values);

}  // namespace bench
