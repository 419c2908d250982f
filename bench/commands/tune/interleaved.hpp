// Whether tuning values are better than others: arithmetic on samples alone.
#pragma once

#include <cstdint>
#include <vector>

#include "measure/timing.hpp"

namespace bench {

/// What chosen values may lose at a size, as a fraction of the built-in ones' speed there.
inline constexpr double most_lost = 0.02;
/// Where the built-in values differ more than that from themselves, nothing can be told.
inline constexpr double most_spread = 0.1;

/// The speed-ups' geometric mean, less 1.
double mean_gain(const std::vector<double>& speedups);

/// The speed-up of `to` over `from`, by their medians.
double speedup(const std::vector<double>& from, const std::vector<double>& to);

/// A candidate against the built-in values.
struct TuningComparison {
  double gain = 0;    ///< Mean over all sizes.
  double spread = 0;  ///< The most that the built-in values gained over themselves.
  double worst = 0;   ///< The gain at the worst size; a loss is negative.

  /// Whether the gain is more than chance, and no size pays for it.
  [[nodiscard]] bool better() const {
    return spread <= most_spread && gain > spread && worst > -most_lost;
  }
};

/// From samples at each size, of the built-in values as call 0 and once more as call 1, and of the
/// candidate as call 2. The spread is that in any third of the turns, half a percent at least.
TuningComparison compared_in_turns(const std::vector<Samples>& sizes);

/// An input at which two rows were compared.
struct Place {
  std::uint32_t mib;
  TuningComparison compared;  ///< Of the row for large inputs against that for small ones.
};

/// The input from which the row for large inputs takes over.
struct SwitchPoint {
  std::uint32_t mib;
  TuningComparison
      compared;  ///< Against the built-in one, at the inputs for which the rows then differ.
};

/// The best of the places, which ascend, or the built-in point if none is better in all.
SwitchPoint switch_point_of(const std::vector<Place>& places, std::uint32_t built_in);

}  // namespace bench
