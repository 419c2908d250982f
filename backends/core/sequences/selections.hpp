// Selections: what is flagged is counted and stored, in one pass or in two.
#pragma once

#include <memory>

#include "core/plan/plan.hpp"
#include "core/plan/row.hpp"

namespace bifold::core {

/// One launch, a work-group for each tile, which it holds in registers. Kernel: (input, n, output,
/// control, places, kept), places being SelectPlaces. Wants PER_ITEM and a group size.
std::shared_ptr<const detail::Plan> plan_select_lookback(const Request& request, const Row& row,
                                                         const Tuning& tuning);

/// One launch of groups that stay, over a ring of tiles in local memory. Kernel: as
/// plan_select_lookback's, which runs in place.
std::shared_ptr<const detail::Plan> plan_select_ring(const Request& request, const Row& row,
                                                     const Tuning& tuning);

/// One launch of the same kernel, whose groups have one work-item and draw tiles.
std::shared_ptr<const detail::Plan> plan_select_drawn(const Request& request, const Row& row,
                                                      const Tuning& tuning);

/// Two launches: count_tiles (input, n, partials), then store_tiles (input, n, partials, output,
/// places, kept). Not in place.
std::shared_ptr<const detail::Plan> plan_select_passes(const Request& request, const Row& row,
                                                       const Tuning& tuning);

}  // namespace bifold::core
