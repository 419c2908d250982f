// Reductions by key: runs are selected, then reduced as segments.
#pragma once

#include <memory>
#include <optional>

#include "core/plan/plan.hpp"

namespace bifold::core {

/// What reduces the runs of a shape with keys, where these lie between offsets in device memory.
PlanShape reduction_of_runs(PlanShape shape);

/// What makes lengths of runs of these offsets, as lines of two neighbours. None if the reduction
/// is no count.
std::optional<PlanShape> counts_of_runs(PlanShape shape);

/// The plan of a shape with keys. `runs` selects the first key of each run and leaves, beside
/// these, their indices and n; `reduction` is that of either of the above.
std::shared_ptr<const detail::Plan> plan_keyed_reduction(
    const Request& request, std::shared_ptr<const detail::Plan> runs,
    std::shared_ptr<const detail::Plan> reduction);

}  // namespace bifold::core
