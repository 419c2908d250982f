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

constexpr std::uint32_t line_bytes = 128;

// What the roles tell each other, which is signals, tiles and accumulators (`Ring` in order_ring),
// and what lanes exchange by.
std::uint32_t told_bytes(std::uint32_t stages, std::uint32_t accumulator_bytes) {
  const std::uint32_t slots = stages + 1;
  const std::uint32_t words = 2 * stages + 3 * slots + slots + 2;
  return 8 * words + slots * (order_v1::scan_warp_tiles + 3) * accumulator_bytes + 256;
}

}  // namespace

void add_tile_constants(KernelSpec& spec, std::uint32_t run, std::uint32_t warp_tile_rows) {
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
  add_tile_constants(spec, run, order_v1::scan_warp_tile_rows);
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

PlannedKernel build_tile_loop(const Request& request, const Row& row, const Tuning& tuning,
                              std::string_view entry) {
  // Such a kernel is one work-item's, whatever a tuning says.
  Tuning values = tuning;
  values.group_size = 1;
  KernelSpec spec = make_spec(request, row, values, entry);
  add_tile_constants(spec, order_v1::scan_run(size_of(spec.accumulator)),
                     order_v1::scan_warp_tile_rows);
  spec.defines.emplace_back("TILE", order_v1::scan_tile(size_of(request.shape.accumulator)));
  return build_kernel(request.device, spec);
}

std::uint32_t ring_tile(const Layout& layout) noexcept {
  return layout.run * order_v1::scan_row_runs * layout.warp_tile_rows * order_v1::scan_warp_tiles;
}

std::uint32_t gathered_bytes(const PlanShape& shape, const Layout& layout, bool offset) noexcept {
  const auto each = static_cast<std::uint32_t>(size_of(shape.output));
  return ring_tile(layout) * each + (offset ? order_v1::scan_warp_tiles * line_bytes : 0);
}

RingMemory ring_memory(const Request& request, Type accumulator, std::uint32_t stages,
                       const RingNeeds& needs) {
  const auto bytes = static_cast<std::uint32_t>(size_of(accumulator));
  const auto element = static_cast<std::uint32_t>(size_of(request.shape.input));
  // A tile starts as far from a line as in the input, for which a stage has a line more.
  const std::uint32_t lines = needs.lead_bytes > 0 ? 2 : 1;
  const std::uint32_t stage_bytes = ring_tile(request.layout) * element + lines * line_bytes;
  const auto needed = [&](std::uint32_t with) {
    return with * stage_bytes + (with + 1) * needs.noted_bytes + needs.gathered_bytes +
           told_bytes(with, bytes);
  };
  while (needed(stages) > request.device.capabilities().ring_bytes) --stages;
  return {stages, stage_bytes, told_bytes(stages, bytes), needs};
}

PlannedKernel build_ring_kernel(const Request& request, const Row& row, const Tuning& tuning,
                                const RingMemory& memory, std::uint32_t looking, Defines defines) {
  const std::uint32_t lane_groups =
      tuning.reducing.value() + order_v1::scan_warp_tiles + looking + 1;
  Tuning values = tuning;
  values.stages = memory.stages;
  values.group_size = order_v1::scan_row_runs * lane_groups;
  KernelSpec spec = make_spec(request, row, values, row.variant.family);
  add_tile_constants(spec, request.layout.run, request.layout.warp_tile_rows);
  defines.emplace_back("RING_STATE_BYTES", memory.state_bytes);
  defines.emplace_back("GATHERED_VECTORS", memory.needs.gathered_bytes / vector_bytes);
  if (memory.needs.lead_bytes > 0) {
    defines.emplace_back("LEAD_BYTES", memory.needs.lead_bytes);
  }
  defines.emplace_back("RUN_BYTES", request.layout.run_bytes);
  spec.defines.insert(spec.defines.end(), defines.begin(), defines.end());
  add_run_vectors(request.shape, order_v1::scan_run(size_of(spec.accumulator)), true, spec);
  spec.launch.local_bytes = memory.stages * memory.stage_bytes + memory.needs.gathered_bytes;
  return build_kernel(request.device, spec);
}

}  // namespace bifold::core
