#include "core/sequences/line_scans.hpp"

#include <algorithm>
#include <bifold/order.hpp>
#include <bit>
#include <limits>
#include <utility>

#include "core/kernel/architecture.hpp"
#include "core/sequences/lookback.hpp"
#include "core/sequences/order_tiles.hpp"
#include "core/shape/line_extent.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

std::uint32_t run_of(const PlanShape& shape) {
  return order_v1::scan_run(size_of(shape.accumulator));
}

// Where no order shows, narrow elements that are neighbours come in runs of 16 bytes.
std::uint32_t long_run_of(const Request& request) {
  constexpr std::size_t narrow = 2;
  constexpr std::size_t vector_bytes = 16;
  const PlanShape& shape = request.shape;
  const std::size_t widest =
      std::max({size_of(shape.input), size_of(shape.output), size_of(shape.accumulator)});
  const bool fits = widest <= narrow && !shape.second && shape.lines == LineLayout::rows &&
                    shape.op.exact(shape.accumulator) &&
                    has_lanes_of_32(request.device.capabilities());
  return fits ? static_cast<std::uint32_t>(vector_bytes / widest) : run_of(shape);
}

// More rows than one would only cost compilers for CPUs seconds.
ShortRows short_rows_of(const Request& request, std::uint32_t run) {
  if (request.device.info().kind == DeviceKind::cpu) return {run, 1};
  return {run, run > run_of(request.shape) ? 2U : 4U};
}

// Groups that a multiprocessor is to hold at once. Without a number, a compiler takes the registers
// of all for one. Three leave enough for accumulators of up to 8 bytes.
std::uint32_t groups_held(const PlanShape& shape) {
  return AccumulatorLayout(shape.op, shape.accumulator).bytes <= 8 ? 3 : 1;
}

Defines row_defines(const Request& request) {
  return {{"RUN", run_of(request.shape)},
          {"ROW_RUNS", order_v1::scan_row_runs},
          {"WARP_TILE_ROWS", order_v1::scan_warp_tile_rows},
          {"WARP_TILES", order_v1::scan_warp_tiles}};
}

KernelPart part_of(const Request& request, Algorithm algorithm, std::string_view name,
                   bool held_by_option = true) {
  return {.algorithm = algorithm,
          .family = name,
          .groups_held = groups_held(request.shape),
          .held_by_option = held_by_option};
}

// Runs of a line that lies across others and is short.
constexpr std::uint32_t short_runs = 4;

// What a work-item keeps in local memory: what it exchanges, and for a column its total.
constexpr std::uint32_t kept_each = 1;

PlannedKernel build_row_kernel(const Request& request, Algorithm algorithm, std::string_view name,
                               const Tuning& tuning, const ShortRows& rows) {
  const bool cpu = request.device.info().kind == DeviceKind::cpu;
  return build_line_kernel(request, part_of(request, algorithm, name), tuning,
                           {{"RUN", rows.run},
                            {"ROW_RUNS", order_v1::scan_row_runs},
                            {"LINE_ROWS", rows.rows},
                            {"WHOLE_ROWS", cpu ? 0U : 1U}},
                           kept_each, rows.run);
}

PlannedKernel build_tiles(const Request& request, Algorithm algorithm, std::string_view name,
                          const Tuning& tuning, bool held_by_option = true) {
  return build_tile_kernel(request, part_of(request, algorithm, name, held_by_option), tuning, name,
                           {});
}

// Rows in registers leave room for few work-items, which small groups share out best.
constexpr std::uint32_t column_group = 128;

PlannedKernel build_columns(const Request& request, Algorithm algorithm, std::string_view name,
                            const Tuning& tuning, std::uint32_t kept_runs) {
  Tuning values = tuning;
  values.group_size = std::min(tuning.group_size.value(), column_group);
  Defines defines = row_defines(request);
  defines.emplace_back("KEPT_RUNS", kept_runs);
  const bool cpu = request.device.info().kind == DeviceKind::cpu;
  const bool all_runs = kept_runs == order_v1::scan_row_runs;
  defines.emplace_back("WHOLE_ROWS", all_runs && !cpu ? 1U : 0U);
  defines.emplace_back("RUN_BY_RUN", all_runs && cpu ? 1U : 0U);
  return build_line_kernel(request, part_of(request, algorithm, name), values, defines, kept_each);
}

