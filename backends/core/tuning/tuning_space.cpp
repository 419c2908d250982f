#include "core/tuning/tuning_space.hpp"

#include <algorithm>
#include <bit>

#include "core/text/checked_text.hpp"

namespace bifold::core {

namespace {

using Kind = ElementClass::Kind;

struct Space {
  Algorithm algorithm;
  std::string_view row;
  std::vector<TuningParameter> parameters;
};

// Values of one name mean the same in all rows, so most rows take the same ones. UNROLL counts rows
// that are on their way at once, of order v1 of narrower rows than 16 bytes as many as have the
// bytes of so many of those, and half as many of two leaves of halves. Between two values of
// low_occupancy_max_mib lies a size that `tune` measures. Of the ring, seven stages fit, and a
// look-back trails by fewer tiles than there are stages: behind that, it would take a stage's next
// tile for the one it waits for.
const std::vector<Space>& spaces() {
  static const TuningParameter group{&Tuning::group_size, {32, 64, 128, 256, 512, 1024}};
  static const TuningParameter unroll{&Tuning::unroll, {1, 2, 4, 8, 16}};
  static const TuningParameter low_occupancy_max{&Tuning::low_occupancy_max_mib, {4, 24, 64}};
  static const TuningParameter small_group{&Tuning::small_group, {32, 64, 128, 256, 512}};
  static const TuningParameter large_from{&Tuning::large_from_mib, {8, 16, 32, 64, 128, 256, 512}};
  static const TuningParameter rows{&Tuning::rows, {1, 2, 3, 4, 6, 8, 10, 12, 16}};
  static const TuningParameter per_unit{&Tuning::groups_per_unit,
                                        {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64}};
  static const TuningParameter stripes{&Tuning::stripes, {32, 64, 128, 256, 512}};
  static const TuningParameter at_least{
      &Tuning::at_least_mib,
      {1, 2, 4, 6, 7, 8, 9, 12, 16, 18, 20, 21, 24, 28, 32, 48, 64, 96, 128, 192, 256}};
  static const std::vector<TuningParameter> ring{at_least,
                                                 {&Tuning::stages, {4, 5, 6, 7}},
                                                 {&Tuning::reducing, {4, 8}},
                                                 {&Tuning::lookback_distance_tiles, {1, 2, 3}},
                                                 {&Tuning::lookback_distance_groups, {1, 2, 3}},
                                                 {&Tuning::group_polls, {16, 64, 256}}};
  // Tiles are kept in private memory: 32 KiB each, and up to five times as much of wide structs.
  static const TuningParameter drawn_tiles{&Tuning::drawn_tiles, {1, 2, 4, 8}};
  // What is gathered takes local memory.
  static const TuningParameter selecting_group{&Tuning::group_size, {64, 128, 256, 512}};
  static const TuningParameter per_item{&Tuning::per_item, {1, 2, 4, 6, 8, 12, 16}};
  static const std::vector<Space> table{
      {Algorithm::reduce, "vector", {group, unroll, per_unit}},
      {Algorithm::reduce, "chunks", {stripes, per_unit}},
      {Algorithm::reduce, "ordered", {group, rows, per_unit}},
      {Algorithm::reduce, "catanzaro", {group, per_unit}},
      {Algorithm::reduce, "order_v1", {group, unroll}},
      {Algorithm::reduce,
       "order_v1_single",
       {group, unroll, low_occupancy_max, small_group, large_from}},
      {Algorithm::reduce, "order_v1_chunks", {per_unit}},
      {Algorithm::reduce, "order_v1_single_chunks", {per_unit}},
      {Algorithm::reduce, "order_v1_ordered", {group}},
      {Algorithm::reduce, "order_v1_ordered_chunks", {per_unit}},
      {Algorithm::reduce, "order_v1_ordered_single", {group}},
      {Algorithm::reduce, "order_v1_ordered_single_chunks", {per_unit}},
      {Algorithm::reduce, "lines_v1", {group}},
      {Algorithm::reduce, "lines_chunks_v1", {per_unit}},
      {Algorithm::reduce, "lines_v1_ordered", {group}},
      {Algorithm::reduce, "segments_v1", {group}},
      {Algorithm::reduce, "segments_chunks_v1", {per_unit}},
      {Algorithm::scan, "chunks", {stripes, per_unit}},
      {Algorithm::scan, "reduce_then_scan", {group, rows, per_unit}},
      {Algorithm::scan, "lookback_warp", {group, rows}},
      {Algorithm::scan, "order_v1", {group}},
      {Algorithm::scan, "order_v1_ahead", {at_least, group, per_unit}},
      {Algorithm::scan, "order_v1_ring", ring},
      {Algorithm::scan, "order_v1_passes", {group}},
      {Algorithm::scan, "order_v1_chunks", {per_unit}},
      {Algorithm::scan, "order_v1_drawn", {per_unit, drawn_tiles}},
      {Algorithm::scan, "order_v1_packs", {per_unit, drawn_tiles}},
      {Algorithm::scan, "lines_v1", {group}},
      {Algorithm::scan, "lines_v1_lookback", {group}},
      {Algorithm::scan, "lines_chunks_v1", {per_unit}},
      {Algorithm::select, "ring", ring},
      {Algorithm::select, "lookback", {selecting_group, per_item}},
      {Algorithm::select, "drawn", {per_unit}},
      {Algorithm::select, "passes", {selecting_group, per_item, per_unit}},
  };
  return table;
}

constexpr std::uint32_t widest = 64;
static_assert(widest == max_element_bytes);

Kind kind_of(Type type) {
  if (type.is_struct()) return Kind::structure;
  return is_floating(type) ? Kind::floating : Kind::integer;
}

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::floating: return "floating";
    case Kind::structure: return "struct";
    case Kind::integer: break;
  }
  return "integer";
}

}  // namespace

bool TuningParameter::allows(std::uint32_t value) const noexcept {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::span<const TuningParameter> tuning_space(const gallery::Variant& row) {
  for (const Space& space : spaces()) {
    if (space.algorithm == row.algorithm && space.row == row.name) return space.parameters;
  }
  return {};
}

ElementClass element_class(Algorithm algorithm, const PlanShape& shape) {
  std::size_t bytes = size_of(shape.input);
  if (algorithm != Algorithm::reduce) bytes = std::max(bytes, size_of(shape.output));
  return {kind_of(shape.accumulator), static_cast<std::uint32_t>(std::bit_ceil(bytes))};
}

std::string name_of(const ElementClass& elements) {
  return std::string(name_of(elements.kind)) + " " + std::to_string(elements.bytes);
}

std::optional<ElementClass> element_class_of(std::string_view kind, std::string_view bytes) {
  const auto number = number_in<std::uint32_t>(bytes);
  if (!number || !std::has_single_bit(*number) || *number > widest) return {};
  for (const Kind one : {Kind::integer, Kind::floating, Kind::structure}) {
    if (name_of(one) == kind) return ElementClass{one, *number};
  }
  return {};
}

}  // namespace bifold::core
