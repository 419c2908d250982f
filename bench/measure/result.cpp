#include "measure/result.hpp"

#include <algorithm>

namespace bench {

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

bool Measurements::all_well() const {
  return !devices.empty() && unopened.empty() &&
         std::none_of(results.begin(), results.end(), [](const Result& result) {
           return result.outcome == Outcome::wrong || result.outcome == Outcome::failed;
         });
}

}  // namespace bench
