#include "core/sequences/line_scans.hpp"

#include <algorithm>
#include <bifold/order.hpp>
#include <bit>
#include <utility>

#include "core/sequences/line_kernels.hpp"
#include "core/shape/line_extent.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

std::uint32_t run_of(const PlanShape& shape) {
  return order_v1::scan_run(size_of(shape.accumulator));
}

// Rows that a warp has of a block. More than one would only cost compilers for CPUs seconds.
std::uint32_t rows_of(const Request& request) {
  return request.device.info().kind == DeviceKind::cpu ? 1 : 4;
}

// Groups that a multiprocessor is to hold at once. Without a number, a compiler takes the registers
// of all for one. Three leave enough for accumulators of up to 8 bytes.
std::uint32_t groups_held(const PlanShape& shape) {
  return AccumulatorLayout(shape.op, shape.accumulator).bytes <= 8 ? 3 : 1;
}

Defines tile_defines(const Request& request) {
  return {{"RUN", run_of(request.shape)},
          {"ROW_RUNS", order_v1::scan_row_runs},
          {"WARP_TILE_ROWS", order_v1::scan_warp_tile_rows},
          {"WARP_TILES", order_v1::scan_warp_tiles},
          {"LINE_ROWS", rows_of(request)},
          {"GROUPS_HELD", groups_held(request.shape)}};
}

// Runs of a line that is short.
constexpr std::uint32_t short_runs = 4;

// The kernel of each layout that calls may bring.
LineKernels build_for_layouts(const Request& request, Algorithm algorithm, std::string_view along,
                              std::string_view across, const Tuning& tuning) {
  // What a work-item keeps in local memory: two states for each of its slots, and what it
  // exchanges.
  constexpr std::uint32_t kept_along = 6;
  constexpr std::uint32_t kept_across = 1;
  LineKernels kernels;
  const LineLayout asked = request.shape.lines;
  if (asked != LineLayout::across) {
    kernels.along = build_line_kernel(request, algorithm, along, tuning, tile_defines(request),
                                      kept_along, true);
  }
  if (asked == LineLayout::across || asked == LineLayout::any) {
    // Rows in registers leave room for few work-items, which small groups share out best.
    Tuning values = tuning;
    values.group_size = std::min(tuning.group_size.value(), 128U);
    const auto build = [&](std::uint32_t runs) {
      Defines defines = tile_defines(request);
      defines.emplace_back("KEPT_RUNS", runs);
      return build_line_kernel(request, algorithm, across, values, defines, kept_across);
    };
    kernels.across = build(order_v1::scan_row_runs);
    if (algorithm == Algorithm::scan && across == "scan_columns") {
      kernels.short_across = build(short_runs);
    }
  }
  return kernels;
}

bool goes_across(const Call& call, const LineKernels& kernels) {
  return kernels.across.kernel != nullptr &&
         (layout_of(call.lines.input) == LineLayout::across || kernels.along.kernel == nullptr);
}

// A slot has as many lanes of a row as a line takes, and of longer lines several rows.
LineTiles tiles_along(const Call& call, std::uint32_t group, const LineBlock& block,
                      std::uint64_t tile) {
  const std::uint64_t n = call.count.n;
  const std::uint64_t full = shift_of(order_v1::scan_row_runs);
  LineTiles tiles{};
  tiles.lane_shift = std::min(shift_of(divide_up(n, block.run)), full);
  tiles.tiles = std::max<std::uint64_t>(divide_up(n, tile), 1);
  const std::uint64_t rows_of_group = shift_of(group / order_v1::scan_row_runs * block.rows);
  if (tiles.lane_shift == full) {
    const std::uint64_t rows = divide_up(std::min(n, tile), order_v1::scan_row_runs * block.run);
    tiles.row_shift = std::min(shift_of(rows), shift_of(block.rows));
  }
  const std::uint64_t slot_shift = rows_of_group + full - tiles.lane_shift - tiles.row_shift;
  tiles.blocks = divide_up(call.lines.count.n * tiles.tiles, std::uint64_t{1} << slot_shift);
  return tiles;
}

