// What there is to tune on a device: production's rows, each for a class of elements.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/shape/plan_shape.hpp"
#include "core/tuning/tuning.hpp"
#include "core/tuning/tuning_space.hpp"

namespace bench {

/// A row for a class of elements, and the inputs for which production takes it.
struct TuneUnit {
  const bifold::gallery::Variant* row;
  bifold::core::PlanShape shape;
  bifold::core::ElementClass elements;
  std::uint64_t from_bytes = 0;
  std::uint64_t below_bytes = std::numeric_limits<std::uint64_t>::max();

  [[nodiscard]] std::string name() const;  ///< "scan lookback_warp on integer 4".
  [[nodiscard]] bool takes_lines() const { return shape.lines != bifold::core::LineLayout::none; }
};

/// What a unit is measured on: an array, or the lines of a matrix.
struct TuneInput {
  std::uint64_t n;
  std::optional<bifold::Lines> lines{};

  /// Elements that a call of the algorithm writes.
  [[nodiscard]] std::uint64_t results(bifold::Algorithm algorithm) const {
    if (algorithm == bifold::Algorithm::scan) return n;
    return lines ? lines->count() : 1;
  }
};

/// One type of each class.
std::vector<bifold::Type> default_tune_types();

/// The rows that production takes on this device for elements of the type, under either order, with
/// operators that commute and that do not; then those for lines. A row with another one for smaller
/// inputs comes with it, right behind.
std::vector<TuneUnit> tune_units(const bifold::Device& device, bifold::Type type);

/// Three or more numbers of elements, from small to large, among those for which production takes
/// the row, none a multiple of a tile; their elements take at most `most_bytes`.
std::vector<std::uint64_t> tune_sizes(const TuneUnit& unit, bifold::DeviceKind kind,
                                      std::uint64_t most_bytes);

/// Arrays of so many elements; of a unit for lines, rows and columns of as many, or a few less,
/// among them short lines, long ones, and some between.
std::vector<TuneInput> tune_inputs(const TuneUnit& unit, const std::vector<std::uint64_t>& sizes);

/// The unit's plan with these values, whichever algorithm it is of. Compiles.
class TunePlan {
 public:
  TunePlan(const bifold::Device& device, const TuneUnit& unit, const bifold::core::Tuning& tuning);
  void run(bifold::Queue& queue, const bifold::ErasedView& input, const bifold::ErasedView& output,
           const std::optional<bifold::Lines>& lines) const;

 private:
  std::variant<bifold::ReducePlan, bifold::ScanPlan> plan_;
};

}  // namespace bench
