// Selections as planners see them.
#pragma once

#include <bifold/selection/select.hpp>

#include "core/shape/plan_shape.hpp"

namespace bifold::core {

/// A selection as a scan of flags by their sum, which is `kept`. Throws invalid_argument for what
/// is none.
PlanShape plan_shape(const SelectShape& shape);

/// The selection of the first key of each run of a shape with keys, which leaves where runs begin
/// and where the last one ends. Its scalars are those of the shape.
PlanShape selection_of_runs(const PlanShape& shape);

}  // namespace bifold::core
