#include "core/plan/part_needs.hpp"

#include <algorithm>
#include <bifold/order.hpp>

#include "core/plan/atomic_accumulator.hpp"

namespace bifold::core {

namespace {

using Question = PartQuestion;

const Capabilities& has(const Question& of) { return of.request.device.capabilities(); }
const PlanShape& shape(const Question& of) { return of.request.shape; }
bool on_cpu(const Question& of) { return of.request.device.info().kind == DeviceKind::cpu; }

// What a part that combines the integers in a word asks for.
void define_words(const Question& of, KernelSpec& spec) {
  const OperatorKind kind = shape(of).op.kind();
  const std::string_view part = word_part(of);
  spec.defines.emplace_back("VALUES_PER_WORD", 4 / size_of(shape(of).input));
  if (part == "word_bits") {
    const std::uint32_t number = kind == OperatorKind::bit_and  ? 0
                                 : kind == OperatorKind::bit_or ? 1
                                                                : 2;
    spec.defines.emplace_back("BIT_OPERATOR", number);
    return;
  }
  spec.defines.emplace_back("SIGNED_VALUES", is_signed(shape(of).input) ? 1 : 0);
  if (part == "word_extrema") {
    spec.defines.emplace_back("GREATEST", kind == OperatorKind::maximum ? 1 : 0);
  }
}

// What parts that tests force otherwise are told. A CPU had better work than wait for a tile, but
// not where work-items draw: there, all that wait for one another run.
void define_limits(const Question& of, const PartList& list, KernelSpec& spec) {
  const TestHooks& hooks = of.request.hooks;
  if (list.has("tile_words")) {
    const bool polls_long = !on_cpu(of) || list.has("scan_order_drawn");
    spec.defines.emplace_back("SPIN_LIMIT", hooks.spin_limit.value_or(polls_long ? 16384 : 1024));
    spec.defines.emplace_back("EPOCH_LIMIT", hooks.epoch_limit.value_or(0x3fffffff));
  }
  if (list.has("published_prefixes")) {
    spec.defines.emplace_back("PUBLISHED_EVERY", hooks.published_every.value_or(1));
  }
  if (list.has("order_subtree_chunks")) {
    spec.defines.emplace_back("HELD_BYTES", hooks.held_bytes.value_or(0));
  }
}

}  // namespace

std::string_view word_part(const Question& of) {
  // A ring's packed sums are added in words as well.
  switch (of.request.layout.words) {
    case WordOperation::bits: return "word_bits";
    case WordOperation::extrema: return "word_extrema";
    case WordOperation::sums:
    case WordOperation::none: break;
  }
  return "word_sums";
}

std::optional<OperatorKind> operator_of_fields(const Question& of) {
  const PlanShape& on = shape(of);
  const bool as_they_are =
      on.input == on.accumulator && stores_accumulators(on) && on.map.is_identity() && !on.second;
  if (!as_they_are || has(of).tries_types) return {};
  return field_operator(on.op, on.accumulator);
}

void add_needs(const Question& of, const PartList& list, KernelSpec& spec) {
  const auto part = [&list](std::string_view name) {
    const auto& parts = list.parts();
    return std::find(parts.begin(), parts.end(), name) != parts.end();
  };
  spec.launch.overlaps = part("launch_overlapped");
  if (part("count_device") || part("init_counted") || part("line_init_counted")) {
    spec.count = shape(of).on_device.count;
  }
  const std::optional<SegmentShape>& segments = shape(of).segments;
  if (part("segment_bounds") && segments) spec.bounds = segments->bounds;
  if (part("line_count_device")) spec.line_count = shape(of).on_device.lines;
  if (part("line_places")) {
    spec.defines.emplace_back("REVERSED", shape(of).reverse ? 1 : 0);
    spec.defines.emplace_back("UNIT_STRIDE", has_unit_stride(shape(of)) ? 1 : 0);
  }
  if (part("lanes_subgroup")) spec.defines.emplace_back("LANES", has(of).subgroup_width);
  if (list.has("word_fold") || list.has("word_addition")) define_words(of, spec);
  define_limits(of, list, spec);
  if (list.has("atomic_accumulator")) define_atomic(has(of), spec);
  if (part("arrays_of_fields_chunks") || part("array_sums_of_fields_chunks") ||
      part("lane_combination_of_fields_chunks")) {
    spec.field_operator = operator_of_fields(of);
  }
  spec.takes_fields = part("acc_access_fields_chunks");
  constexpr std::uint32_t vector_bytes = 16;
  if (part("order_warp_tile_vectors_chunks") || part("lanes_of_values_chunks")) {
    spec.vector_lanes = order_v1::scan_warp_tile_rows;
  } else if (part("tile_vectors_chunks")) {
    spec.vector_lanes = vector_bytes / static_cast<std::uint32_t>(size_of(shape(of).input));
  }
}

}  // namespace bifold::core
