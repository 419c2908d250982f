// The kernels over tiles of order v1, for its scans and for reductions in index order, and over
// rings of tiles in local memory, which groups that stay fill ahead of what they compute.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/plan/make_spec.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/planning.hpp"

namespace bifold::core {

/// What kernels over warp tiles of order v1 are told of these: runs of so many elements, and rows.
void add_tile_constants(KernelSpec& spec, std::uint32_t run, std::uint32_t warp_tile_rows);

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

/// A kernel whose work-items loop over tiles.
PlannedKernel build_tile_loop(const Request& request, const Row& row, const Tuning& tuning,
                              std::string_view entry);

/// What a ring has beside its tiles.
struct RingNeeds {
  std::uint32_t gathered_bytes = 0;  ///< Behind the stages, where results are gathered.
  std::uint32_t noted_bytes = 0;     ///< What warps note for each other of a tile on its way.
  std::uint32_t lead_bytes = 0;      ///< Of what lies before a tile: 0, or a vector.
};

/// The local memory of a ring.
struct RingMemory {
  std::uint32_t stages;       ///< Tiles that it holds.
  std::uint32_t stage_bytes;  ///< Of a tile, and of lines for its offset and what leads it.
  std::uint32_t state_bytes;  ///< What the roles of warps tell each other, which lies apart.
  RingNeeds needs;
};

/// Elements of a tile.
std::uint32_t ring_tile(const Layout& layout) noexcept;

/// Bytes in which the results of all warp tiles are gathered. With `offset`, each has a line more,
/// and is as far from one as in the output.
std::uint32_t gathered_bytes(const PlanShape& shape, const Layout& layout, bool offset) noexcept;

/// A ring of at most `stages`, as many as the device has room for beside the rest.
RingMemory ring_memory(const Request& request, Type accumulator, std::uint32_t stages,
                       const RingNeeds& needs);

/// A kernel over a ring, of whose groups `looking` warps look back, with what the planner has
/// `defines` for. Its accumulators are those of the request's shape.
PlannedKernel build_ring_kernel(const Request& request, const Row& row, const Tuning& tuning,
                                const RingMemory& memory, std::uint32_t looking, Defines defines);

}  // namespace bifold::core
