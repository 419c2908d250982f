#include "core/sequences/line_reductions.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "core/kernel/architecture.hpp"
#include "core/sequences/line_kernels.hpp"
#include "core/sequences/line_scans.hpp"
#include "core/shape/line_extent.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

constexpr std::uint32_t most_shares = 32;
// Columns of a work-item, whose sums it folds itself.
constexpr std::uint32_t most_columns = 16;

// What a work-item has of a leaf at once: columns, and short lines or rows of a longer one. It may
// have up to `1 << turn_bits` such shares, one after the other.
struct LeafShare {
  std::uint32_t columns;
  std::uint32_t at_once;
  std::uint32_t turn_bits = 0;
  std::uint32_t group = 512;  ///< Work-items of a group, at most.
};

// By the length of lines: up to the columns of a work-item, up to a row, up to a few rows, and
// more. Of lines side by side a work-item has more columns, which are combined without exchange,
// and of many such lines all columns. More lines or rows than one would only cost compilers for
// CPUs seconds.
struct LeafShares {
  LeafShare item;
  LeafShare row;
  LeafShare few;
  LeafShare many;
  LeafShare leaves;
  bool exact;               ///< No order shows, so that a work-item folds its columns first.
  std::uint32_t lines = 1;  ///< Of a work-item, if they are longer than its columns.
};
constexpr std::uint64_t few_rows = 4;

// Elements that are narrower lie in words.
constexpr std::uint32_t word_bytes = 4;

// Columns that one access loads, as far as a work-item has room for their sums.
std::uint32_t vector_columns(const PlanShape& shape) {
  constexpr std::size_t vector_bytes = 16;
  constexpr std::size_t sums_bytes = 64;
  const std::size_t each = AccumulatorLayout(shape.op, shape.accumulator).bytes;
  return static_cast<std::uint32_t>(
      std::bit_floor(std::min(vector_bytes / std::min(size_of(shape.input), vector_bytes),
                              std::max<std::size_t>(sums_bytes / each, 1))));
}

// Whether a work-item folds its columns first, whose accumulators are wider than the elements: no
// order shows.
constexpr std::size_t two_words = 8;
bool folds_first(const PlanShape& shape) {
  return AccumulatorLayout(shape.op, shape.accumulator).bytes == two_words &&
         size_of(shape.input) < two_words && shape.op.exact(shape.accumulator);
}

// Of lines whose elements are neighbours.
struct RowShares {
  LeafShare row;
  LeafShare few;
  LeafShare many;
};

// Twice the columns at once, and no second row, left less to exchange: sums of 2^20 rows of 64 f16
// took 51 us, before 61; but of f64 247 us, before 162. NVIDIA's OpenCL compiler makes other code
// of it: 120 us for f32, before 80; of f16 it has four rows at once, 55 us, before 72.
RowShares row_shares(const Request& request, std::uint32_t each, std::uint32_t vector,
                     bool narrow) {
  const PlanShape& shape = request.shape;
  const std::uint32_t columns = std::max(2 * each, vector);
  const std::size_t bytes = AccumulatorLayout(shape.op, shape.accumulator).bytes;
  const LeafShare two{columns, 2};
  const LeafShare four{vector, 4};
  const LeafShare wide = columns < most_columns ? LeafShare{2 * columns, 1} : two;
  if (bytes == two_words) {
    if (!folds_first(shape)) return {two, two, four};
    // A rank of a floating element takes registers, too.
    const bool floating = is_floating(accumulator_of(shape.input));
    const LeafShare row = floating ? LeafShare{std::min(8 * each, most_columns), 1}
                                   : LeafShare{std::max(columns, 4 * each), 2};
    return {row, row, four};
  }
  if (request.device.info().backend != "opencl") return {wide, wide, four};
  if (bytes > two_words) return {{2 * columns, 2}, two, four};
  if (!narrow) return {two, two, four};
  if (size_of(shape.input) == 1) {
    const LeafShare row{columns, request.layout.combines_words() ? 2U : 1U};
    return {row, row, four};
  }
  return {{2 * columns, 4}, wide, {2 * columns, 2}};
}

