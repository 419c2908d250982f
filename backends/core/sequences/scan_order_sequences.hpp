// The scans in order v1: one planner each.
#pragma once

#include <memory>

#include "core/plan/row.hpp"
#include "core/shape/request.hpp"

namespace bifold::core {

/// One launch in order v1: a group per tile, tiles that wait for earlier ones. Kernel: as
/// plan_lookback.
std::shared_ptr<const detail::Plan> plan_order_lookback(const Request& request, const Row& row,
                                                        const Tuning& tuning);

/// One launch in order v1: a group per compute unit that draws one tile after the other. Kernel: as
/// plan_lookback.
std::shared_ptr<const detail::Plan> plan_order_ring(const Request& request, const Row& row,
                                                    const Tuning& tuning);

/// One launch in order v1, of groups that draw one tile after the other, each before it has done
/// with the one before. Kernel: as plan_lookback.
std::shared_ptr<const detail::Plan> plan_order_ahead(const Request& request, const Row& row,
                                                     const Tuning& tuning);

/// One launch in order v1, of groups of one work-item that draw a few tiles at a time until none is
/// left. Kernel: as plan_lookback.
std::shared_ptr<const detail::Plan> plan_order_drawn(const Request& request, const Row& row,
                                                     const Tuning& tuning);

/// Three launches in order v1: totals of tiles, their prefixes, the tiles from there.
std::shared_ptr<const detail::Plan> plan_order_passes(const Request& request, const Row& row,
                                                      const Tuning& tuning);

/// The same with work-items that loop over tiles.
std::shared_ptr<const detail::Plan> plan_order_chunks(const Request& request, const Row& row,
                                                      const Tuning& tuning);

}  // namespace bifold::core
