#include "core/tuning/tuning.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <bit>
#include <string>
#include <vector>

#include "core/base/format.hpp"
#include "core/kernel/architecture.hpp"
#include "core/tuning/parameters.hpp"

namespace bifold::core {

namespace {

struct Defaults {
  std::string_view family;
  Tuning gpu;
  Tuning cpu;
};

// The values that all single-pass scans have.
Tuning single_pass(std::uint32_t group_size, std::uint32_t rows) {
  return {.group_size = group_size, .rows = rows, .vector_bytes = 16};
}

// Those of kernels over a ring. How many stages it has is up to the elements: ring_stages().
Tuning ring(std::uint32_t at_least_mib) {
  return {.at_least_mib = at_least_mib,
          .reducing = 8,
          .l2_evict_first_min_mib = 40,
          .l2_evict_first_max_mib = 88,
          .lookback_distance_tiles = 3,
          .lookback_distance_groups = 2,
          .group_polls = 64};
}

// One line per family; a device kind without values of its own takes the GPU's, which were measured
// on sm_90, as those of CPUs were on one. A row of the table in gallery.cpp may fix some of them.
// On CPUs the rows in the GPU's shape are there to be compared: more ROWS would only cost their
// compilers seconds.
const std::vector<Defaults>& defaults() {
  static const std::vector<Defaults> table{
      {"reduce_vector",
       {.group_size = 256, .unroll = 4, .vector_bytes = 16, .groups_per_unit = 8},
       {.group_size = 16, .unroll = 4, .vector_bytes = 16, .groups_per_unit = 8}},
      {"reduce_chunks", {}, {.stripes = 256, .groups_per_unit = 4}},
      {"reduce_order", {.group_size = 512, .unroll = 8}, {.group_size = 32, .unroll = 8}},
      {"reduce_order_single",
       {.group_size = 512,
        .unroll = 8,
        .small_group = 128,
        .low_occupancy_max_mib = 24,
        .large_from_mib = 64,
        .half_kept_from_mib = 1,
        .half_kept_bytes_from_mib = 1,
        .half_kept_to_mib = 1},
       {.group_size = 32,
        .unroll = 8,
        .small_group = 32,
        .low_occupancy_max_mib = 24,
        .large_from_mib = 64,
        .half_kept_from_mib = 1,
        .half_kept_bytes_from_mib = 1,
        .half_kept_to_mib = 1}},
      {"reduce_order_chunks", {}, {.groups_per_unit = 16, .past_caches_from_kib = 32768}},
      {"reduce_order_single_chunks", {}, {.groups_per_unit = 16, .past_caches_from_kib = 32768}},
      {"reduce_order_tiles", {.group_size = 256}, {.group_size = 256}},
      {"reduce_lines", {.group_size = 512}, {.group_size = 64}},
      {"reduce_segments", {.group_size = 256}, {.group_size = 32}},
      {"reduce_segment_chunks", {}, {.groups_per_unit = 16}},
      {"reduce_line_chunks", {}, {.groups_per_unit = 16}},
      {"reduce_order_tile_chunks", {}, {.groups_per_unit = 4}},
      {"reduce_catanzaro",
       {.group_size = 256, .groups_per_unit = 8},
       {.group_size = 64, .groups_per_unit = 8}},
      {"reduce_persistent",
       {.group_size = 256, .unroll = 8, .groups_per_unit = 8},
       {.group_size = 64, .unroll = 8, .groups_per_unit = 8}},
      {"reduce_oancea", {.group_size = 256}, {.group_size = 64}},
      {"reduce_oancea_atomic", {.group_size = 256}, {.group_size = 64}},
      {"reduce_staged_ordered",
       {.group_size = 256, .per_item = 7, .groups = 1024},
       {.group_size = 64, .per_item = 7, .groups = 16}},
      {"reduce_dillhoff", {.group_size = 256}, {.group_size = 64}},
      {"reduce_dillhoff_atomic", {.group_size = 256}, {.group_size = 64}},
      {"reduce_harris", {.group_size = 256}, {.group_size = 64}},
      {"reduce_luitjens", {.group_size = 512, .groups = 1024}, {.group_size = 64, .groups = 16}},
      {"reduce_luitjens_vector",
       {.group_size = 512, .groups = 1024},
       {.group_size = 64, .groups = 16}},
      {"reduce_luitjens_atomic",
       {.group_size = 512, .groups = 1024},
       {.group_size = 64, .groups = 16}},
      {"scan_chunks", {}, {.stripes = 256, .groups_per_unit = 4}},
      // The reduction "ordered" shares this family.
      {"scan_reduce_then_scan",
       {.group_size = 256, .rows = 8, .vector_bytes = 16, .groups_per_unit = 6},
       {.group_size = 64, .rows = 1, .vector_bytes = 16, .groups_per_unit = 4}},
      {"scan_blelloch", {.group_size = 256}, {.group_size = 64}},
      {"scan_hillis_steele", {.group_size = 256}, {.group_size = 64}},
      {"scan_chained", single_pass(256, 8), single_pass(64, 1)},
      {"scan_lookback", single_pass(256, 8), single_pass(64, 1)},
      {"scan_lookback_warp_copy", single_pass(256, 8), single_pass(64, 1)},
      {"scan_lookback_warp", single_pass(256, 8), single_pass(64, 1)},
      {"scan_order", {.group_size = 256}, {.group_size = 256}},
      {"scan_order_ahead",
       {.at_least_mib = 64, .group_size = 256, .groups_per_unit = 2},
       {.at_least_mib = 64, .group_size = 256, .groups_per_unit = 2}},
      {"scan_order_ring", ring(21), {}},
      // The reductions in index order share these two.
      {"scan_order_passes", {.group_size = 256}, {.group_size = 256}},
      {"scan_lines", {.group_size = 256}, {.group_size = 64}},
      {"scan_line_chunks", {}, {.groups_per_unit = 16, .past_caches_from_kib = 32768}},
      {"scan_line_lookback", {.group_size = 256}, {.group_size = 64}},
      {"total_line_tiles", {.group_size = 256}, {.group_size = 64}},
      {"scan_order_chunks", {}, {.groups_per_unit = 4, .past_caches_from_kib = 32768}},
      {"scan_order_drawn",
       {},
       {.groups_per_unit = 8, .drawn_tiles = 2, .past_caches_from_kib = 32768}},
      {"select_lookback", {.group_size = 256, .per_item = 16}, {.group_size = 64, .per_item = 4}},
      {"select_ring", ring(2), {}},
      {"select_drawn", {}, {.groups_per_unit = 8}},
      {"select_passes",
       {.group_size = 256, .per_item = 16, .groups_per_unit = 6},
       {.group_size = 64, .per_item = 4, .groups_per_unit = 4}},
  };
  return table;
}

// What other architectures take instead of the GPU's values. Nothing of it was measured, so it is
// no more than what the hardware's limits say:
// - Groups beyond those that a unit holds at once wait for a second turn. A multiprocessor of
//   sm_80, sm_90 and sm_100 holds 2048 work-items, one of sm_86 and sm_120 1536, one of sm_75 1024;
//   a unit of gfx9 2048, one of gfx10 and later 1024.
// - A kernel's text is the same for all of NVIDIA's, so that PTX made while building serves them.
// - Of 1024 work-items at once, groups of 512 leave half idle while one of them ends.
// - A unit of Intel's is small: 8 threads of 128 registers of 32 bytes. With 32 lanes, a lane has
//   32 words, with 16 it has 64, of which whole vectors in flight take 4 each. A warp tile of order
//   v1 has 32 words for each lane, which are loaded once more instead of being kept.
// - How much is about what a cache holds was measured on sm_90, whose caches have 50 and 60 MiB.
//   Of a reduction it takes a kernel more, which others do without. A ring has the bounds in its
//   text.
// - Of what is unknown, half of everything is the least that can be wrong with it.
struct Adjustment {
  std::vector<Architecture> architectures;
  std::string_view family;
  Tuning values;
};

const std::vector<Adjustment>& adjustments() {
  using enum Architecture;
  static const std::vector<Adjustment> table{
      {{sm_75, gfx10, gfx11, gfx12, unknown}, "reduce_vector", {.groups_per_unit = 4}},
      {{sm_86, sm_120}, "reduce_vector", {.groups_per_unit = 6}},
      {{intel}, "reduce_vector", {.unroll = 2, .groups_per_unit = 2}},
      {{sm_75, gfx10, gfx11, gfx12}, "scan_reduce_then_scan", {.groups_per_unit = 4}},
      {{intel}, "scan_reduce_then_scan", {.rows = 3, .groups_per_unit = 2}},
      {{unknown}, "scan_reduce_then_scan", {.rows = 4, .groups_per_unit = 4}},
      {{intel}, "scan_lookback_warp", {.rows = 3}},
      {{intel}, "scan_order", {.loads_of_tile = 2}},
      {{intel}, "scan_order_ahead", {.loads_of_tile = 2}},
      {{intel}, "scan_order_passes", {.loads_of_tile = 2}},
      {{intel}, "reduce_order_tiles", {.loads_of_tile = 2}},
      {{unknown}, "scan_lookback_warp", {.rows = 4}},
      {{gfx10, gfx11, gfx12}, "reduce_order", {.group_size = 256}},
      {{intel, unknown}, "reduce_order", {.group_size = 256, .unroll = 4}},
      {{gfx10, gfx11, gfx12}, "reduce_order_single", {.group_size = 256}},
      {{sm_90},
       "reduce_order_single",
       {.half_kept_from_mib = 50, .half_kept_bytes_from_mib = 24, .half_kept_to_mib = 96}},
      {{intel, unknown}, "reduce_order_single", {.group_size = 256, .unroll = 4}},
  };
  return table;
}

// The family's values on such devices, before anything else is known of them.
Tuning values_of(std::string_view family, DeviceKind kind) {
  const auto& table = defaults();
  const auto row = std::find_if(table.begin(), table.end(),
                                [family](const Defaults& one) { return one.family == family; });
  if (row == table.end()) return {};
  return kind == DeviceKind::cpu || is_empty(row->gpu) ? row->cpu : row->gpu;
}

// A tile of 8-byte elements stays longest, which takes all the stages that fit; of others, a group
// had better not load that far ahead of what it stores.
std::uint32_t ring_stages(std::size_t element_bytes) {
  if (element_bytes < 4) return 5;
  return element_bytes == 4 ? 4 : 7;
}

// A vector has 16 bytes whatever the type: with one-byte elements a work-item's rows hold four
// times as many values. Where tiles look back, NVIDIA's cope best with that by smaller groups;
// otherwise there are fewer rows, which leaves registers.
void fit_narrow_elements(Tuning& tuning, const gallery::Variant& variant,
                         const Capabilities& capabilities, Architecture architecture,
                         std::size_t element_bytes) {
  if (element_bytes == 1) {
    const bool small_groups =
        variant.family == "scan_lookback_warp" && capabilities.architecture.starts_with("sm_");
    if (small_groups) {
      tuning.group_size = std::min<std::uint32_t>(tuning.group_size.value(), 128);
    } else if (tuning.rows) {
      tuning.rows = std::min<std::uint32_t>(*tuning.rows, 6);
    }
  }
  // Where a lane has 32 words, one vector of 8 or 16 values is enough.
  const bool few_words = architecture == Architecture::intel && element_bytes < 4;
  if (few_words && tuning.rows) tuning.rows = 1;
}

}  // namespace

std::uint64_t own_cache_bytes(DeviceKind kind, const Capabilities& capabilities) {
  if (kind != DeviceKind::cpu) return capabilities.cache_bytes;
  constexpr std::uint64_t most_per_unit = std::uint64_t{16} << 20;
  return std::min(capabilities.cache_bytes, capabilities.compute_units * most_per_unit);
}

Tuning default_tuning(const gallery::Variant& variant, const Tuning& fixed, DeviceKind kind,
                      const Capabilities& capabilities, std::size_t element_bytes) {
  Tuning tuning = values_of(variant.family, kind);
  const Architecture architecture = architecture_class(kind, capabilities.architecture);
  for (const Adjustment& line : adjustments()) {
    const auto& all = line.architectures;
    if (line.family != variant.family) continue;
    if (std::find(all.begin(), all.end(), architecture) == all.end()) continue;
    tuning = changed(tuning, line.values);
  }
  if (variant.requirements.ring_bytes > 0) tuning.stages = ring_stages(element_bytes);
  if (tuning.group_size) {
    // A group is made of whole warps.
    tuning.group_size = std::clamp(*tuning.group_size, std::max(capabilities.subgroup_width, 1U),
                                   std::bit_floor(capabilities.max_group_size));
  }
  fit_narrow_elements(tuning, variant, capabilities, architecture, element_bytes);
  // What the caches cannot keep until it is asked for need not go there. Less than a MiB is no last
  // cache, but all that some drivers tell of.
  const std::uint64_t kib = own_cache_bytes(kind, capabilities) >> 10;
  if (tuning.past_caches_from_kib && kib >= 1024) {
    tuning.past_caches_from_kib =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(kib, 0xffffffff));
  }
  // What a group stages has to leave room in local memory, however wide an element is.
  constexpr std::uint32_t staged_bytes = 16384;
  if (tuning.per_item) {
    const auto row_bytes = static_cast<std::uint32_t>(element_bytes) * tuning.group_size.value();
    tuning.per_item = std::clamp(staged_bytes / row_bytes, 1U, *tuning.per_item);
  }
  return changed(tuning, fixed);
}

void require_values(const Tuning& tuning, const gallery::Variant& variant, const Tuning& fixed,
                    DeviceKind kind) {
  const Tuning wanted = changed(values_of(variant.family, kind), fixed);
  for (const Parameter& parameter : parameters()) {
    if (!(wanted.*parameter.member) || tuning.*parameter.member) continue;
    throw Error(ErrorCategory::invalid_argument,
                formatted("the tuning of {} has no {}", variant.name, parameter.name));
  }
}

}  // namespace bifold::core
