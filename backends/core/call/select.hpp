// Selections as only the library's tests and its tool ask for them.
#pragma once

#include <bifold/selection/select.hpp>

#include "core/shape/plan_shape.hpp"
#include "core/shape/test_hooks.hpp"
#include "core/tuning/tuning.hpp"

namespace bifold::core {

/// A selection as planners see it: a scan of flags by their sum, which is `kept`.
PlanShape plan_shape(const SelectShape& shape);

/// The selection of the first key of each run of a shape with keys, which leaves where runs begin
/// and where the last one ends. Its scalars are those of the shape.
PlanShape selection_of_runs(const PlanShape& shape);

/// A plan with tuning values of the caller's choice, and what tests force besides. It is not kept
/// by the device.
SelectPlan make_plan(const Device& device, const SelectShape& shape, const Tuning& tuning,
                     const TestHooks& hooks = {});

}  // namespace bifold::core
