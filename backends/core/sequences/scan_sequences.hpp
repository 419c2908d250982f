// The launch sequences of scans whose order is not v1: one planner each.
#pragma once

#include <memory>

#include "core/plan/row.hpp"
#include "core/shape/request.hpp"

namespace bifold::core {

/// Reduce blocks, scan their results, scan blocks; a block is some consecutive tiles.
std::shared_ptr<const detail::Plan> plan_reduce_then_scan(const Request& request, const Row& row,
                                                          const Tuning& tuning);

/// The same over consecutive chunks, one work-item each.
std::shared_ptr<const detail::Plan> plan_chunked_scan(const Request& request, const Row& row,
                                                      const Tuning& tuning);

/// Blocks of span_of() elements, recursively: reduce every block, scan the results the same way,
/// scan every block from there.
/// Kernels: reduce_blocks (input, input_offset, n, totals, totals_offset) and scan_blocks (input,
/// input_offset, n, carries, carries_offset, init, output, output_offset), where a launch of one
/// group takes init for its carry.
std::shared_ptr<const detail::Plan> plan_level_scan(const Request& request, const Row& row,
                                                    const Tuning& tuning);

/// One launch, a group per tile, tiles that wait for earlier ones.
std::shared_ptr<const detail::Plan> plan_lookback(const Request& request, const Row& row,
                                                  const Tuning& tuning);

/// The same with tiles that begin where vectors do.
std::shared_ptr<const detail::Plan> plan_aligned_lookback(const Request& request, const Row& row,
                                                          const Tuning& tuning);

}  // namespace bifold::core
