// The reductions in order v1 of one launch: the group that finishes last combines what all left.
#pragma once

#include <memory>

#include "core/plan/row.hpp"
#include "core/shape/request.hpp"

namespace bifold::core {

/// The same in one launch. Kernel: (input, input_offset, n, work, init, result, places), places
/// being ReducePlaces; nodes and control words lie in `work`.
std::shared_ptr<const detail::Plan> plan_order_single_reduce(const Request& request, const Row& row,
                                                             const Tuning& tuning);

/// The same in one launch. Kernel: (input, input_offset, n, leaves_per_node, work, init, result,
/// places), as that of plan_order_single_reduce.
std::shared_ptr<const detail::Plan> plan_order_single_chunk_reduce(const Request& request,
                                                                   const Row& row,
                                                                   const Tuning& tuning);

/// Both in one launch. Kernels: (input, input_offset, n, work, init, result, places), as that of
/// plan_order_single_reduce.
std::shared_ptr<const detail::Plan> plan_order_single_tile_reduce(const Request& request,
                                                                  const Row& row,
                                                                  const Tuning& tuning);
std::shared_ptr<const detail::Plan> plan_order_single_tile_chunk_reduce(const Request& request,
                                                                        const Row& row,
                                                                        const Tuning& tuning);

}  // namespace bifold::core
