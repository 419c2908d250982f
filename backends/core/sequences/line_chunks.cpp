#include "core/sequences/line_chunks.hpp"

#include <algorithm>
#include <bifold/order.hpp>
#include <bit>
#include <string_view>
#include <utility>

#include "core/device/state.hpp"
#include "core/plan/make_spec.hpp"
#include "core/plan/planning.hpp"
#include "core/sequences/line_kernels.hpp"
#include "core/shape/line_extent.hpp"

namespace bifold::core {

namespace {

using detail::Plan;

// What a work-item keeps of columns in its own memory: of 1024 lines of 4-byte accumulators, 16
// columns and the totals of eight classes, so that rows are read a page at a time.
constexpr std::uint32_t kept_bytes = 98304;
constexpr std::uint32_t classes = 8;
// Of lines of a single row, so that the next cache holds it.
constexpr std::uint32_t kept_bytes_row = 65536;
// Of lines one after the other: more would only take longer to come back to.
constexpr std::uint32_t kept_bytes_along = 8192;
constexpr std::uint32_t vector_bytes = 128;

// Work-items of a GPU have their private memory all at once: there they keep a line each.
std::uint32_t kept_sums(const Request& request, std::uint32_t columns) {
  if (request.device.info().kind != DeviceKind::cpu) return columns;
  const AccumulatorLayout layout(request.shape.op, request.shape.accumulator);
  return std::max(columns, kept_bytes / static_cast<std::uint32_t>(layout.bytes));
}

class LineChunkReduce final : public Plan {
 public:
  struct Kernels {
    PlannedKernel along;
    PlannedKernel across;
    PlannedKernel nodes;
  };
  LineChunkReduce(const Request& request, const gallery::Variant& variant, std::uint32_t columns,
                  std::uint64_t most_groups, Kernels kernels)
      : Plan(request, variant),
        columns_(columns),
        kept_(kept_sums(request, columns)),
        most_groups_(most_groups),
        units_(std::max<std::uint64_t>(request.device.capabilities().compute_units, 1)),
        kernels_(std::move(kernels)) {}

  [[nodiscard]] ScratchSize scratch_size(std::uint64_t n) const noexcept override {
    return scratch_size_of_lines(n, 1);
  }
  [[nodiscard]] ScratchSize scratch_size_of_lines(std::uint64_t n,
                                                  std::uint64_t lines) const noexcept override {
    if (n <= leaf()) return {};
    return accumulators(at_most(divide_up(n, leaf()), lines), accumulator_bytes());
  }
  [[nodiscard]] Sizes serves() const noexcept override {
    return whole_classes(shape().sizes, {leaf()});
  }

  void enqueue(const Call& call) const override {
    const bool across =
        kernels_.across.kernel != nullptr &&
        (kernels_.along.kernel == nullptr || layout_of(call.lines.input) == LineLayout::across);
    const LinePlaces places = places_by_one_index(call);
    const LineStrips strips = strips_of(call, places.inner, across);
    // Where there are none, nobody writes them.
    const Range nodes = strips.leaves > 1 ? partials_of(call) : call.output;
    launch(call.queue, across ? kernels_.across : kernels_.along,
           groups_of(strips.units, most_groups_, no_limit), call.input, call.count,
           call.lines.count, call.init, nodes, call.output, call.more_outputs, places, strips);
    if (strips.leaves == 1) return;
    launch(call.queue, kernels_.nodes, groups_of(call.lines.count.n, most_groups_, no_limit), nodes,
           call.count, call.lines.count, call.init, call.output, call.more_outputs, places,
           strips.leaves);
  }

 private:
  [[nodiscard]] std::uint64_t leaf() const noexcept { return columns_ * order_v1::leaf_rows; }

  // Lines of one inner index each become lines of one outer index, so that strips have several.
  [[nodiscard]] LinePlaces places_by_one_index(const Call& call) const {
    LinePlaces places = places_of(call);
    if (!shape().second) places.second = places.input;
    if (places.inner == 1) {
      places.inner = std::max<std::uint64_t>(call.lines.input.outer, 1);
      for (LineStrides* const strides : {&places.input, &places.second, &places.output}) {
        strides->inner = strides->outer;
      }
    }
    return places;
  }

