#include "core/shape/plan_shape.hpp"

#include "core/operators/scalars.hpp"

namespace bifold::core {

PlanShape with_scalars(PlanShape shape) {
  if (!shape.scalars.empty()) return shape;
  std::uint32_t on_device = shape.on_device.scalars;
  const Map equality = shape.keys ? shape.keys->equality : Map{};
  for (ScalarType& one :
       scalars_of(shape.map, shape.op, shape.result_map, shape.more_outputs, equality)) {
    shape.scalars.push_back({std::move(one), (on_device & 1U) != 0});
    on_device >>= 1U;
  }
  return shape;
}

}  // namespace bifold::core
