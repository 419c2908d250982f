// The launch sequences that rows are made of: one planner each.
#pragma once

#include "core/gallery/gallery_rows.hpp"

namespace bifold::core {

// Reductions.

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
/// One kernel again and again, each time over the results of the time before, until one is left.
/// A group leaves one result of span_of() elements, or of all it walks where the tuning limits the
/// groups: then the second launch has one group.
/// Kernel: (input, input_offset, n, init, results, results_offset); whoever writes the only result
/// of a launch folds init in.
std::shared_ptr<const detail::Plan> plan_level_reduce(const Device& device,
                                                      const gallery::Variant& variant,
                                                      const PlanShape& shape, const Tuning& tuning);
/// The same where every work-item leaves a result, as in a tree with a launch per level.
std::shared_ptr<const detail::Plan> plan_item_level_reduce(const Device& device,
                                                           const gallery::Variant& variant,
                                                           const PlanShape& shape,
                                                           const Tuning& tuning);
/// As plan_level_reduce, for kernels that work on a copy of their input in global memory; two more
/// parameters: (..., work, work_offset), of as many accumulators as the input has elements.
std::shared_ptr<const detail::Plan> plan_level_reduce_on_copy(const Device& device,
                                                              const gallery::Variant& variant,
                                                              const PlanShape& shape,
                                                              const Tuning& tuning);
/// One launch that combines into a single cell by atomics, which a fill makes ready.
/// Kernel: (input, input_offset, n, cell, cell_offset).
std::shared_ptr<const detail::Plan> plan_cell_reduce(const Device& device,
                                                     const gallery::Variant& variant,
                                                     const PlanShape& shape, const Tuning& tuning);
/// Order v1: subtrees of leaves, a group each, then one group over the subtrees.
/// Kernel: (input, input_offset, n, nodes, nodes_offset).
std::shared_ptr<const detail::Plan> plan_order_reduce(const Device& device,
                                                      const gallery::Variant& variant,
                                                      const PlanShape& shape, const Tuning& tuning);
/// The same in one launch. Kernel: (input, input_offset, n, work, init, result, places), places
/// being ReducePlaces; nodes and control words lie in `work`.
std::shared_ptr<const detail::Plan> plan_order_single_reduce(const Device& device,
                                                             const gallery::Variant& variant,
                                                             const PlanShape& shape,
                                                             const Tuning& tuning);
/// The same with one work-item per subtree, which is as large as the input asks for.
/// Kernel: (input, input_offset, n, leaves_per_node, nodes, nodes_offset).
std::shared_ptr<const detail::Plan> plan_order_chunk_reduce(const Device& device,
                                                            const gallery::Variant& variant,
                                                            const PlanShape& shape,
                                                            const Tuning& tuning);
/// The same in one launch. Kernel: (input, input_offset, n, leaves_per_node, work, init, result,
/// places), as that of plan_order_single_reduce.
std::shared_ptr<const detail::Plan> plan_order_single_chunk_reduce(const Device& device,
                                                                   const gallery::Variant& variant,
                                                                   const PlanShape& shape,
                                                                   const Tuning& tuning);
/// Order v1 in index order: the totals of a scan's tiles, a group each, then one group over them.
/// Kernel: (input, input_offset, n, nodes, nodes_offset).
std::shared_ptr<const detail::Plan> plan_order_tile_reduce(const Device& device,
                                                           const gallery::Variant& variant,
                                                           const PlanShape& shape,
                                                           const Tuning& tuning);
/// The same with work-items that loop over tiles.
std::shared_ptr<const detail::Plan> plan_order_tile_chunk_reduce(const Device& device,
                                                                 const gallery::Variant& variant,
                                                                 const PlanShape& shape,
                                                                 const Tuning& tuning);
/// Both in one launch. Kernels: (input, input_offset, n, work, init, result, places), as that of
/// plan_order_single_reduce.
std::shared_ptr<const detail::Plan> plan_order_single_tile_reduce(const Device& device,
                                                                  const gallery::Variant& variant,
                                                                  const PlanShape& shape,
                                                                  const Tuning& tuning);
std::shared_ptr<const detail::Plan> plan_order_single_tile_chunk_reduce(
    const Device& device, const gallery::Variant& variant, const PlanShape& shape,
    const Tuning& tuning);

// Scans.

/// Reduce blocks, scan their results, scan blocks; a block is some consecutive tiles.
std::shared_ptr<const detail::Plan> plan_reduce_then_scan(const Device& device,
                                                          const gallery::Variant& variant,
                                                          const PlanShape& shape,
                                                          const Tuning& tuning);
/// The same over consecutive chunks, one work-item each.
std::shared_ptr<const detail::Plan> plan_chunked_scan(const Device& device,
                                                      const gallery::Variant& variant,
                                                      const PlanShape& shape, const Tuning& tuning);
/// Blocks of span_of() elements, recursively: reduce every block, scan the results the same way,
/// scan every block from there.
/// Kernels: reduce_blocks (input, input_offset, n, totals, totals_offset) and scan_blocks (input,
/// input_offset, n, carries, carries_offset, init, output, output_offset), where a launch of one
/// group takes init for its carry.
std::shared_ptr<const detail::Plan> plan_level_scan(const Device& device,
                                                    const gallery::Variant& variant,
                                                    const PlanShape& shape, const Tuning& tuning);
/// One launch, a group per tile, tiles that wait for earlier ones.
std::shared_ptr<const detail::Plan> plan_lookback(const Device& device,
                                                  const gallery::Variant& variant,
                                                  const PlanShape& shape, const Tuning& tuning);
/// The same with tiles that begin where packs do.
std::shared_ptr<const detail::Plan> plan_aligned_lookback(const Device& device,
                                                          const gallery::Variant& variant,
                                                          const PlanShape& shape,
                                                          const Tuning& tuning);
/// One launch in order v1: a group per tile, tiles that wait for earlier ones. Kernel: as
/// plan_lookback.
std::shared_ptr<const detail::Plan> plan_order_lookback(const Device& device,
                                                        const gallery::Variant& variant,
                                                        const PlanShape& shape,
                                                        const Tuning& tuning);
/// One launch in order v1: a group per compute unit that draws one tile after the other. Kernel: as
/// plan_lookback.
std::shared_ptr<const detail::Plan> plan_order_ring(const Device& device,
                                                    const gallery::Variant& variant,
                                                    const PlanShape& shape, const Tuning& tuning);
/// One launch in order v1, of groups that draw one tile after the other, each before it has done
/// with the one before. Kernel: as plan_lookback.
std::shared_ptr<const detail::Plan> plan_order_ahead(const Device& device,
                                                     const gallery::Variant& variant,
                                                     const PlanShape& shape, const Tuning& tuning);
/// One launch in order v1, of groups of one work-item that draw a few tiles at a time until none is
/// left. Kernel: as plan_lookback.
std::shared_ptr<const detail::Plan> plan_order_drawn(const Device& device,
                                                     const gallery::Variant& variant,
                                                     const PlanShape& shape, const Tuning& tuning);
/// Three launches in order v1: totals of tiles, their prefixes, the tiles from there.
std::shared_ptr<const detail::Plan> plan_order_passes(const Device& device,
                                                      const gallery::Variant& variant,
                                                      const PlanShape& shape, const Tuning& tuning);
/// The same with work-items that loop over tiles.
std::shared_ptr<const detail::Plan> plan_order_chunks(const Device& device,
                                                      const gallery::Variant& variant,
                                                      const PlanShape& shape, const Tuning& tuning);

}  // namespace bifold::core
