// Selections as planners see them.
#pragma once

#include <bifold/selection/select.hpp>

#include "core/shape/plan_shape.hpp"

namespace bifold::core {

/// A selection as a scan of flags by their sum, which is `kept`. Throws invalid_argument for what
/// is none.
PlanShape plan_shape(const SelectShape& shape);

/// Selects the first key of each run, for a shape with keys. It leaves where each run begins, and
/// where the last one ends. Its scalars are those of the shape.
PlanShape selection_of_runs(const PlanShape& shape);

}  // namespace bifold::core