// A group looks back with whole warp tiles of a line, of neighbouring lines as many as fit.
PlannedKernel build_column_lookback(const Request& request, const Tuning& tuning) {
  const Capabilities& has = request.device.capabilities();
  const std::uint64_t bytes = AccumulatorLayout(request.shape.op, request.shape.accumulator).bytes;
  // What a work-item keeps: half of its row, what groups tell one another, and what it exchanges
  // where lanes cannot.
  const std::uint64_t stashed = run_of(request.shape) / 2 * order_v1::scan_row_runs + 1;
  const std::uint64_t exchanged = has_lanes_of_32(has) ? 0 : order_v1::scan_warp_tile_rows;
  constexpr std::uint64_t told = 9;
  const std::uint64_t fitting = has.local_bytes / (bytes * (stashed + told + exchanged));
  Tuning values = tuning;
  values.group_size = static_cast<std::uint32_t>(
      std::bit_floor(std::min<std::uint64_t>({tuning.group_size.value(), column_group, fitting})));
  Defines defines = row_defines(request);
  defines.emplace_back("SUPERTILE_TILES", order_v1::scan_group_tiles);
  defines.emplace_back("WHOLE_ROWS", 1U);
  return build_line_kernel(request, part_of(request, Algorithm::scan, "scan_column_lookback"),
                           values, defines, 1);
}

// The longest line that a warp has at once.
std::uint64_t short_length(const ShortRows& rows) {
  return std::uint64_t{rows.rows} * order_v1::scan_row_runs * rows.run;
}

// A warp has as many lanes of a row as a line takes, and of longer lines several rows.
LineRows rows_along(const Call& call, std::uint32_t group, const ShortRows& rows) {
  const std::uint64_t n = call.count.n;
  const std::uint64_t run = rows.run;
  const std::uint64_t full = shift_of(order_v1::scan_row_runs);
  LineRows shares{};
  shares.lane_shift = std::min(shift_of(divide_up(n, run)), full);
  shares.row_shift = shift_of(divide_up(n, order_v1::scan_row_runs * run));
  const std::uint64_t rows_of_group =
      shift_of(std::uint64_t{group} / order_v1::scan_row_runs * rows.rows);
  const std::uint64_t line_shift = rows_of_group + full - shares.lane_shift - shares.row_shift;
  shares.blocks = divide_up(call.lines.count.n, std::uint64_t{1} << line_shift);
  return shares;
}

LineTiles tiles_along(const Call& call, std::uint64_t tile) {
  const std::uint64_t n = call.count.n;
  const std::uint64_t all = shift_of(order_v1::scan_warp_tiles);
  LineTiles tiles{};
  tiles.warp_tile_shift = std::min(shift_of(divide_up(n, tile / order_v1::scan_warp_tiles)), all);
  tiles.tiles = std::max<std::uint64_t>(divide_up(n, tile), 1);
  tiles.lines = std::max<std::uint64_t>(call.lines.count.n, 1);
  tiles.blocks = divide_up(call.lines.count.n * tiles.tiles,
                           std::uint64_t{1} << (all - tiles.warp_tile_shift));
  return tiles;
}

// A warp has a row of as many neighbouring lines as there are, up to its lanes; the rest of a group
// has the next rows, and what is left then other lines.
ColumnTiles tiles_across(const Call& call, std::uint32_t group, std::uint64_t run,
                         std::uint64_t tile) {
  const std::uint64_t n = call.count.n;
  ColumnTiles tiles{};
  const std::uint64_t group_shift = shift_of(group);
  tiles.line_shift =
      std::min({shift_of(call.lines.input.inner), shift_of(order_v1::scan_row_runs), group_shift});
  const std::uint64_t rows = divide_up(std::min(n, tile), order_v1::scan_row_runs * run);
  tiles.row_shift = std::min(shift_of(rows), group_shift - tiles.line_shift);
  tiles.tiles = std::max<std::uint64_t>(divide_up(n, tile), 1);
  const std::uint64_t units =
      divide_up(call.lines.count.n, std::uint64_t{1} << tiles.line_shift) * tiles.tiles;
  tiles.blocks =
      divide_up(units, std::uint64_t{1} << (group_shift - tiles.line_shift - tiles.row_shift));
  return tiles;
}