  // As many lines in a strip as fit, but not so few strips that processors have none.
  [[nodiscard]] LineStrips strips_of(const Call& call, std::uint64_t inner, bool across) const {
    const std::uint64_t n = call.count.n;
    const std::uint64_t bytes = accumulator_bytes();
    const std::uint64_t columns = std::bit_ceil(std::clamp<std::uint64_t>(n, 1, columns_));
    const std::uint64_t outer = divide_up(std::max<std::uint64_t>(call.lines.count.n, 1), inner);
    LineStrips strips{};
    strips.leaves = std::max<std::uint64_t>(divide_up(n, leaf()), 1);
    strips.each = 1;
    const std::uint64_t others = at_most(outer, strips.leaves);
    std::uint64_t fitting = kept_ / columns;
    if (across && columns > classes) {
      fitting = std::max(fitting, kept_ / (columns / classes + classes));
    }
    if (!across) {
      fitting = std::min(fitting, kept_bytes_along / bytes / columns);
    } else if (n <= columns_) {
      // Eight columns are one.
      const std::uint64_t kept_columns = columns < 8 ? columns : columns / 8;
      fitting = std::min(fitting, kept_bytes_row / bytes / kept_columns);
    }
    fitting = std::max<std::uint64_t>(fitting, 1);
    if (!across && strips.leaves > 1) {
      // Leaves of one line, which lie behind each other.
      strips.width = 1;
      strips.each = std::clamp<std::uint64_t>(at_most(others, inner) / (4 * units_), 1, fitting);
    } else {
      strips.strips = divide_up(inner, fitting);
      if (others < units_) strips.strips = divide_up(strips.strips, units_) * units_;
      const std::uint64_t whole = across ? std::max<std::uint64_t>(vector_bytes / bytes, 1) : 1;
      strips.width = std::min(divide_up(divide_up(inner, strips.strips), whole) * whole, fitting);
    }
    strips.strips = divide_up(inner, strips.width);
    strips.units = outer * strips.strips * divide_up(strips.leaves, strips.each);
    return strips;
  }

  std::uint64_t columns_;
  std::uint64_t kept_;
  std::uint64_t most_groups_;
  std::uint64_t units_;
  Kernels kernels_;
};

}  // namespace

std::shared_ptr<const Plan> plan_line_chunk_reduce(const Request& request, const Row& row,
                                                   const Tuning& tuning) {
  const std::uint32_t columns = order_v1::leaf_columns(request.shape.accumulator);
  const auto build = [&](PlanShape shape, std::string_view name, const Defines& defines) {
    // Whether elements are neighbours is asked when the kernel runs.
    shape.lines = LineLayout::along;
    const KernelPart part{.algorithm = Algorithm::reduce, .family = name};
    KernelSpec spec = make_spec(request.with(shape), part, {}, name);
    spec.defines.insert(spec.defines.end(), defines.begin(), defines.end());
    return build_kernel(request.device, spec);
  };
  const Defines leaves{{"COLUMNS", columns},
                       {"LEAF_ROWS", order_v1::leaf_rows},
                       {"SUMS", kept_sums(request, columns)}};
  const PlanShape nodes = from_accumulators(request.shape);
  const LineLayout asked = request.shape.lines;
  LineChunkReduce::Kernels kernels;
  if (asked != LineLayout::across) {
    kernels.along = build(request.shape, "reduce_line_chunks", leaves);
  }
  if (asked == LineLayout::across || asked == LineLayout::any) {
    kernels.across = build(request.shape, "reduce_column_chunks", leaves);
  }
  const std::uint32_t leaf = columns * order_v1::leaf_rows;
  if (request.shape.sizes.last > leaf) {
    kernels.nodes = build(nodes, "reduce_line_nodes_chunks", {{"LEAF", leaf}});
  }
  return std::make_shared<LineChunkReduce>(request, row.variant, columns,
                                           max_groups(request.device, tuning), std::move(kernels));
}

}  // namespace bifold::core
