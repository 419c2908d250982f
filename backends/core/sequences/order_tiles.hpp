// The kernels over tiles of order v1, for its scans and for reductions in index order.
#pragma once

#include <string_view>

#include "core/plan/make_spec.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/planning.hpp"

namespace bifold::core {

/// How lanes load runs of so many elements, and whether they store them alike: adds VEC, and what
/// loads of structs want.
void add_run_vectors(const PlanShape& shape, std::uint32_t run, bool stored, KernelSpec& spec);

/// A kernel whose groups hold a tile in registers, with what the planner has `defines` for.
PlannedKernel build_tile_kernel(const Request& request, const KernelPart& kernel,
                                const Tuning& tuning, std::string_view entry,
                                const Defines& defines);
/// The same of the row's own part.
PlannedKernel build_tile_kernel(const Request& request, const Row& row, const Tuning& tuning,
                                std::string_view entry);

/// A kernel whose groups have `group_size` work-items and a ring of tiles in `ring_bytes` of local
/// memory, with what the planner has `defines` for.
PlannedKernel build_ring_kernel(const Request& request, const Row& row, const Tuning& tuning,
                                const Defines& defines, std::uint32_t group_size,
                                std::uint32_t ring_bytes);

/// A kernel whose work-items loop over tiles.
PlannedKernel build_tile_loop(const Request& request, const Row& row, const Tuning& tuning,
                              std::string_view entry);

}  // namespace bifold::core
