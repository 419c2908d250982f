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

bool Measurements::all_well() const {
  return !devices.empty() && unopened.empty() &&
         std::none_of(results.begin(), results.end(), [](const Result& result) {
           return result.outcome == Outcome::wrong || result.outcome == Outcome::failed;
         });
}

}  // namespace bench
