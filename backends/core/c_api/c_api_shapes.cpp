#include "core/c_api/c_api_shapes.hpp"

#include <string>
#include <utility>
#include <vector>

namespace bifold::c_api {

namespace {

static_assert(static_cast<int>(ScanKind::inclusive) == BIFOLD_INCLUSIVE &&
              static_cast<int>(ScanKind::exclusive) == BIFOLD_EXCLUSIVE);
static_assert(static_cast<int>(Rejected::dropped) == BIFOLD_REJECTED_DROPPED &&
              static_cast<int>(Rejected::in_order) == BIFOLD_REJECTED_IN_ORDER &&
              static_cast<int>(Rejected::reversed) == BIFOLD_REJECTED_REVERSED);

DeviceValues values_from(bifold_device_values values, std::uint32_t scalars) {
  constexpr bifold_device_values counts = BIFOLD_COUNT_U32 | BIFOLD_COUNT_U64;
  constexpr bifold_device_values lines = BIFOLD_LINES_U32 | BIFOLD_LINES_U64;
  constexpr bifold_device_values all = counts | BIFOLD_INIT | BIFOLD_TOTAL | lines;
  if ((values & ~all) != 0 || (values & counts) == counts || (values & lines) == lines) {
    refuse("on_device: no such values: " + std::to_string(values));
  }
  DeviceValues known{{}, (values & BIFOLD_INIT) != 0, (values & BIFOLD_TOTAL) != 0, {}, scalars};
  if ((values & counts) != 0) {
    known.count = (values & BIFOLD_COUNT_U32) != 0 ? Type::u32 : Type::u64;
  }
  if ((values & lines) != 0) {
    known.lines = (values & BIFOLD_LINES_U32) != 0 ? Type::u32 : Type::u64;
  }
  return known;
}

std::optional<Type> type_or_none(const bifold_type* type) {
  if (type == nullptr) return {};
  return type_from(*type);
}

std::vector<OutputShape> outputs_from(const bifold_output_shape* outputs, std::size_t count) {
  if (count > 0) need(outputs, "more_outputs");
  if (count >= max_outputs) refuse("more_outputs: a call has at most 4 outputs");
  std::vector<OutputShape> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bifold_output_shape& one = outputs[i];
    all.push_back(
        {type_from(one.type), result_map_from(one.result_map, one.scalars, one.scalar_count)});
  }
  return all;
}

std::vector<Type> types_from(const bifold_type* types, std::size_t count) {
  if (count > 0) need(types, "more_inputs");
  if (count >= max_inputs) refuse("more_inputs: a map takes at most 4 arrays");
  std::vector<Type> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) all.push_back(type_from(types[i]));
  return all;
}

std::optional<SegmentShape> segments_from(const bifold_reduce_shape& given) {
  if (given.segments == nullptr) return {};
  return SegmentShape{type_from(*given.segments), given.segment_faults != 0};
}

std::optional<KeyShape> keys_from(const bifold_key_shape* given) {
  if (given == nullptr) return {};
  return KeyShape{type_from(given->keys), type_from(given->unique), type_from(given->runs),
                  map_or_identity(given->equality)};
}

}  // namespace

ReduceShape reduce_shape_from(const bifold_reduce_shape* shape) {
  const auto given = read_struct(
      &need(shape, "shape"), BIFOLD_C_SIZE_TO(bifold_reduce_shape, accumulator), "reduce shape");
  const Operator& op = need(given.op, "op").value;
  const Type accumulator = type_from(given.accumulator);
  std::vector<Type> more_inputs = types_from(given.more_inputs, given.more_input_count);
  if (given.second != nullptr && !more_inputs.empty()) {
    more_inputs.insert(more_inputs.begin(), type_from(*given.second));
  }
  return {
      type_from(given.input),
      accumulator,
      op,
      variant_or_default(given.variant),
      map_or_identity(given.map),
      values_from(given.on_device, given.scalars_on_device),
      order_from(given.order),
      more_inputs.empty() ? type_or_none(given.second) : std::nullopt,
      type_or_none(given.result),
      given.lines != 0,
      result_map_from(given.result_map, given.result_map_scalars, given.result_map_scalar_count),
      outputs_from(given.more_outputs, given.more_output_count),
      std::move(more_inputs),
      segments_from(given),
      keys_from(given.keys)};
}

ScanShape scan_shape_from(const bifold_scan_shape* shape) {
  const auto given =
      read_struct(&need(shape, "shape"), BIFOLD_C_SIZE_TO(bifold_scan_shape, kind), "scan shape");
  if (given.kind != BIFOLD_INCLUSIVE && given.kind != BIFOLD_EXCLUSIVE) {
    refuse("no such kind of scan");
  }
  const Operator& op = need(given.op, "op").value;
  const Type accumulator = type_from(given.accumulator);
  return {
      type_from(given.input),
      type_from(given.output),
      accumulator,
      static_cast<ScanKind>(given.kind),
      op,
      variant_or_default(given.variant),
      values_from(given.on_device, given.scalars_on_device),
      order_from(given.order),
      map_or_identity(given.map),
      given.lines != 0,
      given.reverse != 0,
      result_map_from(given.result_map, given.result_map_scalars, given.result_map_scalar_count),
      outputs_from(given.more_outputs, given.more_output_count),
      types_from(given.more_inputs, given.more_input_count)};
}

SelectShape select_shape_from(const bifold_select_shape* shape) {
  const bifold_select_shape given =
      read_struct(&need(shape, "shape"), BIFOLD_C_SIZE_TO(bifold_select_shape, scalars_on_device),
                  "select shape");
  if (given.rejected < BIFOLD_REJECTED_DROPPED || given.rejected > BIFOLD_REJECTED_REVERSED) {
    refuse("rejected: there is no such number");
  }
  return {.input = type_from(given.input),
          .output = type_from(given.output),
          .kept = type_from(given.kept),
          .predicate = map_or_identity(given.predicate),
          .flags = type_or_none(given.flags),
          .selected = given.indices != 0 ? Selected::indices : Selected::elements,
          .variant = variant_or_default(given.variant),
          .on_device = values_from(given.on_device, given.scalars_on_device),
          .rejected = static_cast<Rejected>(given.rejected),
          .first_of_runs = given.first_of_runs != 0,
          .values = type_or_none(given.values),
          .stored_values = type_or_none(given.stored_values)};
}

}  // namespace bifold::c_api
