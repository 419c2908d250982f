// The reduction of many lines in order v1 for CPUs.
#pragma once

#include <memory>

#include "core/plan/row.hpp"
#include "core/shape/request.hpp"

namespace bifold::core {

/// One launch if lines have one leaf, else reduce_line_nodes_chunks behind it. Kernel: (input,
/// input_offset, n, lines, init, nodes, nodes_offset, result, result_offset, LinePlaces,
/// LineStrips).
std::shared_ptr<const detail::Plan> plan_line_chunk_reduce(const Request& request, const Row& row,
                                                           const Tuning& tuning);

}  // namespace bifold::core