// Whether whole rows have code without limits. Of rows of a leaf, NVIDIA's OpenCL compiler makes
// worse code of it for 2 bytes: 43 us for 2^16 of 1024, before 38.
bool has_whole_rows(const Request& request, std::uint32_t rows) {
  if (request.device.info().kind == DeviceKind::cpu) return false;
  const bool two_bytes = size_of(request.shape.input) == 2;
  return rows == 1 || request.shape.lines == LineLayout::across || !two_bytes ||
         request.layout.combines_words() || request.device.info().backend != "opencl";
}

LeafShares leaf_shares(const Request& request) {
  const std::uint32_t each = order_v1::leaf_columns(request.shape.accumulator) / most_shares;
  const LeafShare one{each, 1};
  const bool across = request.shape.lines == LineLayout::across;
  const LeafShare item{across ? static_cast<std::uint32_t>(ShortColumns::longest) : each, 1};
  const bool exact = request.shape.op.exact(request.shape.accumulator);
  if (request.device.info().kind == DeviceKind::cpu) return {item, one, one, one, one, exact};
  const PlanShape& shape = request.shape;
  const bool narrow =
      !shape.second && !shape.input.is_struct() && size_of(shape.input) < word_bytes;
  const bool rows = shape.lines == LineLayout::rows;
  const std::uint32_t vector = rows ? std::max(each, vector_columns(shape)) : each;
  const LeafShare short_lines{each, 4};
  if (!across) {
    const RowShares along = row_shares(request, each, vector, narrow);
    return {short_lines, along.row, along.few, along.many, along.many, exact};
  }
  const LeafShare column = narrow ? LeafShare{2 * each, 1, 4} : LeafShare{4 * each, 1, 3};
  // Sums that no order shows of fit twice in the registers of more groups, one row at once: the
  // greatest of 8192 columns of 8192 i32 took 73 us, before 92.
  const bool folds = !narrow && folds_first(shape);
  const LeafShare few = folds ? LeafShare{4 * each, 1, 4, 256} : LeafShare{2 * each, 2, 4};
  const LeafShare leaves{few.columns, few.at_once, 0, few.group};
  // Narrow elements of neighbouring lines make a word.
  const std::uint32_t lines =
      narrow ? word_bytes / static_cast<std::uint32_t>(size_of(shape.input)) : 1;
  return {item, column, few, LeafShare{each, 4}, leaves, exact, lines};
}

// Nodes of so many lines, each of `elements` elements.
ScratchSize nodes_of_lines(std::uint64_t n, std::uint64_t lines, std::uint64_t elements,
                           std::size_t bytes_each) {
  const std::uint64_t each = std::max<std::uint64_t>(divide_up(n, elements), 1);
  return accumulators(at_most(each, lines), bytes_each);
}

class LineReduce final : public Plan {
 public:
  struct Kernels {
    LeafShares shares;
    ShortColumns columns;  ///< Lines of a work-item, across
    PlannedKernel item;    ///< and along.
    PlannedKernel row;     ///< One row of a leaf.
    PlannedKernel few;     ///< A few rows.
    PlannedKernel many;    ///< One leaf.
    PlannedKernel leaves;  ///< More.
    bool across;
  };
  LineReduce(const Request& request, const gallery::Variant& variant, ByLayout<Kernels> kernels,
             std::unique_ptr<const LineNodes> nodes, const Sizes& serves)
      : Plan(request, variant),
        serves_(serves),
        columns_(order_v1::leaf_columns(request.shape.accumulator)),
        device_items_(std::uint64_t{request.device.capabilities().compute_units} * items_of_unit),
        kernels_(std::move(kernels)),
        nodes_(std::move(nodes)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return scratch_size_of_lines(n, 1);
  }
  [[nodiscard]] ScratchSize scratch_size_of_lines(std::uint64_t n,
                                                  std::uint64_t lines) const noexcept override {
    return n <= leaf() ? ScratchSize{} : nodes_of_lines(n, lines, leaf(), accumulator_bytes());
  }
  [[nodiscard]] Sizes serves() const noexcept override { return serves_; }

