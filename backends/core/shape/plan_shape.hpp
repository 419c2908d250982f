// What is asked of a planner: types, operator, maps, and what lies in device memory.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/device_values.hpp>
#include <bifold/keys/keys.hpp>
#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/order.hpp>
#include <bifold/scan.hpp>
#include <bifold/segments/segments.hpp>
#include <bifold/selection/select.hpp>
#include <bifold/type.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/sizes.hpp"
#include "core/operators/op.hpp"

namespace bifold::core {

/// How a plan's calls bring lines.
enum class LineLayout : std::uint8_t {
  none,      ///< They do not: each is about one array.
  rows,      ///< The next element of a line is its neighbour in memory, in every array.
  along,     ///< Neighbours in memory are elements of one line.
  across,    ///< Neighbours in memory are elements of neighbouring lines.
  any,       ///< A call may bring each of these.
  segments,  ///< Lines of any length, which device memory tells.
};

/// What a selection stores beside what it selects, in an output of its own.
enum class Beside : std::uint8_t {
  none,
  values,   ///< The element of another array.
  indices,  ///< The index, and n behind the last one.
};

/// What a selection does with the elements that the shape's map flags: with those that it makes 1,
/// not 0. The shape's accumulators count them.
struct Selection {
  bool indices = false;  ///< Indices are stored, not elements.
  bool by_runs = false;  ///< The map compares an element, x, with the one before it, y.
  Rejected rejected = Rejected::dropped;
  Beside beside = Beside::none;

  friend bool operator==(const Selection&, const Selection&) = default;
};

/// A scalar that texts of a plan name.
struct PlanScalar {
  ScalarType declared;
  bool on_device = false;
};

/// One shape for all algorithms; `kind` is a scan's.
struct PlanShape {
  Type input;
  Type accumulator;
  Type output;
  ScanKind kind = ScanKind::inclusive;
  Operator op;
  Map map{};
  DeviceValues on_device{};
  Order order = Order::v1;
  std::optional<Type> second{};  ///< Elements of a second array, which a reduction's map takes too.
  Sizes sizes{};                 ///< That the plan serves at least.
  LineLayout lines = LineLayout::none;
  bool reverse = false;  ///< Elements are combined from the last one to the first.
  std::optional<SegmentShape> segments{};  ///< Those that the calls bring as lines.
  std::optional<KeyShape> keys{};          ///< Those whose runs are lines.
  ResultMap result_map{};                  ///< From accumulators to the output.
  std::vector<OutputShape> more_outputs{};
  std::vector<Type> more_inputs{};  ///< Elements of arrays behind the second one.
  std::optional<Selection> selection{};
  /// Of all texts of the plan, in the order of DeviceValues::scalars; filled in by a Request.
  std::vector<PlanScalar> scalars{};
};

/// Whether the array beside the first one is stored, and no map takes it.
inline bool stores_values(const PlanShape& shape) noexcept {
  return shape.selection && shape.selection->beside == Beside::values;
}

/// The types of all arrays that the map takes.
inline std::vector<Type> arrays_of(const PlanShape& shape) {
  std::vector<Type> types{shape.input};
  if (shape.selection && shape.selection->by_runs) types.push_back(shape.input);
  if (shape.second) types.push_back(*shape.second);
  if (!stores_values(shape)) {
    types.insert(types.end(), shape.more_inputs.begin(), shape.more_inputs.end());
  }
  return types;
}

/// The types of all arrays and outputs.
inline std::vector<Type> stored_types(const PlanShape& shape) {
  std::vector<Type> types = arrays_of(shape);
  if (stores_values(shape)) types.push_back(shape.more_inputs.front());
  types.push_back(shape.output);
  for (const OutputShape& output : shape.more_outputs) types.push_back(output.type);
  return types;
}

/// The arrays of a shape's calls beside the first, in their order.
inline std::size_t arrays_beside(const PlanShape& shape) noexcept {
  return (shape.second ? 1 : 0) + shape.more_inputs.size();
}
inline Type type_beside(const PlanShape& shape, std::size_t k) {
  if (k == 0 && shape.second) return *shape.second;
  return shape.more_inputs.at(shape.second ? k - 1 : k);
}

/// Puts the types of arrays beside the first into a shape.
inline void put_arrays(PlanShape& shape, std::vector<Type> beside) {
  if (beside.empty()) return;
  shape.second = beside.front();
  beside.erase(beside.begin());
  shape.more_inputs = std::move(beside);
}

/// Whether what is stored are accumulators as they are.
inline bool stores_accumulators(const PlanShape& shape) noexcept {
  return shape.output == shape.accumulator && shape.result_map.is_identity() &&
         shape.more_outputs.empty();
}

/// The shape with the operator that combines its accumulators.
inline PlanShape with_operator_of_type(PlanShape shape) {
  const Operator& op = operator_for(shape.op, shape.accumulator);
  if (&op != &shape.op) shape.op = op;
  return shape;
}

/// The shape with the scalars of its texts; as it is where it has them from another.
PlanShape with_scalars(PlanShape shape);

/// Whether elements lie side by side in the order in which they are combined.
inline bool has_unit_stride(const PlanShape& shape) noexcept {
  return !shape.reverse && (shape.lines == LineLayout::none || shape.lines == LineLayout::rows ||
                            shape.lines == LineLayout::segments);
}

/// A shape whose results stay accumulators, without an initial value in them.
inline PlanShape to_accumulators(PlanShape shape) {
  shape.output = shape.accumulator;
  shape.result_map = {};
  shape.more_outputs.clear();
  shape.on_device.init = false;
  return shape;
}

/// A shape over the accumulators of another.
inline PlanShape from_accumulators(PlanShape shape) {
  shape.input = shape.accumulator;
  shape.map = {};
  shape.second = {};
  shape.more_inputs.clear();
  return shape;
}

/// A shape over the accumulators of another, whose results stay accumulators.
inline PlanShape over_accumulators(PlanShape shape) {
  shape = from_accumulators(std::move(shape));
  shape.output = shape.accumulator;
  shape.result_map = {};
  shape.more_outputs.clear();
  return shape;
}

}  // namespace bifold::core
