#include "core/sequences/line_kernels.hpp"

#include <algorithm>
#include <bit>

#include "core/plan/make_spec.hpp"
#include "core/sequences/order_leaves.hpp"
#include "core/sequences/order_tiles.hpp"
#include "core/shape/line_extent.hpp"

namespace bifold::core {

namespace {

// What a group may have of local memory, on any device.
constexpr std::uint32_t local_bytes = 32768;

LineStrides strides_of(const Lines& lines) noexcept {
  return {static_cast<std::uint64_t>(lines.outer_stride),
          static_cast<std::uint64_t>(lines.inner_stride), static_cast<std::uint64_t>(lines.stride)};
}

// Elements of neighbouring lines that one access moves. Structs are moved one by one.
std::uint32_t vector_across(const PlanShape& shape) {
  constexpr std::size_t vector_bytes = 16;
  constexpr std::size_t most = 8;
  if (shape.input.is_struct() || shape.output.is_struct()) return 1;
  const std::size_t widest = std::max(size_of(shape.input), size_of(shape.output));
  return static_cast<std::uint32_t>(std::min(most, vector_bytes / widest));
}

}  // namespace

Sizes whole_classes(const Sizes& asked, std::initializer_list<std::uint64_t> lasts) noexcept {
  Sizes whole;
  for (const std::uint64_t last : lasts) {
    if (last < asked.first) whole.first = last + 1;
    if (last >= asked.last) whole.last = std::min(whole.last, last);
  }
  return whole;
}

LineLayout layout_of(const Call& call) noexcept {
  const CallLines& lines = call.lines;
  if (layout_of(lines.input) == LineLayout::across) return LineLayout::across;
  return has_unit_stride(lines.input) && has_unit_stride(lines.second) &&
                 has_unit_stride(lines.output)
             ? LineLayout::rows
             : LineLayout::along;
}

PlannedKernel build_line_kernel(const Request& request, const KernelPart& kernel,
                                const Tuning& tuning, const Defines& defines,
                                std::uint32_t accumulators_each, std::uint32_t run,
                                std::uint32_t lines) {
  const auto bytes = static_cast<std::uint32_t>(
      AccumulatorLayout(request.shape.op, request.shape.accumulator).bytes);
  const std::uint32_t fitting = std::bit_floor(local_bytes / (bytes * accumulators_each));
  Tuning values = tuning;
  values.group_size = std::max(order_v1::scan_row_runs,
                               std::min(std::bit_floor(tuning.group_size.value()), fitting));
  KernelSpec spec = make_spec(request, kernel, values, kernel.family);
  spec.defines.insert(spec.defines.end(), defines.begin(), defines.end());
  if (run > 0) {
    add_run_vectors(request.shape, run, kernel.algorithm == Algorithm::scan, spec);
  } else {
    spec.vector_width = lines;
  }
  return build_kernel(request.device, spec);
}

LinePlaces places_of(const Call& call) {
  const CallLines& lines = call.lines;
  return {.input = strides_of(lines.input),
          .second = strides_of(lines.second),
          .output = strides_of(lines.output),
          .inner = std::max<std::uint64_t>(lines.input.inner, 1),
          .init_step = lines.init_of_each ? std::uint64_t{1} : 0};
}

std::uint64_t shift_of(std::uint64_t n) noexcept {
  return n <= 1 ? 0 : static_cast<std::uint64_t>(std::bit_width(n - 1));
}

std::uint64_t groups_of_blocks(std::uint64_t blocks) noexcept {
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  return std::clamp<std::uint64_t>(blocks, 1, most);
}

ShortColumns::ShortColumns(const Request& request, Algorithm algorithm, std::string_view name,
                           const Tuning& tuning, std::uint64_t last)
    : lines_each_(vector_across(request.shape)) {
  const auto kernel = [&](std::uint64_t elements) {
    Tuning values = tuning;
    values.group_size = std::min(tuning.group_size.value(), 256U);
    KernelSpec spec = make_spec(request, {.algorithm = algorithm, .family = name}, values, name);
    spec.vector_width = static_cast<std::uint32_t>(lines_each_);
    spec.defines.emplace_back("SHORT", static_cast<std::uint32_t>(elements));
    return build_kernel(request.device, spec);
  };
  const Sizes& lengths = request.shape.sizes;
  if (lengths.first <= 1) single_ = kernel(1);
  if (last > 1 && lengths.meets({2, last})) kernel_ = kernel(longest);
}

LineNodes::LineNodes(const Request& request, const Tuning& tuning) {
  const PlanShape nodes = from_accumulators(request.shape);
  Tuning values;
  values.group_size = std::min(tuning.group_size.value(), 256U);
  constexpr std::uint32_t kept_each = 2;
  kernel_ = build_line_kernel(request.with(nodes),
                              {.algorithm = Algorithm::reduce, .family = "reduce_line_nodes"},
                              values, {{"NODES_PER_ITEM", nodes_per_item}}, kept_each);
}

void LineNodes::enqueue(const Call& call, const Range& nodes, std::uint64_t most,
                        std::uint64_t elements) const {
  const std::uint64_t group_shift = shift_of(kernel_.group_size);
  const std::uint64_t item_shift = std::min(shift_of(divide_up(most, nodes_per_item)), group_shift);
  const std::uint64_t line_shift = group_shift - item_shift;
  const std::uint64_t blocks = divide_up(call.lines.count.n, std::uint64_t{1} << line_shift);
  const LineNodeShare share{most, elements, line_shift, blocks};
  launch(call.queue, kernel_, groups_of_blocks(blocks), nodes, call.count, call.lines.count,
         call.init, call.output, call.more_outputs, places_of(call), share);
}

}  // namespace bifold::core
