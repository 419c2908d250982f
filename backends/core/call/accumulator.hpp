// What a call accumulates in.
#pragma once

#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <optional>

#include "core/operators/op.hpp"

namespace bifold::core {

/// The type that is asked for; else, where a result map makes the output, that of a user's
/// operator; else what the output's type is accumulated in.
inline Type accumulator_for(Type output, const Operator& op, const std::optional<Type>& accumulate,
                            const ResultMap& result_map) {
  if (accumulate) return *accumulate;
  if (!result_map.is_identity() && op.kind() == OperatorKind::user) {
    return OperatorAccess::type_of(op);
  }
  return accumulator_of(output);
}

}  // namespace bifold::core
