// Reductions of the segments of an array.
#pragma once

#include "core/plan/planning.hpp"

namespace bifold::core {

/// Short segments in a first launch, the nodes of long ones in a second and their trees in a third.
std::shared_ptr<const detail::Plan> plan_segment_reduce(const Request& request, const Row& row,
                                                        const Tuning& tuning);

/// The same for CPUs, by one work-item a group.
std::shared_ptr<const detail::Plan> plan_segment_chunk_reduce(const Request& request,
                                                              const Row& row, const Tuning& tuning);

}  // namespace bifold::core
