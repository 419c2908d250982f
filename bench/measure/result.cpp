#include "measure/result.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace bench {

std::string size_text(const Configuration& what) {
  return what.matrix ? text_of(*what.matrix) : count_text(what.n);
}

const Result* quickest_call(const Measurements& measurements, std::size_t device) {
  const Result* quickest = nullptr;
  for (const Result& result : measurements.results) {
    if (result.what.device != device || result.outcome != Outcome::timed) continue;
    if (quickest == nullptr || result.timing.median_s < quickest->timing.median_s) {
      quickest = &result;
    }
  }
  return quickest;
}

double GroupResult::slice_s() const {
  double longest = 0;
  for (const RankReport& rank : ranks) longest = std::max(longest, rank.slice.median_s);
  return longest;
}

double GroupResult::exchange_s() const {
  double shortest = ranks.empty() ? 0 : ranks.front().exchange_s;
  for (const RankReport& rank : ranks) shortest = std::min(shortest, rank.exchange_s);
  return shortest;
}

bool Measurements::all_well() const {
  const auto bad = [](const auto& result) {
    return result.outcome == Outcome::wrong || result.outcome == Outcome::failed;
  };
  return !devices.empty() && unopened.empty() && std::ranges::none_of(results, bad) &&
         std::ranges::none_of(groups, bad);
}

}  // namespace bench
