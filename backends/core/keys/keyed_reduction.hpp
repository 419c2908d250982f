// Reductions by key: runs are selected, then reduced as segments.
#pragma once

#include <memory>

#include "core/plan/plan.hpp"

namespace bifold::core {

/// What reduces the runs of a shape with keys, where these lie between offsets in device memory.
PlanShape reduction_of_runs(const PlanShape& shape);

/// The plan of a shape with keys. `runs` selects the first key of each run and leaves, beside
/// these, their indices and n; `reduction` is that of reduction_of_runs().
std::shared_ptr<const detail::Plan> plan_keyed_reduction(
    const Request& request, std::shared_ptr<const detail::Plan> runs,
    std::shared_ptr<const detail::Plan> reduction);

}  // namespace bifold::core
