#include "commands/check/lengths.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "core/gallery/gallery.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "core/plan/planning.hpp"
#include "core/shape/plan_shape.hpp"
#include "core/tuning/parameters.hpp"

namespace bench {
namespace {

using bifold::Type;
using bifold::core::Tuning;
using bifold::gallery::Variant;
namespace v1 = bifold::order_v1;

constexpr std::uint64_t last_short = 600;

bifold::core::PlanShape shape_of(Type type) {
  return {type, bifold::accumulator_of(type), type, bifold::ScanKind::inclusive, bifold::plus};
}

Tuning tuning_of(const bifold::Device& device, const Variant& row, Type type) {
  return bifold::core::tuning_for({device, shape_of(type)}, row);
}

std::uint64_t tile_of(Type type) {
  return v1::scan_tile(bifold::size_of(bifold::accumulator_of(type)));
}

/// Elements that one group of the row takes at a time, as far as its tuning says so.
std::uint64_t span_of_row(const Variant& row, Type type, const Tuning& tuning) {
  return !tuning.group_size
             ? 1
             : bifold::core::span_of(bifold::core::row_of(row), shape_of(type), tuning);
}

/// A value of a tuning that is a length of input, or of input and output together.
struct Threshold {
  bifold::core::TuningMember member;
  std::uint64_t unit;  ///< Bytes.
  bool with_output;
};
constexpr Threshold thresholds[] = {
    {&Tuning::at_least_mib, 1 << 20, false},
    {&Tuning::low_occupancy_max_mib, 1 << 20, false},
    {&Tuning::large_from_mib, 1 << 20, false},
    {&Tuning::half_kept_from_mib, 1 << 20, false},
    {&Tuning::half_kept_to_mib, 1 << 20, false},
    {&Tuning::half_kept_bytes_from_mib, 1 << 20, false},
    {&Tuning::l2_evict_first_min_mib, 1 << 20, true},
    {&Tuning::past_caches_from_kib, 1 << 10, true},
};

/// Turns of a loop: beyond what 16 bits count, and beyond what probes ask for.
constexpr std::uint64_t turns[] = {std::uint64_t{1} << 16, std::uint64_t{1} << 20};

}  // namespace

std::vector<std::uint64_t> near_lengths(const bifold::Device& device, const Variant& row, Type type,
                                        bool many) {
  std::set<std::uint64_t> all{0, 1, 2, 3, 5, 31, 33, 127, 257, last_short};
  const std::uint64_t tile = tile_of(type);
  if (!many) {
    all.insert(tile + 1);
    return {all.begin(), all.end()};
  }
  for (std::uint64_t n = 0; n < 40; ++n) all.insert(n);
  for (std::uint64_t n = 40; n < last_short; n += 7) all.insert(n);
  const std::uint64_t leaf = v1::leaf_elements(bifold::accumulator_of(type));
  const std::uint64_t span = span_of_row(row, type, tuning_of(device, row, type));
  for (const std::uint64_t border : {std::uint64_t{1024}, leaf, 3 * leaf, tile, 2 * tile, span}) {
    const std::uint64_t at = std::clamp<std::uint64_t>(border, 1, 1 << 16);
    for (const std::uint64_t n : {at - 1, at, at + 1}) all.insert(n);
  }
  // Beyond what most rows hand to one group.
  if (row.order != bifold::gallery::Order::v1) all.insert(70'003);
  return {all.begin(), all.end()};
}

std::vector<FarBorder> far_borders(const bifold::Device& device, const Variant& row, Type type,
                                   std::uint64_t bytes) {
  std::vector<FarBorder> all;
  const std::uint64_t each = bifold::size_of(type);
  const std::uint64_t most = std::min(bytes, device.capabilities().max_allocation_bytes / 2) / each;
  const auto add = [&](std::string what, std::uint64_t border, bool few) {
    constexpr std::uint64_t odd = 67;
    if (border + odd <= most) all.push_back({std::move(what), border + odd, few});
  };
  if (row.order == bifold::gallery::Order::v1) {
    const std::uint64_t leaf = v1::leaf_elements(bifold::accumulator_of(type));
    add("a group of tiles", tile_of(type) * v1::scan_group_tiles + leaf, false);
  }
  const Tuning tuning = tuning_of(device, row, type);
  const bool scan = row.algorithm == bifold::Algorithm::scan;
  for (const Threshold& threshold : thresholds) {
    const std::uint64_t value = (tuning.*threshold.member).value_or(0);
    if (value == 0) continue;
    const std::uint64_t arrays = threshold.with_output && scan ? 2 : 1;
    add(std::string(bifold::core::parameter_of(threshold.member).name),
        value * threshold.unit / (each * arrays), false);
  }
  if (tuning.groups_per_unit) {
    const std::uint64_t items = std::uint64_t{few_groups} * tuning.group_size.value_or(1);
    for (const std::uint64_t count : turns) {
      add(formatted("loops of {} turns", count), items * (count + count / 8), true);
    }
  }
  return all;
}

}  // namespace bench