  void enqueue(const Call& call) const override {
    const Kernels& kernels = kernels_.of(call);
    const LinePlaces places = places_of(call);
    const std::uint64_t n = call.count.n;
    const auto reduce = [&](const PlannedKernel& kernel, const LeafShare& share,
                            std::uint64_t units_each) {
      const LineSplit split = split_of(call, kernels, kernel, share, units_each);
      launch(call.queue, kernel, groups_of_blocks(split.blocks), call.input, call.count,
             call.lines.count, call.init, call.output, call.more_outputs, places, split);
    };
    const LeafShares& shares = kernels.shares;
    if (n <= shares.item.columns) {
      if (kernels.across) return kernels.columns.enqueue(call);
      return reduce(kernels.item, shares.item, shares.item.at_once);
    }
    if (n <= columns_) {
      return reduce(kernels.row, shares.row, kernels.across ? 1 : shares.row.at_once);
    }
    if (n <= leaf()) {
      // Many lines side by side fill the device with larger shares, which exchange less.
      const std::uint64_t items =
          at_most(call.lines.count.n, divide_up(columns_, shares.few.columns)) / shares.lines;
      const bool few = n <= few_rows * columns_ || (kernels.across && items > device_items_);
      return few ? reduce(kernels.few, shares.few, 1) : reduce(kernels.many, shares.many, 1);
    }
    const LineSplit split = split_of(call, kernels, kernels.leaves, shares.leaves, 1);
    const Range nodes = partials_of(call);
    launch(call.queue, kernels.leaves, groups_of_blocks(split.blocks), call.input, call.count,
           call.lines.count, nodes, places, split);
    nodes_->enqueue(call, nodes, split.leaves, leaf());
  }

 private:
  [[nodiscard]] std::uint64_t leaf() const noexcept { return columns_ * order_v1::leaf_rows; }

  // The columns of a line are shared out to as many work-items as there are, the rest of a group to
  // neighbouring lines if these are neighbours in memory, else to leaves of one line.
  [[nodiscard]] LineSplit split_of(const Call& call, const Kernels& kernels,
                                   const PlannedKernel& kernel, const LeafShare& share,
                                   std::uint64_t units_each) const noexcept {
    const std::uint64_t n = call.count.n;
    const std::uint64_t each = kernels.shares.lines;
    const std::uint64_t group_shift = shift_of(kernel.group_size);
    LineSplit split{};
    split.share_shift = shift_of(divide_up(std::min<std::uint64_t>(n, columns_), share.columns));
    // Work-items take several shares if enough of them are left for the device: what a work-item
    // combines by itself costs no exchange.
    const std::uint64_t items =
        at_most(divide_up(call.lines.count.n, each), std::uint64_t{1} << split.share_shift);
    while (split.turn_shift < share.turn_bits && split.share_shift > 0 &&
           items >> (split.turn_shift + 1) >= device_items_) {
      ++split.turn_shift;
      --split.share_shift;
    }
    const std::uint64_t rest = group_shift - split.share_shift;
    if (layout_of(call.lines.input) == LineLayout::across) {
      split.line_shift = std::min(rest, shift_of(divide_up(call.lines.input.inner, each)));
    }
    split.leaves = std::max<std::uint64_t>(divide_up(n, leaf()), 1);
    const std::uint64_t units =
        divide_up(call.lines.count.n, each << split.line_shift) * split.leaves;
    split.blocks = divide_up(units, units_each << (rest - split.line_shift));
    return split;
  }

  // Work-items with which a multiprocessor hides its memory's latency.
  static constexpr std::uint64_t items_of_unit = 768;

  Sizes serves_;
  std::uint64_t columns_;
  std::uint64_t device_items_;
  ByLayout<Kernels> kernels_;
  std::unique_ptr<const LineNodes> nodes_;
};

class LineTileReduce final : public Plan {
 public:
  LineTileReduce(const Request& request, const gallery::Variant& variant, LineTotals totals,
                 LineNodes nodes)
      : Plan(request, variant), totals_(std::move(totals)), nodes_(std::move(nodes)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return scratch_size_of_lines(n, 1);
  }
  [[nodiscard]] ScratchSize scratch_size_of_lines(std::uint64_t n,
                                                  std::uint64_t lines) const noexcept override {
    return nodes_of_lines(n, lines, totals_.tile(), accumulator_bytes());
  }
  [[nodiscard]] Sizes serves() const noexcept override { return totals_.serves(); }