// The same for groups that look back: they take a warp tile of a line at least, a tile at most.
ColumnTiles units_across(const Call& call, std::uint32_t group, std::uint64_t tile) {
  constexpr std::uint64_t tile_rows =
      std::uint64_t{order_v1::scan_warp_tile_rows} * order_v1::scan_warp_tiles;
  const std::uint64_t group_shift = shift_of(group);
  ColumnTiles tiles{};
  tiles.line_shift = std::min(shift_of(call.lines.input.inner),
                              group_shift - shift_of(order_v1::scan_warp_tile_rows));
  tiles.row_shift = group_shift - tiles.line_shift;
  tiles.tiles = std::max<std::uint64_t>(divide_up(call.count.n, tile), 1);
  tiles.blocks = divide_up(call.lines.count.n, std::uint64_t{1} << tiles.line_shift) * tiles.tiles *
                 (tile_rows >> tiles.row_shift);
  return tiles;
}

std::uint64_t tile_of(const PlanShape& shape) {
  return order_v1::scan_tile(size_of(shape.accumulator));
}

struct ScanKernels {
  ShortColumns run;  ///< Lines of one run, across.
  PlannedKernel short_lines;
  PlannedKernel tiles;
  PlannedKernel lookback;  ///< Where tiles look back.
  ShortRows rows;
  bool across;
};

// What long lines that do not look back take first.
struct FirstPasses {
  LineTotals totals;
  PlannedKernel prefixes;
};

class LineScan final : public Plan {
 public:
  LineScan(const Request& request, const gallery::Variant& variant, ByLayout<ScanKernels> scan,
           std::unique_ptr<const FirstPasses> first, bool looks_back, const Sizes& serves)
      : Plan(request, variant),
        serves_(serves),
        tile_(tile_of(request.shape)),
        run_(run_of(request.shape)),
        ordered_(request.device.capabilities().acquire_release),
        looks_back_(looks_back),
        scan_(std::move(scan)),
        first_(std::move(first)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return scratch_size_of_lines(n, 1);
  }
  [[nodiscard]] ScratchSize scratch_size_of_lines(std::uint64_t n,
                                                  std::uint64_t lines) const noexcept override {
    if (n <= tile_) return {};
    ScratchSize size{};
    if (first_) {
      size = accumulators(at_most(divide_up(n, tile_) + 1, lines), accumulator_bytes());
    }
    if (looks_back_) {
      const std::uint64_t words = std::max(at_most(published().values(n), lines),
                                           at_most(published_of_column(n), lines_across(lines)));
      size.tagged_bytes = at_most(words, divide_up(accumulator_bytes(), 4) * word_bytes);
      size.tagged_bytes = std::min(size.tagged_bytes, most) + control_words * word_bytes;
    }
    return size;
  }

  [[nodiscard]] Sizes serves() const noexcept override { return serves_; }

  void enqueue(const Call& call) const override {
    const ScanKernels& kernels = scan_.of(call);
    const std::uint64_t n = call.count.n;
    if (kernels.lookback.kernel != nullptr && n > tile_) return look_back(call, kernels);
    if (kernels.across && n <= run_) return kernels.run.enqueue(call, call.total);
    if (!kernels.across && n <= short_length(kernels.rows)) {
      const LineRows shares = rows_along(call, kernels.short_lines.group_size, kernels.rows);
      launch(call.queue, kernels.short_lines, groups_of_blocks(shares.blocks), call.input,
             call.count, call.lines.count, call.init, call.output, call.more_outputs,
             places_of(call), shares, call.total);
      return;
    }
    // Where there are none, nobody reads them.
    Range partials = call.output;
    if (n > tile_) {
      const std::uint64_t tiles = divide_up(n, tile_);
      partials = partials_of(call);
      first_->totals.enqueue(call, partials, tiles + 1);
      launch(call.queue, first_->prefixes, groups_of_blocks(call.lines.count.n), partials, tiles,
             call.count, call.lines.count, call.init, places_of(call));
    }
    const auto scan = [&](const PlannedKernel& kernel, const auto& shares) {
      launch(call.queue, kernel, groups_of_blocks(shares.blocks), call.input, call.count,
             call.lines.count, call.init, partials, call.output, call.more_outputs, places_of(call),
             shares, call.total);
    };
    if (!kernels.across) return scan(kernels.tiles, tiles_along(call, tile_));
    const PlannedKernel& kernel = n <= short_runs * run_ ? kernels.short_lines : kernels.tiles;
    scan(kernel, tiles_across(call, kernel.group_size, run_, tile_));
  }

