// Timing of back-to-back calls.
#pragma once

#include <bifold/queue.hpp>
#include <chrono>
#include <cstdint>
#include <functional>

namespace bench {

/// What one configuration may cost.
struct Budget {
  double seconds = 0.25;  ///< Time for its samples.
  unsigned samples = 15;  ///< Samples to aim at within that time; many more when they are cheap.
  /// A configuration is skipped when the same one at a smaller size lets a longer call be expected;
  /// 0: never.
  double longest_call_s = 0;
};

/// Seconds per call. A sample is the host time from the first enqueue of a batch of calls until
/// all of them are done, divided by their number.
struct Timing {
  unsigned samples = 0;
  std::uint64_t batch = 0;  ///< Calls per sample.
  double median_s = 0;
  double p10_s = 0;
  double p90_s = 0;
};

/// No wait of this tool for a device lasts longer; beyond, the device counts as hung.
inline constexpr std::chrono::seconds wait_limit{120};

/// Times `call`, which enqueues on `queue` and has run before, after a warm-up that brings the
/// device's clocks up. Throws what the call throws, and timeout.
Timing measure(bifold::Queue& queue, const Budget& budget, const std::function<void()>& call);

}  // namespace bench
