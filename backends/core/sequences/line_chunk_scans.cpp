#include "core/sequences/line_chunk_scans.hpp"

#include <algorithm>
#include <bifold/order.hpp>
#include <string_view>
#include <utility>

#include "core/device/state.hpp"
#include "core/plan/make_spec.hpp"
#include "core/plan/planning.hpp"
#include "core/sequences/line_kernels.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

// Lines that a vector has, which a work-item walks along at once.
constexpr std::uint32_t lanes = 8;
// What a work-item keeps of a strip of columns, so that the second cache holds it.
constexpr std::uint32_t kept_bytes = 81920;
// What neighbouring columns have of a row of memory at least: no two work-items share a cache line.
constexpr std::uint32_t shared_bytes = 64;

std::uint64_t tile_of(const PlanShape& shape) {
  return order_v1::scan_tile(size_of(shape.accumulator));
}

// Vectors of columns that a work-item has at once. A GPU has the private memory of all work-items.
std::uint32_t strip_lanes(const Request& request) {
  if (request.device.info().kind != DeviceKind::cpu) return 1;
  const PlanShape& shape = request.shape;
  constexpr std::uint32_t most = 64;
  // Prefixes of runs and of tiles, and what lies before.
  constexpr std::uint32_t kept = order_v1::scan_row_runs + order_v1::scan_group_tiles + 7;
  const auto bytes =
      static_cast<std::uint32_t>(AccumulatorLayout(shape.op, shape.accumulator).bytes);
  const std::uint32_t each = shape.op.exact(shape.accumulator) ? 1 : kept;
  return std::clamp(kept_bytes / (lanes * bytes * each), 1U, most);
}

class LineChunkScan final : public Plan {
 public:
  struct Kernels {
    PlannedKernel scan;
    PlannedKernel totals;
    bool across;
  };
  LineChunkScan(const Request& request, const gallery::Variant& variant, std::uint64_t most_groups,
                ByLayout<Kernels> kernels, PlannedKernel prefixes)
      : Plan(request, variant),
        tile_(tile_of(request.shape)),
        most_groups_(most_groups),
        most_width_(std::uint64_t{strip_lanes(request)} * lanes),
        units_(std::max<std::uint64_t>(request.device.capabilities().compute_units, 1)),
        kernels_(std::move(kernels)),
        prefixes_(std::move(prefixes)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return scratch_size_of_lines(n, 1);
  }
  [[nodiscard]] ScratchSize scratch_size_of_lines(std::uint64_t n,
                                                  std::uint64_t lines) const noexcept override {
    if (n <= tile_) return {};
    return accumulators(at_most(divide_up(n, tile_) + 1, std::min(lines, most_few())),
                        accumulator_bytes());
  }
  [[nodiscard]] Sizes serves() const noexcept override {
    return whole_classes(shape().sizes, {tile_});
  }

  void enqueue(const Call& call) const override {
    const Kernels& kernels = kernels_.of(call);
    const LinePlaces places = places_by_one_index(call);
    const LineChunks chunks = kernels.across ? columns_of(call, places) : rows_of(call);
    const std::uint64_t groups = groups_of(chunks.units, most_groups_, no_limit);
    // Where there are none, nobody reads them.
    const Range partials = chunks.tiles > 0 ? partials_of(call) : call.output;
    if (chunks.tiles > 0) {
      launch(call.queue, kernels.totals, groups, call.input, call.count, call.lines.count, partials,
             places, chunks);
      launch(call.queue, prefixes_, groups_of(call.lines.count.n, most_groups_, no_limit), partials,
             call.count, call.lines.count, call.init, places, chunks);
    }
    launch(call.queue, kernels.scan, groups, call.input, call.count, call.lines.count, call.init,
           partials, call.output, places, chunks, call.total);
  }

 private:
  // Lines that may come as tiles, at most.
  [[nodiscard]] std::uint64_t most_few() const noexcept {
    return 2 * units_ * std::max<std::uint64_t>(shared_bytes, lanes);
  }

  // Whether some processors would wait for others longer than it takes to read the input twice.
  [[nodiscard]] bool leaves_idle(std::uint64_t units) const noexcept {
    return units < 2 * units_ && 2 * divide_up(units, units_) * units_ > 3 * units;
  }

