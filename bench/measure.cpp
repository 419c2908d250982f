#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

/// A batch this long makes the clock's and the final wait's share of it small.
constexpr double shortest_batch_s = 2e-3;
constexpr std::uint64_t largest_batch = 4096;
/// A device that has been idle takes about this long to reach its clocks.
constexpr double warm_up_s = 20e-3;
/// Slow calls may pass the budget to get this many samples, so that a spread is known.
constexpr unsigned fewest_samples = 3;
/// Cheap calls fill their budget up to this many times the samples asked for.
constexpr unsigned most_samples_factor = 10;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Waits for the queue. A GPU leaves the host free to ask for the end without a pause; beside a
/// device that is the host's own processor that would take time from it.
void wait_for(bifold::Queue& queue) {
  if (queue.device().info().kind == bifold::DeviceKind::gpu) {
    const bifold::Event end = queue.record();
    const auto start = Clock::now();
    while (!end.complete()) {
      if (Clock::now() - start > wait_limit) break;
    }
  }
  queue.finish(wait_limit);
}

double time_batch(bifold::Queue& queue, const std::function<void()>& call, std::uint64_t batch) {
  const auto start = Clock::now();
  for (std::uint64_t i = 0; i < batch; ++i) call();
  wait_for(queue);
  return seconds_since(start);
}

std::uint64_t calibrate(bifold::Queue& queue, const std::function<void()>& call) {
  std::uint64_t batch = 1;
  for (;;) {
    const double spent = time_batch(queue, call, batch);
    if (spent >= shortest_batch_s || batch >= largest_batch) return batch;
    const double missing = std::ceil(1.2 * shortest_batch_s / std::max(spent, 1e-9));
    const auto factor = static_cast<std::uint64_t>(std::clamp(missing, 2.0, 16.0));
    batch = std::min(batch * factor, largest_batch);
  }
}

/// The value below which the fraction `p` of the sorted samples lies, interpolated.
double percentile(const std::vector<double>& sorted, double p) {
  const double position = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return sorted[below] + (sorted[above] - sorted[below]) * fraction;
}

}  // namespace

Timing measure(bifold::Queue& queue, const Budget& budget, const std::function<void()>& call) {
  queue.finish(wait_limit);
  const std::uint64_t batch = calibrate(queue, call);
  const auto warm = Clock::now();
  while (seconds_since(warm) < std::min(warm_up_s, budget.seconds)) {
    time_batch(queue, call, batch);
  }
  const std::size_t enough = std::size_t{budget.samples} * most_samples_factor;
  const std::size_t few = std::min(budget.samples, fewest_samples);
  std::vector<double> samples;
  const auto start = Clock::now();
  do {
    samples.push_back(time_batch(queue, call, batch) / static_cast<double>(batch));
  } while (samples.size() < enough &&
           (samples.size() < few || seconds_since(start) < budget.seconds));

  std::sort(samples.begin(), samples.end());
  return {static_cast<unsigned>(samples.size()), batch, percentile(samples, 0.5),
          percentile(samples, 0.1), percentile(samples, 0.9)};
}

}  // namespace bench
