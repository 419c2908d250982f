#include "core/tuning/tuning.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <bit>
#include <string>
#include <vector>

#include "core/kernel/architecture.hpp"
#include "core/tuning/tuning_space.hpp"

namespace bifold::core {

namespace {

struct Defaults {
  std::string_view family;
  Tuning gpu;
  Tuning cpu;
};

// The values that all single-pass scans have.
Tuning single_pass(std::uint32_t group_size, std::uint32_t rows, std::uint32_t spin_limit) {
  return {{"GROUP_SIZE", group_size},
          {"ROWS", rows},
          {"pack_bytes", 16},
          {"SPIN_LIMIT", spin_limit},
          {"EPOCH_LIMIT", 0x3fffffff}};
}

// One line per family; a device kind without values of its own takes the GPU's, which were measured
// on sm_90, as those of CPUs were on one. A row of the table in gallery.cpp may fix some of them.
// On CPUs the rows in the GPU's shape are there to be compared: more ROWS would only cost their
// compilers seconds.
const std::vector<Defaults>& defaults() {
  static const std::vector<Defaults> table{
      {"reduce_vector",
       {{"GROUP_SIZE", 256}, {"UNROLL", 4}, {"pack_bytes", 16}, {"groups_per_unit", 8}},
       {{"GROUP_SIZE", 16}, {"UNROLL", 4}, {"pack_bytes", 16}, {"groups_per_unit", 8}}},
      {"reduce_chunks", {}, {{"STRIPES", 256}, {"groups_per_unit", 4}}},
      {"reduce_order", {{"GROUP_SIZE", 512}, {"UNROLL", 8}}, {{"GROUP_SIZE", 32}, {"UNROLL", 8}}},
      {"reduce_order_single",
       {{"GROUP_SIZE", 512},
        {"UNROLL", 8},
        {"small_group", 128},
        {"quick_to_mib", 24},
        {"large_from_mib", 64},
        {"half_kept_from_mib", 1},
        {"half_kept_bytes_from_mib", 1},
        {"half_kept_to_mib", 1}},
       {{"GROUP_SIZE", 32},
        {"UNROLL", 8},
        {"small_group", 32},
        {"quick_to_mib", 24},
        {"large_from_mib", 64},
        {"half_kept_from_mib", 1},
        {"half_kept_bytes_from_mib", 1},
        {"half_kept_to_mib", 1}}},
      {"reduce_order_chunks",
       {},
       {{"groups_per_unit", 16}, {"HELD_BYTES", 0}, {past_caches_from_kib, 32768}}},
      {"reduce_order_single_chunks",
       {},
       {{"groups_per_unit", 16}, {"HELD_BYTES", 0}, {past_caches_from_kib, 32768}}},
      {"reduce_order_tiles", {{"GROUP_SIZE", 256}}, {{"GROUP_SIZE", 256}}},
      {"reduce_order_tile_chunks", {}, {{"groups_per_unit", 4}}},
      {"reduce_catanzaro",
       {{"GROUP_SIZE", 256}, {"groups_per_unit", 8}},
       {{"GROUP_SIZE", 64}, {"groups_per_unit", 8}}},
      {"reduce_persistent",
       {{"GROUP_SIZE", 256}, {"UNROLL", 8}, {"groups_per_unit", 8}},
       {{"GROUP_SIZE", 64}, {"UNROLL", 8}, {"groups_per_unit", 8}}},
      {"reduce_oancea", {{"GROUP_SIZE", 256}}, {{"GROUP_SIZE", 64}}},
      {"reduce_oancea_atomic", {{"GROUP_SIZE", 256}}, {{"GROUP_SIZE", 64}}},
      {"reduce_staged_ordered",
       {{"GROUP_SIZE", 256}, {"PER_ITEM", 7}, {"groups", 1024}},
       {{"GROUP_SIZE", 64}, {"PER_ITEM", 7}, {"groups", 16}}},
      {"reduce_dillhoff", {{"GROUP_SIZE", 256}}, {{"GROUP_SIZE", 64}}},
      {"reduce_dillhoff_atomic", {{"GROUP_SIZE", 256}}, {{"GROUP_SIZE", 64}}},
      {"reduce_harris", {{"GROUP_SIZE", 256}}, {{"GROUP_SIZE", 64}}},
      {"reduce_luitjens",
       {{"GROUP_SIZE", 512}, {"groups", 1024}},
       {{"GROUP_SIZE", 64}, {"groups", 16}}},
      {"reduce_luitjens_vector",
       {{"GROUP_SIZE", 512}, {"groups", 1024}},
       {{"GROUP_SIZE", 64}, {"groups", 16}}},
      {"reduce_luitjens_atomic",
       {{"GROUP_SIZE", 512}, {"groups", 1024}},
       {{"GROUP_SIZE", 64}, {"groups", 16}}},
      {"scan_chunks", {}, {{"STRIPES", 256}, {"groups_per_unit", 4}}},
      // The reduction "ordered" shares this family.
      {"scan_reduce_then_scan",
       {{"GROUP_SIZE", 256}, {"ROWS", 8}, {"pack_bytes", 16}, {"groups_per_unit", 6}},
       {{"GROUP_SIZE", 64}, {"ROWS", 1}, {"pack_bytes", 16}, {"groups_per_unit", 4}}},
      {"scan_blelloch", {{"GROUP_SIZE", 256}}, {{"GROUP_SIZE", 64}}},
      {"scan_hillis_steele", {{"GROUP_SIZE", 256}}, {{"GROUP_SIZE", 64}}},
      {"scan_chained", single_pass(256, 8, 16384), single_pass(64, 1, 1024)},
      {"scan_lookback", single_pass(256, 8, 16384), single_pass(64, 1, 1024)},
      {"scan_lookback_warp_copy", single_pass(256, 8, 16384), single_pass(64, 1, 1024)},
      {"scan_lookback_warp", single_pass(256, 8, 16384), single_pass(64, 1, 1024)},
      {"scan_order",
       {{"GROUP_SIZE", 256},
        {"PUBLISHED_EVERY", 1},
        {"SPIN_LIMIT", 16384},
        {"EPOCH_LIMIT", 0x3fffffff}},
       {{"GROUP_SIZE", 256},
        {"PUBLISHED_EVERY", 1},
        {"SPIN_LIMIT", 1024},
        {"EPOCH_LIMIT", 0x3fffffff}}},
      {"scan_order_ahead",
       {{at_least_mib, 64},
        {"GROUP_SIZE", 256},
        {"groups_per_unit", 2},
        {"PUBLISHED_EVERY", 1},
        {"SPIN_LIMIT", 16384},
        {"EPOCH_LIMIT", 0x3fffffff}},
       {{at_least_mib, 64},
        {"GROUP_SIZE", 256},
        {"groups_per_unit", 2},
        {"PUBLISHED_EVERY", 1},
        {"SPIN_LIMIT", 1024},
        {"EPOCH_LIMIT", 0x3fffffff}}},
      {"scan_order_ring",
       {{at_least_mib, 21},
        {"STAGES", 7},
        {"REDUCING", 8},
        {"L2_EVICT_FIRST_MIN_MIB", 40},
        {"L2_EVICT_FIRST_MAX_MIB", 88},
        {"LOOKBACK_DISTANCE_TILES", 3},
        {"LOOKBACK_DISTANCE_GROUPS", 2},
        {"GROUP_POLLS", 64},
        {"PUBLISHED_EVERY", 1},
        {"SPIN_LIMIT", 16384},
        {"EPOCH_LIMIT", 0x3fffffff}},
       {}},
      // The reductions in index order share these two.
      {"scan_order_passes", {{"GROUP_SIZE", 256}}, {{"GROUP_SIZE", 256}}},
      {"scan_order_chunks", {}, {{"groups_per_unit", 4}, {past_caches_from_kib, 32768}}},
      {"scan_order_drawn",
       {},
       {{"DRAWN_TILES", 2},
        {"groups_per_unit", 8},
        {past_caches_from_kib, 32768},
        {"PUBLISHED_EVERY", 1},
        {"SPIN_LIMIT", 16384},
        {"EPOCH_LIMIT", 0x3fffffff}}},
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
//   32 words, with 16 it has 64, of which whole packs in flight take 4 each. A strip of order v1
//   has 32 words for each lane, which are loaded once more instead of being kept.
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
      {{sm_75, gfx10, gfx11, gfx12, unknown}, "reduce_vector", {{"groups_per_unit", 4}}},
      {{sm_86, sm_120}, "reduce_vector", {{"groups_per_unit", 6}}},
      {{intel}, "reduce_vector", {{"UNROLL", 2}, {"groups_per_unit", 2}}},
      {{sm_75, gfx10, gfx11, gfx12}, "scan_reduce_then_scan", {{"groups_per_unit", 4}}},
      {{intel}, "scan_reduce_then_scan", {{"ROWS", 3}, {"groups_per_unit", 2}}},
      {{unknown}, "scan_reduce_then_scan", {{"ROWS", 4}, {"groups_per_unit", 4}}},
      {{intel}, "scan_lookback_warp", {{"ROWS", 3}}},
      {{intel}, "scan_order", {{loads_of_tile, 2}}},
      {{intel}, "scan_order_ahead", {{loads_of_tile, 2}}},
      {{intel}, "scan_order_passes", {{loads_of_tile, 2}}},
      {{intel}, "reduce_order_tiles", {{loads_of_tile, 2}}},
      {{unknown}, "scan_lookback_warp", {{"ROWS", 4}}},
      {{gfx10, gfx11, gfx12}, "reduce_order", {{"GROUP_SIZE", 256}}},
      {{intel, unknown}, "reduce_order", {{"GROUP_SIZE", 256}, {"UNROLL", 4}}},
      {{gfx10, gfx11, gfx12}, "reduce_order_single", {{"GROUP_SIZE", 256}}},
      {{sm_90},
       "reduce_order_single",
       {{"half_kept_from_mib", 50}, {"half_kept_bytes_from_mib", 24}, {"half_kept_to_mib", 96}}},
      {{intel, unknown}, "reduce_order_single", {{"GROUP_SIZE", 256}, {"UNROLL", 4}}},
  };
  return table;
}

}  // namespace

std::uint32_t Tuning::get_or(std::string_view name, std::uint32_t otherwise) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return value;
  }
  return otherwise;
}

