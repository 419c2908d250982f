// The scalars of a call against those that its texts declare.
#pragma once

#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/scalar.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "core/shape/plan_shape.hpp"

namespace bifold::core {

std::uint32_t places_of(const std::vector<Scalar>& given, const Map& map, const Operator& op,
                        const ResultMap& result_map, std::span<const Output> more_outputs,
                        const Map& equality = {});

/// DeviceValues::scalars of a call: which of the scalars that these texts declare are in device
/// memory.
inline std::uint32_t scalars_on_device(const std::vector<Scalar>& given, const Map& map,
                                       const Operator& op, const ResultMap& result_map,
                                       std::span<const Output> more_outputs,
                                       const Map& equality = {}) {
  return given.empty() ? 0 : places_of(given, map, op, result_map, more_outputs, equality);
}

/// Throws invalid_argument unless a call gives each scalar of the plan once, and no other, of its
/// type and where the plan has it.
void check_named(const PlanShape& shape, const std::vector<Scalar>& given);
inline void check_scalars(const PlanShape& shape, const std::vector<Scalar>& given) {
  if (!shape.scalars.empty() || !given.empty()) check_named(shape, given);
}

/// That of a declaration among those that were checked.
const Scalar& scalar_of(const ScalarType& declared, const std::vector<Scalar>& given);

}  // namespace bifold::core
