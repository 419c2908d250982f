// Reductions as only the library itself, its tests and its tool ask for them.
#pragma once

#include <bifold/reduce.hpp>

#include "core/shape/test_hooks.hpp"
#include "core/tuning/tuning.hpp"

namespace bifold::core {

/// A plan with tuning values of the caller's choice, and what tests force besides. It is not kept
/// by the device.
ReducePlan make_plan(const Device& device, const ReduceShape& shape, const Tuning& tuning,
                     const TestHooks& hooks = {});

/// An initial value, and what is the result of nothing.
struct Beginning {
  Value init;
  Value of_nothing;
};

/// As the transform_reduce() that returns a value of init's type.
Value transform_reduce(Queue& queue, const ErasedView& input, const Operator& op,
                       const Beginning& beginning, const Map& map, const ReduceOptions& options);

/// The same into device memory.
void transform_reduce_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                           const Operator& op, const Beginning& beginning, const Map& map,
                           const ReduceOptions& options);

}  // namespace bifold::core