// A warp has a row of as many neighbouring lines as there are, up to its lanes; the rest of a group
// has the next rows, and what is left then other lines.
ColumnTiles tiles_across(const Call& call, std::uint32_t group, const LineBlock& block,
                         std::uint64_t tile) {
  const std::uint64_t n = call.count.n;
  ColumnTiles tiles{};
  const std::uint64_t group_shift = shift_of(group);
  tiles.line_shift =
      std::min({shift_of(call.lines.input.inner), shift_of(order_v1::scan_row_runs), group_shift});
  const std::uint64_t rows = divide_up(std::min(n, tile), order_v1::scan_row_runs * block.run);
  tiles.row_shift = std::min(shift_of(rows), group_shift - tiles.line_shift);
  tiles.tiles = std::max<std::uint64_t>(divide_up(n, tile), 1);
  const std::uint64_t units =
      divide_up(call.lines.count.n, std::uint64_t{1} << tiles.line_shift) * tiles.tiles;
  tiles.blocks =
      divide_up(units, std::uint64_t{1} << (group_shift - tiles.line_shift - tiles.row_shift));
  return tiles;
}

LineBlock block_of(const Request& request) { return {run_of(request.shape), rows_of(request)}; }

class LineScan final : public Plan {
 public:
  LineScan(const Request& request, const gallery::Variant& variant, LineTotals totals,
           PlannedKernel prefixes, LineKernels scan)
      : Plan(request, variant),
        block_(block_of(request)),
        totals_(std::move(totals)),
        prefixes_(std::move(prefixes)),
        scan_(std::move(scan)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return scratch_size_of_lines(n, 1);
  }
  [[nodiscard]] ScratchSize scratch_size_of_lines(std::uint64_t n,
                                                  std::uint64_t lines) const noexcept override {
    if (n <= totals_.tile()) return {};
    return accumulators(at_most(divide_up(n, totals_.tile()) + 1, lines), accumulator_bytes());
  }

  void enqueue(const Call& call) const override {
    const std::uint64_t tiles = divide_up(call.count.n, totals_.tile());
    // Where there are none, nobody reads them.
    Range partials = call.output;
    if (tiles > 1) {
      partials = partials_of(call);
      totals_.enqueue(call, partials, tiles + 1);
      launch(call.queue, prefixes_, groups_of_blocks(call.lines.count.n), partials, tiles,
             call.count, call.lines.count, call.init, places_of(call));
    }
    const auto scan = [&](const PlannedKernel& kernel, const auto& shares) {
      launch(call.queue, kernel, groups_of_blocks(shares.blocks), call.input, call.count,
             call.lines.count, call.init, partials, call.output, places_of(call), shares,
             call.total);
    };
    if (goes_across(call, scan_)) {
      const bool is_short = call.count.n <= short_runs * block_.run;
      const PlannedKernel& kernel = is_short ? scan_.short_across : scan_.across;
      scan(kernel, tiles_across(call, kernel.group_size, block_, totals_.tile()));
    } else {
      scan(scan_.along, tiles_along(call, scan_.along.group_size, block_, totals_.tile()));
    }
  }

 private:
  LineBlock block_;
  LineTotals totals_;
  PlannedKernel prefixes_;
  LineKernels scan_;
};

}  // namespace

LineTotals::LineTotals(const Request& request, Algorithm algorithm, const Tuning& tuning)
    : tile_(order_v1::scan_tile(size_of(request.shape.accumulator))),
      block_(block_of(request)),
      kernels_(build_for_layouts(request.with(to_accumulators(request.shape)), algorithm,
                                 "total_line_tiles", "total_column_tiles", tuning)) {}

void LineTotals::enqueue(const Call& call, const Range& partials, std::uint64_t each) const {
  const auto total = [&](const PlannedKernel& kernel, const auto& shares) {
    launch(call.queue, kernel, groups_of_blocks(shares.blocks), call.input, call.count,
           call.lines.count, partials, each, places_of(call), shares);
  };
  if (goes_across(call, kernels_)) {
    total(kernels_.across, tiles_across(call, kernels_.across.group_size, block_, tile_));
  } else {
    total(kernels_.along, tiles_along(call, kernels_.along.group_size, block_, tile_));
  }
}

std::shared_ptr<const Plan> plan_line_scan(const Request& request, const Row& row,
                                           const Tuning& tuning) {
  PlanShape prefixes = request.shape;
  prefixes.input = prefixes.accumulator;
  prefixes.output = prefixes.accumulator;
  prefixes.map = {};
  Tuning values = tuning;
  values.group_size = std::min(tuning.group_size.value(), 256U);
  // A warp exchanges a value of each row of a warp tile, and keeps its total.
  constexpr std::uint32_t exchanged_each = order_v1::scan_warp_tile_rows + 1;
  return std::make_shared<LineScan>(
      request, row.variant, LineTotals(request, Algorithm::scan, tuning),
      build_line_kernel(request.with(prefixes), Algorithm::scan, "prefix_line_tiles", values,
                        tile_defines(request), exchanged_each),
      build_for_layouts(request, Algorithm::scan, "scan_lines", "scan_columns", tuning));
}

}  // namespace bifold::core
