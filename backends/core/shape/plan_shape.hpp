// What is asked of a planner: types, operator, maps, and what lies in device memory.
#pragma once

#include <bifold/device_values.hpp>
#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/order.hpp>
#include <bifold/scan.hpp>
#include <bifold/type.hpp>
#include <optional>
#include <utility>

#include "core/base/sizes.hpp"
#include "core/operators/op.hpp"

namespace bifold::core {

/// How a plan's calls bring lines.
enum class LineLayout : std::uint8_t {
  none,    ///< They do not: each is about one array.
  rows,    ///< The next element of a line is its neighbour in memory, in every array.
  along,   ///< Neighbours in memory are elements of one line.
  across,  ///< Neighbours in memory are elements of neighbouring lines.
  any,     ///< A call may bring each of these.
};

/// One shape for both algorithms; `kind` is a scan's.
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
  bool reverse = false;    ///< Elements are combined from the last one to the first.
  ResultMap result_map{};  ///< From accumulators to the output.
};

/// Whether what is stored are accumulators as they are.
inline bool stores_accumulators(const PlanShape& shape) noexcept {
  return shape.output == shape.accumulator && shape.result_map.is_identity();
}

/// The shape with the operator that combines its accumulators.
inline PlanShape with_operator_of_type(PlanShape shape) {
  const Operator& op = operator_for(shape.op, shape.accumulator);
  if (&op != &shape.op) shape.op = op;
  return shape;
}

/// Whether elements lie side by side in the order in which they are combined.
inline bool has_unit_stride(const PlanShape& shape) noexcept {
  return !shape.reverse && (shape.lines == LineLayout::none || shape.lines == LineLayout::rows);
}

/// A shape whose results stay accumulators, without an initial value in them.
inline PlanShape to_accumulators(PlanShape shape) {
  shape.output = shape.accumulator;
  shape.result_map = {};
  shape.on_device.init = false;
  return shape;
}

/// A shape over the accumulators of another.
inline PlanShape from_accumulators(PlanShape shape) {
  shape.input = shape.accumulator;
  shape.map = {};
  shape.second = {};
  return shape;
}

/// A shape over the accumulators of another, whose results stay accumulators.
inline PlanShape over_accumulators(PlanShape shape) {
  shape = from_accumulators(std::move(shape));
  shape.output = shape.accumulator;
  shape.result_map = {};
  return shape;
}

}  // namespace bifold::core
