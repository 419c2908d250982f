#include "core/sequences/line_reductions.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/sequences/line_kernels.hpp"
#include "core/sequences/line_scans.hpp"
#include "core/shape/line_extent.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

constexpr std::uint32_t most_shares = 32;
// Short lines, or rows of a longer one, that a work-item has a share of at once. More than one
// would only cost compilers for CPUs seconds.
std::uint32_t at_once(const Request& request) {
  return request.device.info().kind == DeviceKind::cpu ? 1 : 4;
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
    PlannedKernel lines;   ///< One row of a leaf.
    PlannedKernel rows;    ///< One leaf.
    PlannedKernel leaves;  ///< More.
    LineNodes nodes;
  };
  LineReduce(const Request& request, const gallery::Variant& variant, std::uint32_t columns,
             Kernels kernels)
      : Plan(request, variant),
        columns_(columns),
        at_once_(at_once(request)),
        kernels_(std::move(kernels)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return scratch_size_of_lines(n, 1);
  }
  [[nodiscard]] ScratchSize scratch_size_of_lines(std::uint64_t n,
                                                  std::uint64_t lines) const noexcept override {
    return n <= leaf() ? ScratchSize{} : nodes_of_lines(n, lines, leaf(), accumulator_bytes());
  }

  void enqueue(const Call& call) const override {
    const LinePlaces places = places_of(call);
    const bool short_lines = call.count.n <= columns_;
    const LineSplit split = split_of(call, short_lines ? at_once_ : 1);
    const std::uint64_t groups = groups_of_blocks(split.blocks);
    if (split.leaves == 1) {
      launch(call.queue, short_lines ? kernels_.lines : kernels_.rows, groups, call.input,
             call.count, call.lines.count, call.init, call.output, places, split);
      return;
    }
    const Range nodes = partials_of(call);
    launch(call.queue, kernels_.leaves, groups, call.input, call.count, call.lines.count, nodes,
           places, split);
    kernels_.nodes.enqueue(call, nodes, split.leaves, leaf());
  }

 private:
  [[nodiscard]] std::uint64_t leaf() const noexcept { return columns_ * order_v1::leaf_rows; }

  // The columns of a line are shared out to as many work-items as there are, the rest of a group to
  // neighbouring lines if these are neighbours in memory, else to leaves of one line.
  [[nodiscard]] LineSplit split_of(const Call& call, std::uint64_t units_each) const noexcept {
    const std::uint64_t n = call.count.n;
    const std::uint64_t lines = call.lines.count.n;
    const std::uint64_t columns_each = columns_ / most_shares;
    const std::uint64_t group_shift = shift_of(kernels_.lines.group_size);
    LineSplit split{};
    split.share_shift =
        std::min(shift_of(divide_up(std::min<std::uint64_t>(n, columns_), columns_each)),
                 shift_of(most_shares));
    const std::uint64_t rest = group_shift - split.share_shift;
    if (layout_of(call.lines.input) == LineLayout::across) {
      split.line_shift = std::min(rest, shift_of(call.lines.input.inner));
    }
    split.leaves = std::max<std::uint64_t>(divide_up(n, leaf()), 1);
    const std::uint64_t units =
        divide_up(lines, std::uint64_t{1} << split.line_shift) * split.leaves;
    // Of shares that are many, each row is loaded by whole sectors either way.
    const bool along = call.lines.input.stride == 1 || call.lines.input.stride == -1;
    split.side_by_side = split.line_shift == 0 && along && split.share_shift < 3 ? 1 : 0;
    split.blocks = divide_up(units, units_each << (rest - split.line_shift));
    return split;
  }

  std::uint64_t columns_;
  std::uint64_t at_once_;
  Kernels kernels_;
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
  const std::uint32_t columns = order_v1::leaf_columns(request.shape.accumulator);
  const Defines defines{{"COLUMNS_EACH", columns / most_shares},
                        {"LEAF_ROWS", order_v1::leaf_rows},
                        {"LINES_AT_ONCE", at_once(request)},
                        {"ROWS_AT_ONCE", at_once(request)}};
  const auto kernel = [&](const PlanShape& shape, std::string_view name) {
    return build_line_kernel(request.with(shape), Algorithm::reduce, name, tuning, defines, 1);
  };
  return std::make_shared<LineReduce>(
      request, row.variant, columns,
      LineReduce::Kernels{kernel(request.shape, "reduce_lines"),
                          kernel(request.shape, "reduce_line_rows"),
                          kernel(to_accumulators(request.shape), "reduce_line_leaves"),
                          LineNodes(request, tuning)});
}

std::shared_ptr<const Plan> plan_line_tile_reduce(const Request& request, const Row& row,
                                                  const Tuning& tuning) {
  return std::make_shared<LineTileReduce>(request, row.variant,
                                          LineTotals(request, Algorithm::reduce, tuning),
                                          LineNodes(request, tuning));
}

}  // namespace bifold::core
