// The launch sequences of reductions whose order is not v1: one planner each.
#pragma once

#include <memory>

#include "core/plan/row.hpp"
#include "core/shape/request.hpp"

namespace bifold::core {

/// Accumulate per group, then one group over the partial results. Kernel: (input, input_offset,
/// COUNT_PARAMETERS, partials, partials_offset), in any number of groups; group g writes partial g.
/// GROUP_SIZE is a power of two. Throws invalid_argument.
std::shared_ptr<const detail::Plan> plan_two_stage_reduce(const Request& request, const Row& row,
                                                          const Tuning& tuning);

/// The same over consecutive chunks, one work-item each.
std::shared_ptr<const detail::Plan> plan_chunked_reduce(const Request& request, const Row& row,
                                                        const Tuning& tuning);

/// The same over blocks of tiles, every operand in index order.
std::shared_ptr<const detail::Plan> plan_ordered_reduce(const Request& request, const Row& row,
                                                        const Tuning& tuning);

/// One kernel again and again, each time over the results of the time before, until one is left.
/// A group leaves one result of span_of() elements, or of all it walks where the tuning limits the
/// groups: then the second launch has one group.
/// Kernel: (input, input_offset, n, init, results, results_offset); whoever writes the only result
/// of a launch folds init in.
std::shared_ptr<const detail::Plan> plan_level_reduce(const Request& request, const Row& row,
                                                      const Tuning& tuning);

/// The same where every work-item leaves a result, as in a tree with a launch per level.
std::shared_ptr<const detail::Plan> plan_item_level_reduce(const Request& request, const Row& row,
                                                           const Tuning& tuning);

/// As plan_level_reduce, for kernels that work on a copy of their input in global memory; two more
/// parameters: (..., work, work_offset), of as many accumulators as the input has elements.
std::shared_ptr<const detail::Plan> plan_level_reduce_on_copy(const Request& request,
                                                              const Row& row, const Tuning& tuning);

/// One launch that combines into an atomic accumulator, which a fill makes ready.
/// Kernel: (input, input_offset, n, accumulator, accumulator_offset).
std::shared_ptr<const detail::Plan> plan_atomic_reduce(const Request& request, const Row& row,
                                                       const Tuning& tuning);

}  // namespace bifold::core
