#include "comparison/backend_split.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/format.hpp"

namespace bench {
namespace {

/// Two backends of one device. Devices are told apart by their names alone: of several of one name
/// in a machine, each backend's first are compared, which drivers list in the same order.
bool are_backends_of_one(const Comparison& comparison, const Side& a, const Side& b) {
  const bifold::DeviceInfo& first = comparison.device(a).info;
  const bifold::DeviceInfo& second = comparison.device(b).info;
  const RunFile& run_a = comparison.files[a.file];
  const RunFile& run_b = comparison.files[b.file];
  return first.backend != second.backend && first.name == second.name &&
         first.kind == second.kind && run_a.host.cpu == run_b.host.cpu;
}

bool in_all_regimes(const Result* result) {
  return result != nullptr && result->outcome == Outcome::timed && result->isolated.samples > 0 &&
         result->blocking.samples > 0 && result->enqueue_s > 0;
}

}  // namespace

Cause cause_of(const Result& a, const Result& b) {
  if (within_noise(a, b)) return Cause::noise;
  const double gap = b.timing.median_s - a.timing.median_s;
  // The host's part counts where a call waits for it: where it takes most of the call.
  const double host_share =
      std::max(a.enqueue_s / a.timing.median_s, b.enqueue_s / b.timing.median_s);
  if (host_share > 0.5 && (b.enqueue_s - a.enqueue_s) / gap > 0.5) return Cause::launch;
  if ((b.isolated.median_s - a.isolated.median_s) / gap > 0.5) return Cause::kernels;
  return Cause::between;
}

std::string answer_of(const Result& a, const Result& b, const std::string& name) {
  const double gap = b.timing.median_s - a.timing.median_s;
  const std::string how =
      formatted("{} is {:.0f} % {}: ", name, 100 * std::abs(gap) / a.timing.median_s,
                gap > 0 ? "slower" : "quicker");
  switch (cause_of(a, b)) {
    case Cause::noise: return "no difference beyond noise";
    case Cause::launch:
      return how + formatted("the host takes {} instead of {} to launch a call",
                             seconds_text(b.enqueue_s), seconds_text(a.enqueue_s));
    case Cause::kernels:
      return how + formatted("the kernels take {} instead of {}", seconds_text(b.isolated.median_s),
                             seconds_text(a.isolated.median_s));
    case Cause::between: break;
  }
  return how +
         "neither kernels nor launches alone; the time lies between the kernels of calls that "
         "follow one another";
}

std::string split_summary(const Comparison& comparison) {
  std::map<std::pair<std::size_t, std::size_t>, std::array<std::array<unsigned, 4>, 2>> counts;
  for (const BackendSplit& split : comparison.splits) {
    const bool slower = split.b->timing.median_s > split.a->timing.median_s;
    ++counts[{split.first, split.second}][slower ? 1 : 0][static_cast<std::size_t>(split.cause)];
  }
  std::string text;
  for (const auto& [pair, of] : counts) {
    const auto& [quicker, slower] = of;
    const auto causes = [](const std::array<unsigned, 4>& count) {
      return formatted("{} (launch {}, kernels {}, between them {})",
                       count[1] + count[2] + count[3], count[1], count[2], count[3]);
    };
    text += formatted(
        "Of {} calls, {} ({}) is slower than {} ({}) in {}, quicker in {}, and within noise of it "
        "in {}. ",
        quicker[0] + slower[0] + quicker[1] + quicker[2] + quicker[3] + slower[1] + slower[2] +
            slower[3],
        comparison.sides[pair.second].letter,
        comparison.device(comparison.sides[pair.second]).info.backend,
        comparison.sides[pair.first].letter,
        comparison.device(comparison.sides[pair.first]).info.backend, causes(slower),
        causes(quicker), quicker[0] + slower[0]);
  }
  return text;
}

std::vector<BackendSplit> splits_of(const Comparison& comparison) {
  std::vector<BackendSplit> splits;
  for (std::size_t a = 0; a < comparison.sides.size(); ++a) {
    for (std::size_t b = a + 1; b < comparison.sides.size(); ++b) {
      if (!are_backends_of_one(comparison, comparison.sides[a], comparison.sides[b])) continue;
      for (const ComparedRow& row : comparison.rows) {
        if (!in_all_regimes(row.results[a]) || !in_all_regimes(row.results[b])) continue;
        splits.push_back({a, b, row.results[a], row.results[b],
                          cause_of(*row.results[a], *row.results[b]),
                          answer_of(*row.results[a], *row.results[b],
                                    comparison.device(comparison.sides[b]).info.backend)});
      }
    }
  }
  return splits;
}

}  // namespace bench
