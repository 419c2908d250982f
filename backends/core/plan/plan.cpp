#include "core/plan/plan.hpp"

#include "core/device/state.hpp"
#include "core/element/struct_types.hpp"
#include "core/operators/op.hpp"

namespace bifold::core {

namespace {

// Whether of nothing, without an initial value, comes something else than what combines as nothing.
bool nothing_differs(const PlanShape& shape) {
  const Operator& op = shape.op;
  if (shape.on_device.init || !op.supports(shape.accumulator)) return false;
  if (!OperatorAccess::gives_of_nothing(op)) return false;
  return !op.has_identity() || op.of_nothing(shape.accumulator) != op.identity(shape.accumulator);
}

}  // namespace

bool gives_first(const PlanShape& shape) {
  return shape.kind == ScanKind::exclusive && nothing_differs(shape);
}

bool counts_for_init(Algorithm algorithm, const PlanShape& shape) {
  const bool shows = algorithm == Algorithm::reduce || shape.on_device.total;
  return shows && shape.on_device.count && nothing_differs(shape);
}

}  // namespace bifold::core

namespace {

// A plan outlives the definitions that the caller's types may refer to.
bifold::core::PlanShape kept(bifold::core::PlanShape shape) {
  for (bifold::Type* type : {&shape.input, &shape.accumulator, &shape.output}) {
    *type = bifold::core::kept(*type);
  }
  if (shape.second) shape.second = bifold::core::kept(*shape.second);
  for (bifold::Type& type : shape.more_inputs) type = bifold::core::kept(type);
  for (bifold::OutputShape& output : shape.more_outputs) {
    output.type = bifold::core::kept(output.type);
  }
  if (shape.keys) {
    shape.keys->keys = bifold::core::kept(shape.keys->keys);
    shape.keys->unique = bifold::core::kept(shape.keys->unique);
  }
  return shape;
}

}  // namespace

bifold::detail::Plan::Plan(const core::Request& request, const gallery::Variant& variant)
    : keeping_(request.may_go),
      context_(request.device.state()->backend->context()),
      device_(request.device.state()->backend->identity()),
      variant_(variant),
      shape_(kept(request.shape)),
      gives_first_(core::gives_first(shape_)),
      counts_for_init_(core::counts_for_init(variant.algorithm, shape_)) {}
