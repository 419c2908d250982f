#include "core/shape/layout.hpp"

#include <bifold/order.hpp>

#include "core/kernel/architecture.hpp"
#include "core/kernel/kernel_source.hpp"
#include "core/text/expression_text.hpp"

namespace bifold::core {

namespace {

constexpr std::uint32_t vector_bytes = 16;

bool is_integer(Type type) { return !type.is_struct() && !is_floating(type) && !is_storage(type); }

bool is_narrow_integer(Type type) { return is_integer(type) && size_of(type) <= 4; }

bool has_three_words(Type type) { return size_of(type) == 12 && align_of(type) == 4; }

// Integers of 1 and 2 bytes that are combined as they are, in no more than 4.
bool combines_narrow_integers(const PlanShape& shape) {
  return is_narrow_integer(shape.input) && size_of(shape.input) < 4 &&
         is_narrow_integer(shape.accumulator) && shape.op.kind() != OperatorKind::user &&
         shape.map.is_identity() && shape.result_map.is_identity() && shape.more_outputs.empty() &&
         !shape.second;
}

// Whether accumulators hold every element as the number it is.
bool holds_elements(const PlanShape& shape) {
  if (shape.accumulator == shape.input) return true;
  return size_of(shape.accumulator) > size_of(shape.input) &&
         (is_signed(shape.accumulator) || !is_signed(shape.input));
}

WordOperation word_operation(const PlanShape& shape, const Capabilities& has) {
  if (!combines_narrow_integers(shape)) return WordOperation::none;
  const std::uint32_t ptx = ptx_architecture(has);
  switch (shape.op.kind()) {
    case OperatorKind::plus:
      if (ptx >= 61) return WordOperation::sums;
      break;
    case OperatorKind::bit_and:
    case OperatorKind::bit_or:
    case OperatorKind::bit_xor:
      if (ptx >= 61) return WordOperation::bits;
      break;
    case OperatorKind::minimum:
    case OperatorKind::maximum:
      // A driver that knows bulk copies knows the instructions for these, too.
      if (ptx >= 90 && has.ring_bytes > 0 && holds_elements(shape)) return WordOperation::extrema;
      break;
    default: break;
  }
  return WordOperation::none;
}

bool combines_vectors(const PlanShape& shape) {
  const OperatorKind kind = shape.op.kind();
  const bool one_type =
      shape.accumulator == accumulator_of(shape.input) && shape.output == shape.input;
  const bool no_maps = shape.map.is_identity() && shape.result_map.is_identity();
  if (!one_type || !no_maps || shape.second || !shape.more_outputs.empty()) return false;
  if (is_integer(shape.input)) return kind != OperatorKind::user && !is_logical(kind);
  // Extrema would have to decide about zeros and NaN.
  return is_floating(shape.input) &&
         (kind == OperatorKind::plus || kind == OperatorKind::multiplies);
}

bool has_long_runs(const PlanShape& shape) {
  const bool widens = size_of(shape.accumulator) < 4;
  // The results of a run are whole vectors.
  const bool whole_vectors = size_of(shape.output) >= size_of(shape.input);
  return combines_narrow_integers(shape) && is_narrow_integer(shape.output) && whole_vectors &&
         !(widens && (shape.on_device.init || shape.on_device.total));
}

bool has_spans(const PlanShape& shape) {
  return size_of(shape.input) == 16 && size_of(shape.accumulator) == 16 &&
         size_of(shape.output) == 16 && !has_padding(shape.output) &&
         shape.op.exact(shape.accumulator);
}

// A selection's kernels count, so no association decides about bits: runs are of 16 bytes, or of an
// element of three words. A lane has a span of them, shorter where results are wider, as these are
// gathered beside the stages; of an odd number, as ring_spans wants it.
void lay_out_selection(const PlanShape& shape, Layout& layout) {
  const auto bytes = static_cast<std::uint32_t>(size_of(shape.input));
  const auto stored = static_cast<std::uint32_t>(size_of(shape.output));
  layout.long_runs = is_narrow_integer(shape.input) && bytes < 4;
  layout.run = layout.three_words || bytes > vector_bytes ? 1 : vector_bytes / bytes;
  layout.run_bytes = layout.run * bytes;
  layout.looks_back_by_groups = true;
  const std::uint32_t times_wider = (stored + bytes - 1) / bytes;
  layout.warp_tile_rows = times_wider <= 2 ? 7 : times_wider <= 4 ? 3 : times_wider <= 8 ? 1 : 0;
}

}  // namespace

Layout layout_of(const PlanShape& shape, const Capabilities& capabilities) {
  const auto element_bytes = static_cast<std::uint32_t>(size_of(shape.input));
  Layout layout;
  layout.combines_vectors = combines_vectors(shape);
  layout.words = word_operation(shape, capabilities);
  layout.atomic_sums =
      shape.op.kind() == OperatorKind::plus && is_narrow_integer(shape.accumulator);
  layout.long_runs = has_long_runs(shape);
  layout.spans = has_spans(shape);
  layout.three_words = has_three_words(shape.input);
  layout.gathers_results = has_three_words(shape.output) && !has_padding(shape.output);
  layout.packed_sums = layout.long_runs && shape.op.kind() == OperatorKind::plus &&
                       size_of(shape.output) == size_of(shape.input) && !shape.on_device.total;
  layout.aligns_tiles = layout.packed_sums ||
                        (layout.combines_vectors && is_integer(shape.input) && element_bytes == 4);
  layout.run = layout.long_runs ? vector_bytes / element_bytes
                                : order_v1::scan_run(size_of(shape.accumulator));
  layout.run_bytes = layout.run * element_bytes;
  layout.looks_back_by_groups = size_of(shape.accumulator) > 4 || layout.run_bytes < vector_bytes;
  // Odd, as ring_warp_tiles_spans wants it.
  constexpr std::uint32_t span = 7;
  layout.warp_tile_rows = layout.spans ? span : order_v1::scan_warp_tile_rows;
  layout.accumulator = shape.accumulator;
  if (layout.long_runs && size_of(shape.accumulator) < 4) {
    layout.accumulator = is_signed(shape.accumulator) ? Type::i32 : Type::u32;
  }
  if (shape.selection) lay_out_selection(shape, layout);
  return layout;
}

}  // namespace bifold::core
