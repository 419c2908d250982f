// Which shapes there are: refused before anything is planned for them.
#pragma once

#include "core/shape/plan_shape.hpp"

namespace bifold::core {

/// Throws invalid_argument where types, operator and map of the shape do not fit one another, on
/// any device.
void check_shape(const PlanShape& shape);

}  // namespace bifold::core
