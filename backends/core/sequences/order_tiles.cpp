#include "core/sequences/order_tiles.hpp"

#include <algorithm>
#include <bifold/order.hpp>
#include <bit>
#include <utility>

#include "core/kernel/architecture.hpp"
#include "core/plan/make_spec.hpp"

namespace bifold::core {

namespace {

// The group size nearest to `wanted` that divides a tile's warp tiles evenly among lane groups.
std::uint32_t whole_warp_tiles(std::uint32_t wanted) {
  constexpr std::uint32_t most = order_v1::scan_row_runs * order_v1::scan_warp_tiles;
  return std::clamp(std::bit_floor(wanted), order_v1::scan_row_runs, most);
}

// The most work-items whose exchange through local memory leaves room for other groups, where there
// is more of it than OpenCL promises, and for what the group keeps besides: results of warp tiles,
// in one of the rows for two tiles, and what the look-back tells.
std::uint32_t exchanging_items(const Device& device, const PlanShape& shape) {
  constexpr std::uint64_t most = 32768;
  const std::uint64_t each = AccumulatorLayout(shape.op, shape.accumulator).bytes;
  constexpr std::uint64_t told_bytes = 32;
  const std::uint64_t kept = (2 * order_v1::scan_warp_tiles + 10) * each + told_bytes;
  const std::uint64_t has = std::max(device.capabilities().local_bytes, kept);
  return static_cast<std::uint32_t>(std::min(most, has - kept) /
                                    (order_v1::scan_warp_tile_rows * each));
}

constexpr std::uint32_t vector_bytes = 16;

// Elements of a run that one access moves, results as well where these are `stored`. Structs have
// to fill vectors of words, and the runs that are stored have to be such vectors.
std::uint32_t vector_of(const PlanShape& shape, std::uint32_t run, bool stored) {
  if (!has_unit_stride(shape) || !shape.more_inputs.empty()) return 1;
  const auto in_vector = static_cast<std::uint32_t>(vector_bytes / size_of(shape.input));
  if (shape.input.is_struct() || (stored && shape.output.is_struct())) {
    const auto fills = [&](Type type) {
      return in_vector * size_of(type) == vector_bytes && !has_padding(type);
    };
    const bool fit = stored ? in_vector == run && fills(shape.output) : in_vector <= run;
    return fit && fills(shape.input) && !shape.second ? in_vector : 1;
  }
  if (shape.second && shape.second->is_struct()) return 1;
  const std::size_t widest =
      std::max({size_of(shape.input), size_of(stored ? shape.output : shape.input),
                size_of(shape.second.value_or(shape.input))});
  return std::min(run, static_cast<std::uint32_t>(vector_bytes / widest));
}

void add_constants(KernelSpec& spec, std::uint32_t run,
                   std::uint32_t warp_tile_rows = order_v1::scan_warp_tile_rows) {
  for (const auto& [name, value] : {
           std::pair<std::string_view, std::uint32_t>{"RUN", run},
           {"ROW_RUNS", order_v1::scan_row_runs},
           {"WARP_TILE_ROWS", warp_tile_rows},
           {"WARP_TILES", order_v1::scan_warp_tiles},
           {"SUPERTILE_TILES", order_v1::scan_group_tiles},
       }) {
    spec.defines.emplace_back(name, value);
  }
}

}  // namespace

void add_run_vectors(const PlanShape& shape, std::uint32_t run, bool stored, KernelSpec& spec) {
  const std::uint32_t elements = vector_of(shape, run, stored);
  spec.vector_width = elements;
  if (elements > 1 && shape.input.is_struct()) {
    spec.defines.emplace_back("LOAD_WORDS", vector_bytes / 4);
    spec.defines.emplace_back("LOADS_EACH", 1);
  }
}

PlannedKernel build_tile_kernel(const Request& request, const KernelPart& kernel,
                                const Tuning& tuning, std::string_view entry,
                                const Defines& defines) {
  static_assert(order_v1::scan_row_runs == 32, "a row takes the lanes that has_lanes_of_32 tells");
  std::uint32_t group_size = tuning.group_size.value();
  if (!has_lanes_of_32(request.device.capabilities())) {
    group_size = std::min(group_size, exchanging_items(request.device, request.shape));
  }
  Tuning values = tuning;
  values.group_size = whole_warp_tiles(group_size);
  KernelSpec spec = make_spec(request, kernel, values, entry);
  const std::uint32_t run = order_v1::scan_run(size_of(spec.accumulator));
  add_constants(spec, run);
  spec.defines.insert(spec.defines.end(), defines.begin(), defines.end());
  add_run_vectors(request.shape, run, true, spec);
  return build_kernel(request.device, spec);
}

PlannedKernel build_tile_kernel(const Request& request, const Row& row, const Tuning& tuning,
                                std::string_view entry) {
  return build_tile_kernel(request,
                           {.algorithm = row.variant.algorithm,
                            .family = row.variant.family,
                            .by_vectors = row.variant.requirements.vectors,
                            .stores_vectors = row.recipe.stores_vectors},
                           tuning, entry, {});
}

PlannedKernel build_ring_kernel(const Request& request, const Row& row, const Tuning& tuning,
                                const Defines& defines, std::uint32_t group_size,
                                std::uint32_t ring_bytes) {
  Tuning values = tuning;
  values.group_size = group_size;
  KernelSpec spec = make_spec(request, row, values, row.variant.family);
  add_constants(spec, request.layout.run, request.layout.warp_tile_rows);
  spec.defines.insert(spec.defines.end(), defines.begin(), defines.end());
  spec.defines.emplace_back("RUN_BYTES", request.layout.run_bytes);
  add_run_vectors(request.shape, order_v1::scan_run(size_of(spec.accumulator)), true, spec);
  spec.launch.local_bytes = ring_bytes;
  return build_kernel(request.device, spec);
}

PlannedKernel build_tile_loop(const Request& request, const Row& row, const Tuning& tuning,
                              std::string_view entry) {
  // Such a kernel is one work-item's, whatever a tuning says.
  Tuning values = tuning;
  values.group_size = 1;
  KernelSpec spec = make_spec(request, row, values, entry);
  add_constants(spec, order_v1::scan_run(size_of(spec.accumulator)));
  spec.defines.emplace_back("TILE", order_v1::scan_tile(size_of(request.shape.accumulator)));
  return build_kernel(request.device, spec);
}

}  // namespace bifold::core