  void enqueue(const Call& call) const override {
    const Range nodes = partials_of(call);
    const std::uint64_t tiles = std::max<std::uint64_t>(divide_up(call.count.n, totals_.tile()), 1);
    totals_.enqueue(call, nodes, tiles);
    nodes_.enqueue(call, nodes, tiles, totals_.tile());
  }

 private:
  LineTotals totals_;
  LineNodes nodes_;
};

}  // namespace

std::shared_ptr<const Plan> plan_line_reduce(const Request& request, const Row& row,
                                             const Tuning& tuning) {
  const Sizes& lengths = request.shape.sizes;
  const std::uint64_t columns = order_v1::leaf_columns(request.shape.accumulator);
  const std::uint64_t leaf = columns * order_v1::leaf_rows;
  Sizes serves;  // With kernels of every layout.
  ByLayout<LineReduce::Kernels> kernels(request, [&](const Request& of) {
    const LeafShares shares = leaf_shares(of);
    const bool by_vectors = shares.lines == 1 && has_lanes_of_32(of.device.capabilities());
    const auto kernel = [&](const PlanShape& shape, std::string_view name, const LeafShare& share,
                            std::uint32_t rows = order_v1::leaf_rows) {
      Tuning values = tuning;
      values.group_size = std::min(tuning.group_size.value(), share.group);
      return build_line_kernel(of.with(shape), {.algorithm = Algorithm::reduce, .family = name},
                               values,
                               {{"COLUMNS", static_cast<std::uint32_t>(columns)},
                                {"COLUMNS_EACH", share.columns},
                                {"AT_ONCE", share.at_once},
                                {"LEAF_ROWS", rows},
                                {"TURN_BITS", share.turn_bits},
                                {"WHOLE_ROWS", has_whole_rows(of, rows) ? 1U : 0U},
                                {"LINES_EACH", shares.lines},
                                {"EXACT", shares.exact ? 1U : 0U},
                                {"RUN", share.columns}},
                               1, by_vectors ? share.columns : 0, shares.lines);
    };
    const std::uint64_t item = shares.item.columns;
    const std::uint64_t few = few_rows * columns;
    LineReduce::Kernels built{};
    built.shares = shares;
    built.across = of.shape.lines == LineLayout::across;
    const std::uint64_t single = built.across ? 1 : item;
    serves = serves.within(whole_classes(lengths, {single, item, columns, few, leaf}));
    if (lengths.first <= item && built.across) {
      built.columns = ShortColumns(of, Algorithm::reduce, "reduce_short_columns", tuning, item);
    } else if (lengths.first <= item) {
      built.item = kernel(of.shape, "reduce_lines", shares.item, 1);
    }
    if (lengths.meets({item + 1, columns})) {
      built.row =
          kernel(of.shape, built.across ? "reduce_line_rows" : "reduce_lines", shares.row, 1);
    }
    if (lengths.meets({columns + 1, built.across ? leaf : few})) {
      built.few = kernel(of.shape, "reduce_line_rows", shares.few);
    }
    if (lengths.meets({few + 1, leaf})) {
      built.many = kernel(of.shape, "reduce_line_rows", shares.many);
    }
    if (lengths.last > leaf) {
      built.leaves = kernel(to_accumulators(of.shape), "reduce_line_leaves", shares.leaves);
    }
    return built;
  });
  std::unique_ptr<const LineNodes> nodes;
  if (lengths.last > leaf) nodes = std::make_unique<const LineNodes>(request, tuning);
  return std::make_shared<LineReduce>(request, row.variant, std::move(kernels), std::move(nodes),
                                      serves);
}

std::shared_ptr<const Plan> plan_line_tile_reduce(const Request& request, const Row& row,
                                                  const Tuning& tuning) {
  return std::make_shared<LineTileReduce>(request, row.variant,
                                          LineTotals(request, Algorithm::reduce, tuning),
                                          LineNodes(request, tuning));
}

}  // namespace bifold::core