std::uint32_t Tuning::get(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return value;
  }
  throw Error(ErrorCategory::invalid_argument, "no tuning value named " + std::string(name));
}

Tuning& Tuning::set(std::string_view name, std::uint32_t value) {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [name](const Entry& entry) { return entry.first == name; });
  if (found != entries_.end()) {
    found->second = value;
  } else {
    entries_.emplace_back(name, value);
  }
  return *this;
}

std::uint64_t own_cache_bytes(DeviceKind kind, const Capabilities& capabilities) {
  if (kind != DeviceKind::cpu) return capabilities.cache_bytes;
  constexpr std::uint64_t most_per_unit = std::uint64_t{16} << 20;
  return std::min(capabilities.cache_bytes, capabilities.compute_units * most_per_unit);
}

Tuning default_tuning(const gallery::Variant& variant, const Tuning& fixed, DeviceKind kind,
                      const Capabilities& capabilities, std::size_t element_bytes) {
  Tuning tuning;
  for (const Defaults& row : defaults()) {
    if (row.family != variant.family) continue;
    tuning = kind == DeviceKind::cpu || row.gpu.entries().empty() ? row.cpu : row.gpu;
  }
  const Architecture architecture = architecture_class(kind, capabilities.architecture);
  for (const Adjustment& line : adjustments()) {
    const auto& all = line.architectures;
    if (line.family != variant.family) continue;
    if (std::find(all.begin(), all.end(), architecture) == all.end()) continue;
    for (const auto& [name, value] : line.values.entries()) tuning.set(name, value);
  }
  const Tuning unlimited = tuning;
  for (const auto& [name, value] : unlimited.entries()) {
    if (name == "GROUP_SIZE") {
      // A group is made of whole lane groups.
      tuning.set(name, std::clamp(value, std::max(capabilities.subgroup_width, 1U),
                                  std::bit_floor(capabilities.max_group_size)));
    }
    // A pack has 16 bytes whatever the type: with one-byte elements a work-item's rows hold four
    // times as many values. Where tiles look back, NVIDIA's cope best with that by smaller groups;
    // otherwise there are fewer rows, which leaves registers.
    if (element_bytes == 1 && variant.family == "scan_lookback_warp" &&
        capabilities.architecture.starts_with("sm_")) {
      if (name == "GROUP_SIZE") tuning.set(name, std::min<std::uint32_t>(value, 128));
    } else if (name == "ROWS" && element_bytes == 1) {
      tuning.set(name, std::min<std::uint32_t>(value, 6));
    }
    // Where a lane has 32 words, one pack of 8 or 16 values is enough.
    if (name == "ROWS" && architecture == Architecture::intel && element_bytes < 4) {
      tuning.set(name, 1);
    }
    // What the caches cannot keep until it is asked for need not go there. Less than a MiB is no
    // last cache, but all that some drivers tell of.
    const std::uint64_t kib = own_cache_bytes(kind, capabilities) >> 10;
    if (name == past_caches_from_kib && kib >= 1024) {
      tuning.set(name, static_cast<std::uint32_t>(std::min<std::uint64_t>(kib, 0xffffffff)));
    }
    // A tile of 8-byte elements stays longest, which takes all the stages that fit; of others, a
    // group had better not load that far ahead of what it stores.
    if (name == "STAGES" && element_bytes == 4) tuning.set(name, 4);
    if (name == "STAGES" && element_bytes < 4) tuning.set(name, 5);
  }
  // What a group stages has to leave room in local memory, however wide an element is.
  constexpr std::uint32_t staged_bytes = 16384;
  if (const std::uint32_t per_item = tuning.get_or("PER_ITEM", 0); per_item > 0) {
    const auto row_bytes = static_cast<std::uint32_t>(element_bytes) * tuning.get("GROUP_SIZE");
    tuning.set("PER_ITEM", std::clamp(staged_bytes / row_bytes, 1U, per_item));
  }
  for (const auto& [name, value] : fixed.entries()) tuning.set(name, value);
  return tuning;
}

}  // namespace bifold::core
