// The launch sequences that rows are made of: one planner each.
#pragma once

#include "core/gallery_rows.hpp"

namespace bifold::core {

/// Accumulate per group, then one group over the partial results.
std::shared_ptr<const detail::Plan> plan_two_stage_reduce(const Device& device,
                                                          const gallery::Variant& variant,
                                                          const PlanShape& shape,
                                                          const Tuning& tuning);
/// The same over consecutive chunks, one work-item each.
std::shared_ptr<const detail::Plan> plan_chunked_reduce(const Device& device,
                                                        const gallery::Variant& variant,
                                                        const PlanShape& shape,
                                                        const Tuning& tuning);
/// The same over blocks of tiles, every operand in index order.
std::shared_ptr<const detail::Plan> plan_ordered_reduce(const Device& device,
                                                        const gallery::Variant& variant,
                                                        const PlanShape& shape,
                                                        const Tuning& tuning);
/// Reduce blocks, scan their results, scan blocks; a block is some consecutive tiles.
std::shared_ptr<const detail::Plan> plan_reduce_then_scan(const Device& device,
                                                          const gallery::Variant& variant,
                                                          const PlanShape& shape,
                                                          const Tuning& tuning);
/// The same over consecutive chunks, one work-item each.
std::shared_ptr<const detail::Plan> plan_chunked_scan(const Device& device,
                                                      const gallery::Variant& variant,
                                                      const PlanShape& shape, const Tuning& tuning);
/// One launch, a group per tile, tiles that wait for earlier ones.
std::shared_ptr<const detail::Plan> plan_lookback(const Device& device,
                                                  const gallery::Variant& variant,
                                                  const PlanShape& shape, const Tuning& tuning);

}  // namespace bifold::core