 private:
  static constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max() / 2;
  static constexpr std::uint64_t most_columns = column_group / order_v1::scan_warp_tile_rows;

  [[nodiscard]] PublishedTiles published() const noexcept {
    return {tile_, order_v1::scan_group_tiles};
  }

  // Of each warp tile, tile and supertile.
  [[nodiscard]] std::uint64_t published_of_column(std::uint64_t n) const noexcept {
    const std::uint64_t tiles = divide_up(n, tile_);
    return at_most(tiles, order_v1::scan_warp_tiles + 1) + tiles / order_v1::scan_group_tiles + 1;
  }
  // One line has no other beside it.
  [[nodiscard]] static std::uint64_t lines_across(std::uint64_t lines) noexcept {
    if (lines <= 1) return 0;
    const std::uint64_t columns = std::bit_ceil(std::min(lines, most_columns));
    return at_most(divide_up(lines, columns), columns);
  }

  void look_back(const Call& call, const ScanKernels& kernels) const {
    const auto scan = [&](const auto& tiles) {
      const ScanPlaces places = lookback_places(call, tiles.blocks, ordered_);
      launch(call.queue, kernels.lookback, tiles.blocks, call.input, call.count, call.lines.count,
             call.output.memory, call.more_outputs, call.init, call.scratch.memory, places_of(call),
             tiles, places, call.total);
    };
    if (!kernels.across) return scan(tiles_along(call, tile_));
    scan(units_across(call, kernels.lookback.group_size, tile_));
  }

  Sizes serves_;
  std::uint64_t tile_;
  std::uint64_t run_;
  bool ordered_;
  bool looks_back_;
  ByLayout<ScanKernels> scan_;
  std::unique_ptr<const FirstPasses> first_;
};

