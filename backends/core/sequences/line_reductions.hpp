// The reductions of many lines in order v1: one planner each.
#pragma once

#include <memory>

#include "core/plan/row.hpp"
#include "core/shape/request.hpp"

namespace bifold::core {

/// One launch if lines have one leaf: (input, input_offset, n, lines, init, result, result_offset,
/// LinePlaces, LineSplit). Else one that leaves a node of each leaf, and reduce_line_nodes.
std::shared_ptr<const detail::Plan> plan_line_reduce(const Request& request, const Row& row,
                                                     const Tuning& tuning);

/// In index order: the totals of a scan's tiles, then reduce_line_nodes.
std::shared_ptr<const detail::Plan> plan_line_tile_reduce(const Request& request, const Row& row,
                                                          const Tuning& tuning);

}  // namespace bifold::core
