#include "measure/timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

/// A batch this long makes the clock's and the final wait's share of it small.
constexpr double shortest_batch_s = 1e-3;
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

std::uint64_t calibrate(const Stopwatch& contender) {
  std::uint64_t batch = 1;
  for (;;) {
    const double spent = contender(batch);
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

Timing timing_of(std::vector<double> samples, std::uint64_t batch) {
  std::sort(samples.begin(), samples.end());
  return {static_cast<unsigned>(samples.size()), batch, percentile(samples, 0.5),
          percentile(samples, 0.1), percentile(samples, 0.9)};
}

}  // namespace

std::vector<Timing> measure_in_turn(const Budget& budget, Batches batches,
                                    std::span<const Stopwatch> contenders,
                                    const Agreement& agreed) {
  std::vector<std::uint64_t> batch;
  for (const Stopwatch& contender : contenders) {
    batch.push_back(batches == Batches::single ? 1 : calibrate(contender));
  }
  std::vector<std::vector<double>> samples(contenders.size());
  const auto take_turns = [&] {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      samples[i].push_back(contenders[i](batch[i]) / static_cast<double>(batch[i]));
    }
  };
  const auto warm = Clock::now();
  while (agreed(seconds_since(warm) < std::min(warm_up_s, budget.seconds))) take_turns();
  for (std::vector<double>& cold : samples) cold.clear();

  const std::size_t enough = std::size_t{budget.samples} * most_samples_factor;
  const std::size_t few = std::min(budget.samples, fewest_samples);
  const double seconds = budget.seconds * static_cast<double>(contenders.size());
  const auto start = Clock::now();
  do {
    take_turns();
  } while (samples.front().size() < enough &&
           agreed(samples.front().size() < few || seconds_since(start) < seconds));

  std::vector<Timing> timings;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    timings.push_back(timing_of(std::move(samples[i]), batch[i]));
  }
  return timings;
}

Stopwatch back_to_back(bifold::Queue& queue, const std::function<void()>& call) {
  return [&](std::uint64_t calls) { return time_batch(queue, call, calls); };
}

Timing measure(bifold::Queue& queue, const Budget& budget, const std::function<void()>& call) {
  queue.finish(wait_limit);
  const Stopwatch contender = back_to_back(queue, call);
  return measure_in_turn(budget, Batches::long_enough, {&contender, 1}).front();
}

Samples measure_in_turns(bifold::Queue& queue, unsigned turns,
                         const std::vector<std::function<void()>>& calls) {
  queue.finish(wait_limit);
  std::vector<Stopwatch> contenders;
  std::vector<std::uint64_t> batches;
  for (const auto& call : calls) {
    contenders.push_back(back_to_back(queue, call));
    batches.push_back(calibrate(contenders.back()));
  }
  Samples samples(calls.size());
  for (unsigned turn = 0; turn < turns; ++turn) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const std::size_t next = (turn + i) % calls.size();
      samples[next].push_back(contenders[next](batches[next]) / static_cast<double>(batches[next]));
    }
  }
  return samples;
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return percentile(values, 0.5);
}

}  // namespace bench
