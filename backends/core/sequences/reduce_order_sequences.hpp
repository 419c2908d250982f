// The reductions in order v1 of two launches: leaves, then the tree over what they left.
#pragma once

#include <memory>

#include "core/plan/row.hpp"
#include "core/shape/request.hpp"

namespace bifold::core {

/// Order v1: subtrees of leaves, a group each, then one group over the subtrees.
/// Kernel: (input, input_offset, n, nodes, nodes_offset).
std::shared_ptr<const detail::Plan> plan_order_reduce(const Request& request, const Row& row,
                                                      const Tuning& tuning);

/// The same with one work-item per subtree, which is as large as the input asks for.
/// Kernel: (input, input_offset, n, leaves_per_node, nodes, nodes_offset).
std::shared_ptr<const detail::Plan> plan_order_chunk_reduce(const Request& request, const Row& row,
                                                            const Tuning& tuning);

/// Order v1 in index order: the totals of a scan's tiles, a group each, then one group over them.
/// Kernel: (input, input_offset, n, nodes, nodes_offset).
std::shared_ptr<const detail::Plan> plan_order_tile_reduce(const Request& request, const Row& row,
                                                           const Tuning& tuning);

/// The same with work-items that loop over tiles.
std::shared_ptr<const detail::Plan> plan_order_tile_chunk_reduce(const Request& request,
                                                                 const Row& row,
                                                                 const Tuning& tuning);

}  // namespace bifold::core