  // Lines of one inner index each become lines of one outer index, which are found sooner.
  [[nodiscard]] static LinePlaces places_by_one_index(const Call& call) {
    LinePlaces places = places_of(call);
    if (places.inner == 1) {
      places.inner = std::max<std::uint64_t>(call.lines.input.outer, 1);
      places.input.inner = places.input.outer;
      places.output.inner = places.output.outer;
    }
    return places;
  }

  [[nodiscard]] LineChunks rows_of(const Call& call) const {
    const std::uint64_t n = call.count.n;
    const std::uint64_t lines = std::max<std::uint64_t>(call.lines.count.n, 1);
    LineChunks chunks{};
    chunks.width = lanes;
    chunks.strips = 1;
    chunks.units = divide_up(lines, lanes);
    if (n <= tile_ || !leaves_idle(chunks.units)) return chunks;
    chunks.tiles = divide_up(n, tile_);
    // One more, which has the tile that is not full.
    chunks.strips = divide_up(n / tile_, lanes) + 1;
    chunks.units = lines * chunks.strips;
    return chunks;
  }

  [[nodiscard]] LineChunks columns_of(const Call& call, const LinePlaces& places) const {
    const std::uint64_t n = call.count.n;
    const std::uint64_t lines = std::max<std::uint64_t>(call.lines.count.n, 1);
    const std::uint64_t outer = divide_up(lines, places.inner);
    const std::uint64_t inner = std::min(places.inner, lines);
    const std::uint64_t whole = std::max<std::uint64_t>(shared_bytes / size_of(shape().output), 1);
    LineChunks chunks{};
    const auto share = [&](std::uint64_t strips) {
      chunks.width = divide_up(divide_up(inner, strips), whole) * whole;
      chunks.width = std::min(chunks.width, most_width_);
      chunks.strips = divide_up(inner, chunks.width);
      chunks.units = outer * chunks.strips;
    };
    const std::uint64_t least = divide_up(inner, most_width_);
    share(least);
    if (!leaves_idle(chunks.units)) return chunks;
    if (n <= tile_) {
      share(std::max(least, divide_up(2 * units_, outer)));
      return chunks;
    }
    chunks.tiles = divide_up(n, tile_);
    chunks.units *= chunks.tiles;
    return chunks;
  }

  std::uint64_t tile_;
  std::uint64_t most_groups_;
  std::uint64_t most_width_;
  std::uint64_t units_;
  ByLayout<Kernels> kernels_;
  PlannedKernel prefixes_;
};

}  // namespace

std::shared_ptr<const Plan> plan_line_chunk_scan(const Request& request, const Row& row,
                                                 const Tuning& tuning) {
  const bool has_totals = request.shape.sizes.last > tile_of(request.shape);
  const auto build = [&](const Request& of, std::string_view name) {
    KernelSpec spec = make_spec(of, {.algorithm = Algorithm::scan, .family = name}, {}, name);
    for (const auto& [define, value] : {
             std::pair<std::string_view, std::uint32_t>{
                 "RUN", order_v1::scan_run(size_of(of.shape.accumulator))},
             {"ROW_RUNS", order_v1::scan_row_runs},
             {"WARP_TILE_ROWS", order_v1::scan_warp_tile_rows},
             {"WARP_TILES", order_v1::scan_warp_tiles},
             {"SUPERTILE_TILES", order_v1::scan_group_tiles},
             {"STRIP_LANES", strip_lanes(of)},
         }) {
      spec.defines.emplace_back(define, value);
    }
    return build_kernel(of.device, spec);
  };
  ByLayout<LineChunkScan::Kernels> kernels(request, [&](const Request& of) {
    LineChunkScan::Kernels built{};
    built.across = of.shape.lines == LineLayout::across;
    built.scan = build(of, built.across ? "scan_column_chunks" : "scan_line_chunks");
    if (has_totals) {
      PlanShape totals = of.shape;
      totals.kind = ScanKind::inclusive;
      built.totals =
          build(of.with(totals), built.across ? "total_column_chunks" : "total_line_chunks");
    }
    return built;
  });
  PlannedKernel prefixes;
  if (has_totals) {
    PlanShape shape = over_accumulators(request.shape);
    shape.kind = ScanKind::inclusive;
    prefixes = build(request.with(shape), "prefix_line_chunks");
  }
  return std::make_shared<LineChunkScan>(request, row.variant, max_groups(request.device, tuning),
                                         std::move(kernels), std::move(prefixes));
}

}  // namespace bifold::core
