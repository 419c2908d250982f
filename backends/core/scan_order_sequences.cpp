// The scans in order v1.
#include <algorithm>
#include <bifold/order.hpp>
#include <bit>
#include <limits>
#include <utility>

#include "core/lookback.hpp"
#include "core/planning.hpp"
#include "core/sequences.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

// Totals of tiles, their prefixes, the tiles from there.
class OrderPasses final : public Plan {
 public:
  struct Kernels {
    PlannedKernel total;
    PlannedKernel prefix;
    PlannedKernel scan;
  };
  OrderPasses(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
              std::uint64_t max_groups, Kernels kernels)
      : Plan(device, variant, shape),
        tile_(order_v1::scan_tile(size_of(shape.accumulator))),
        max_groups_(max_groups),
        kernels_(std::move(kernels)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return accumulators(n / tile_ + 1, size_of(shape().accumulator));
  }

  void enqueue(const Call& call) const override {
    // Nothing lies behind a tile that is not full: nobody asks for its total.
    const std::uint64_t n = call.count.n;
    const std::uint64_t totals = n / tile_;
    const Range partials = partials_of(call);
    if (totals > 0) {
      launch(call.queue, kernels_.total, groups(totals), call.input, totals * tile_, partials);
    }
    launch(call.queue, kernels_.prefix, 1, partials, totals, call.init);
    launch(call.queue, kernels_.scan, groups(divide_up(n, tile_)), call.input, n, partials,
           call.output);
  }

 private:
  [[nodiscard]] std::uint64_t groups(std::uint64_t tiles) const noexcept {
    return std::min(tiles, max_groups_);
  }

  std::uint64_t tile_;
  std::uint64_t max_groups_;
  Kernels kernels_;
};

// The group size nearest to `wanted` that divides a tile's strips evenly among lane groups.
std::uint32_t whole_strips(std::uint32_t wanted) {
  constexpr std::uint32_t most = order_v1::scan_row_runs * order_v1::scan_tile_strips;
  return std::clamp(std::bit_floor(wanted), order_v1::scan_row_runs, most);
}

// The most work-items whose exchange through local memory leaves room for other groups.
std::uint32_t exchanging_items(Type accumulator) {
  constexpr std::size_t bytes = 32768;
  return static_cast<std::uint32_t>(bytes / (order_v1::scan_strip_rows * size_of(accumulator)));
}

// Elements of a run that one access moves.
std::uint32_t pack_of(const PlanShape& shape) {
  constexpr std::size_t pack_bytes = 16;
  if (shape.input.is_struct() || shape.output.is_struct()) return 1;
  const std::size_t widest = std::max(size_of(shape.input), size_of(shape.output));
  return std::min(order_v1::scan_run(size_of(shape.accumulator)),
                  static_cast<std::uint32_t>(pack_bytes / widest));
}

void add_constants(KernelSpec& spec) {
  for (const auto& [name, value] : {
           std::pair<std::string_view, std::uint32_t>{
               "RUN", order_v1::scan_run(size_of(spec.accumulator))},
           {"ROW_RUNS", order_v1::scan_row_runs},
           {"STRIP_ROWS", order_v1::scan_strip_rows},
           {"TILE_STRIPS", order_v1::scan_tile_strips},
           {"GROUP_TILES", order_v1::scan_group_tiles},
       }) {
    spec.defines.emplace_back(name, value);
  }
}

// The spec of an entry whose groups hold a tile in registers.
KernelSpec tile_spec(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
                     const Tuning& tuning, std::string_view entry) {
  static_assert(order_v1::scan_row_runs == 32, "a row takes the lanes that has_lanes_of_32 tells");
  std::uint32_t group_size = tuning.get("GROUP_SIZE");
  if (!has_lanes_of_32(device)) {
    group_size = std::min(group_size, exchanging_items(shape.accumulator));
  }
  Tuning values = tuning;
  values.set("GROUP_SIZE", whole_strips(group_size));
  KernelSpec spec = make_spec(device, variant, shape, values, entry);
  add_constants(spec);
  spec.defines.emplace_back("VEC", pack_of(shape));
  return spec;
}

// The spec of an entry whose work-items loop over tiles.
KernelSpec chunk_spec(const PlanShape& shape, std::string_view entry) {
  KernelSpec spec;
  spec.family = "scan_order_chunks";
  spec.entry = entry;
  spec.prelude = {"blocks"};
  spec.input = shape.input;
  spec.accumulator = shape.accumulator;
  spec.output = shape.output;
  spec.op = shape.op;
  spec.map = shape.map;
  add_constants(spec);
  spec.defines.emplace_back("TILE", order_v1::scan_tile(size_of(shape.accumulator)));
  spec.defines.emplace_back("INCLUSIVE", shape.kind == ScanKind::inclusive ? 1 : 0);
  return spec;
}

}  // namespace

std::shared_ptr<const Plan> plan_order_lookback(const Device& device,
                                                const gallery::Variant& variant,
                                                const PlanShape& shape, const Tuning& tuning) {
  const PublishedTiles tiles{order_v1::scan_tile(size_of(shape.accumulator)),
                             order_v1::scan_group_tiles};
  return make_lookback(
      device, variant, shape, tiles,
      build_kernel(device, tile_spec(device, variant, shape, tuning, variant.family)));
}

std::shared_ptr<const Plan> plan_order_passes(const Device& device, const gallery::Variant& variant,
                                              const PlanShape& shape, const Tuning& tuning) {
  const bool loops = tuning.get_or("GROUP_SIZE", 0) == 0;
  const auto kernel = [&](std::string_view entry, std::string_view loop) {
    return build_kernel(
        device, loops ? chunk_spec(shape, loop) : tile_spec(device, variant, shape, tuning, entry));
  };
  return std::make_shared<OrderPasses>(
      device, variant, shape,
      loops ? max_groups(device, tuning) : std::numeric_limits<std::uint64_t>::max(),
      OrderPasses::Kernels{kernel("total_tiles", "total_chunks"),
                           kernel("prefix_tiles", "prefix_chunks"),
                           kernel("scan_tiles", "scan_chunks")});
}

}  // namespace bifold::core
