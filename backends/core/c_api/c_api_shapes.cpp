#include "core/c_api/c_api_shapes.hpp"

#include <string>

namespace bifold::c_api {

namespace {

static_assert(static_cast<int>(ScanKind::inclusive) == BIFOLD_INCLUSIVE &&
              static_cast<int>(ScanKind::exclusive) == BIFOLD_EXCLUSIVE);

DeviceValues values_from(bifold_device_values values) {
  constexpr bifold_device_values counts = BIFOLD_COUNT_U32 | BIFOLD_COUNT_U64;
  constexpr bifold_device_values lines = BIFOLD_LINES_U32 | BIFOLD_LINES_U64;
  constexpr bifold_device_values all = counts | BIFOLD_INIT | BIFOLD_TOTAL | lines;
  if ((values & ~all) != 0 || (values & counts) == counts || (values & lines) == lines) {
    refuse("on_device: no such values: " + std::to_string(values));
  }
  DeviceValues known{{}, (values & BIFOLD_INIT) != 0, (values & BIFOLD_TOTAL) != 0};
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

}  // namespace

ReduceShape reduce_shape_from(const bifold_reduce_shape* shape) {
  const auto given = read_struct(
      &need(shape, "shape"), BIFOLD_C_SIZE_TO(bifold_reduce_shape, accumulator), "reduce shape");
  const Operator& op = need(given.op, "op").value;
  const Type accumulator = type_from(given.accumulator);
  return {type_from(given.input),
          accumulator,
          op,
          variant_or_default(given.variant),
          map_or_identity(given.map),
          values_from(given.on_device),
          order_from(given.order),
          type_or_none(given.second),
          type_or_none(given.result),
          given.lines != 0,
          result_map_from(given.result_map)};
}

ScanShape scan_shape_from(const bifold_scan_shape* shape) {
  const auto given =
      read_struct(&need(shape, "shape"), BIFOLD_C_SIZE_TO(bifold_scan_shape, kind), "scan shape");
  if (given.kind != BIFOLD_INCLUSIVE && given.kind != BIFOLD_EXCLUSIVE) {
    refuse("no such kind of scan");
  }
  const Operator& op = need(given.op, "op").value;
  const Type accumulator = type_from(given.accumulator);
  return {type_from(given.input),
          type_from(given.output),
          accumulator,
          static_cast<ScanKind>(given.kind),
          op,
          variant_or_default(given.variant),
          values_from(given.on_device),
          order_from(given.order),
          map_or_identity(given.map),
          given.lines != 0,
          given.reverse != 0,
          result_map_from(given.result_map)};
}

}  // namespace bifold::c_api