std::shared_ptr<const Plan> make_scan(const Request& request, const Row& row, const Tuning& tuning,
                                      bool looks_back) {
  const Sizes& lengths = request.shape.sizes;
  const std::uint64_t tile = tile_of(request.shape);
  Sizes serves;  // With kernels of every layout.
  ByLayout<ScanKernels> scan(request, [&](const Request& of) {
    ScanKernels kernels{};
    constexpr Algorithm scans = Algorithm::scan;
    kernels.across = of.shape.lines == LineLayout::across;
    const std::uint64_t run = run_of(of.shape);
    static_assert(order_v1::scan_run(1) <= ShortColumns::longest);
    kernels.rows = short_rows_of(of, long_run_of(of));
    const std::uint64_t most = kernels.across ? short_runs * run : short_length(kernels.rows);
    serves = serves.within(whole_classes(lengths, {most, tile}));
    if (kernels.across) serves = serves.within(whole_classes(lengths, {1, run}));
    const bool has_short = kernels.across ? lengths.meets({run + 1, most}) : lengths.first <= most;
    // Where long lines do not look back, they are scanned as those of one tile.
    const bool has_tiles = looks_back ? lengths.meets({most + 1, tile}) : lengths.last > most;
    const bool has_lookback = looks_back && lengths.last > tile;
    if (kernels.across) {
      const auto columns = [&](std::uint32_t kept_runs) {
        return build_columns(of, scans, "scan_columns", tuning, kept_runs);
      };
      if (lengths.first <= run) {
        kernels.run = ShortColumns(of, scans, "scan_short_columns", tuning, run);
      }
      if (has_short) kernels.short_lines = columns(short_runs);
      if (has_tiles) kernels.tiles = columns(order_v1::scan_row_runs);
      if (has_lookback) kernels.lookback = build_column_lookback(of, tuning);
      return kernels;
    }
    if (has_short)
      kernels.short_lines = build_row_kernel(of, scans, "scan_lines", tuning, kernels.rows);
    if (has_tiles) kernels.tiles = build_tiles(of, scans, "scan_line_tiles", tuning);
    // A look-back along rows loses more by fewer registers than it gains by more groups.
    if (has_lookback)
      kernels.lookback = build_tiles(of, scans, "scan_line_lookback", tuning, false);
    return kernels;
  });
  std::unique_ptr<const FirstPasses> first;
  if (!looks_back && lengths.last > tile) {
    const PlanShape prefixes = over_accumulators(request.shape);
    Tuning values = tuning;
    values.group_size = std::min(tuning.group_size.value(), 256U);
    // A warp exchanges a value of each row of a warp tile, and keeps its total.
    constexpr std::uint32_t exchanged_each = order_v1::scan_warp_tile_rows + 1;
    first = std::make_unique<const FirstPasses>(
        FirstPasses{LineTotals(request, Algorithm::scan, tuning),
                    build_line_kernel(request.with(prefixes),
                                      part_of(request, Algorithm::scan, "prefix_line_tiles"),
                                      values, row_defines(request), exchanged_each)});
  }
  return std::make_shared<LineScan>(request, row.variant, std::move(scan), std::move(first),
                                    looks_back, serves);
}

}  // namespace

LineTotals::LineTotals(const Request& request, Algorithm algorithm, const Tuning& tuning)
    : tile_(tile_of(request.shape)),
      run_(run_of(request.shape)),
      short_(short_rows_of(request, run_of(request.shape))),
      serves_(whole_classes(request.shape.sizes, {short_length(short_)})),
      kernels_(request.with(to_accumulators(request.shape)), [&](const Request& of) {
        Kernels kernels{};
        kernels.across = of.shape.lines == LineLayout::across;
        if (kernels.across) {
          kernels.tiles =
              build_columns(of, algorithm, "total_column_tiles", tuning, order_v1::scan_row_runs);
          return kernels;
        }
        const bool reduces = algorithm == Algorithm::reduce;
        const std::uint64_t most = short_length(short_);
        if (reduces && of.shape.sizes.first <= most) {
          kernels.short_lines = build_row_kernel(of, algorithm, "total_lines", tuning, short_);
        }
        if (!reduces || of.shape.sizes.last > most) {
          kernels.tiles = build_tiles(of, algorithm, "total_line_tiles", tuning);
        }
        return kernels;
      }) {}

void LineTotals::enqueue(const Call& call, const Range& partials, std::uint64_t each) const {
  const Kernels& kernels = kernels_.of(call);
  const auto total = [&](const PlannedKernel& kernel, const auto& shares) {
    launch(call.queue, kernel, groups_of_blocks(shares.blocks), call.input, call.count,
           call.lines.count, partials, each, places_of(call), shares);
  };
  if (kernels.across) {
    total(kernels.tiles, tiles_across(call, kernels.tiles.group_size, run_, tile_));
  } else if (kernels.short_lines.kernel != nullptr && call.count.n <= short_length(short_)) {
    const LineRows shares = rows_along(call, kernels.short_lines.group_size, short_);
    launch(call.queue, kernels.short_lines, groups_of_blocks(shares.blocks), call.input, call.count,
           call.lines.count, partials, places_of(call), shares);
  } else {
    total(kernels.tiles, tiles_along(call, tile_));
  }
}

std::shared_ptr<const Plan> plan_line_scan(const Request& request, const Row& row,
                                           const Tuning& tuning) {
  return make_scan(request, row, tuning, false);
}

std::shared_ptr<const Plan> plan_line_lookback(const Request& request, const Row& row,
                                               const Tuning& tuning) {
  return make_scan(request, row, tuning, true);
}

}  // namespace bifold::core
