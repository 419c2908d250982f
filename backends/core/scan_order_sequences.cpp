// The scans in order v1.
#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/order.hpp>
#include <bit>
#include <limits>
#include <utility>

#include "core/planning.hpp"
#include "core/sequences.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

// One launch, a group per tile.
class OrderLookback final : public Plan {
 public:
  OrderLookback(const Device& device, const gallery::Variant& variant, const PlanShape& shape,
                PlannedKernel kernel)
      : Plan(device, variant, shape),
        tile_(order_v1::scan_tile(size_of(shape.accumulator))),
        ordered_(device.capabilities().acquire_release),
        kernel_(std::move(kernel)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    // The totals of the tiles, and the prefixes of the groups and of one more.
    const std::uint64_t tiles = divide_up(n, tile_);
    const std::uint64_t values = tiles + tiles / order_v1::scan_group_tiles + 1;
    return {(control_words + values * value_words()) * word_bytes, 0};
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t tiles = divide_up(call.count.n, tile_);
    if (tiles > std::numeric_limits<std::uint32_t>::max()) {
      throw Error(ErrorCategory::unsupported,
                  "a single-pass scan counts its tiles in 32 bits; this input has more");
    }
    if (call.in_place && !ordered_) {
      throw Error(ErrorCategory::unsupported,
                  "a single-pass scan in place needs device-scope acquire and release, which this "
                  "device does not promise");
    }
    const Range control{call.scratch.tagged, call.scratch.tagged_offset / word_bytes};
    const std::uint64_t capacity = call.scratch.tagged_bytes / word_bytes - control_words;
    launch(call.queue, kernel_, tiles, call.input, call.count.n, call.output, call.init, control,
           capacity, tiles);
  }

 private:
  static constexpr std::uint64_t word_bytes = 8;
  static constexpr std::uint64_t control_words = 2;

  // As ACC_WORDS in words: 32 bits of a value travel in one word.
  [[nodiscard]] std::uint64_t value_words() const noexcept {
    return divide_up(size_of(shape().accumulator), 4);
  }

  std::uint64_t tile_;
  bool ordered_;
  PlannedKernel kernel_;
};

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

// The lanes of a row: the device's lane groups where they are as wide, else local memory.
bool has_row_lanes(const Device& device) {
  const Capabilities& has = device.capabilities();
  return has.lanes != "local" && has.subgroup_width == order_v1::scan_row_runs;
}

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
  const bool row_lanes = has_row_lanes(device);
  std::uint32_t group_size = tuning.get("GROUP_SIZE");
  if (!row_lanes) group_size = std::min(group_size, exchanging_items(shape.accumulator));
  Tuning values = tuning;
  values.set("GROUP_SIZE", whole_strips(group_size));
  KernelSpec spec = make_spec(device, variant, shape, values, entry);
  add_constants(spec);
  spec.defines.emplace_back("VEC", pack_of(shape));
  if (row_lanes) {
    spec.prelude.insert(spec.prelude.begin(), "lanes_" + device.capabilities().lanes);
  } else {
    for (std::string& file : spec.prelude) {
      if (file == "order_lanes" || file == "order_lookback") file.insert(0, "lanes_");
    }
    std::erase_if(spec.defines, [](const auto& define) { return define.first == "LANES"; });
  }
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
  return std::make_shared<OrderLookback>(
      device, variant, shape,
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
