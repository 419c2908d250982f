// Which shapes there are: refused before anything is planned for them.
#pragma once

#include "core/shape/plan_shape.hpp"

namespace bifold::core {

/// Throws invalid_argument where types, operator and map of the shape do not fit one another, on
/// any device.
void check_shape(const PlanShape& shape);

/// Whether results of a scan or a selection may take the places of elements: where each is written
/// over its own, or over earlier ones.
inline bool replaces_elements(const PlanShape& shape) noexcept {
  if (!shape.selection) return true;
  if (shape.selection->rejected != Rejected::dropped) return false;
  if (shape.selection->beside != Beside::none) return false;
  // The next run's first element is compared with the place of the last one before it.
  const bool changed = shape.input != shape.output || shape.selection->indices;
  return !(shape.selection->by_runs && changed);
}

}  // namespace bifold::core
