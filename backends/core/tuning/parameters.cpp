#include "core/tuning/parameters.hpp"

#include <algorithm>
#include <iterator>

#include "core/base/format.hpp"

namespace bifold::core {

namespace {

// name, member, define, old name. The group size and the width of vectors, which follows from their
// bytes, are members of a kernel's spec: launches and types need them, too.
constexpr Parameter table[] = {
    {"at_least_mib", &Tuning::at_least_mib},
    {"GROUP_SIZE", &Tuning::group_size},
    {"UNROLL", &Tuning::unroll, "UNROLL"},
    {"ROWS", &Tuning::rows, "ROWS"},
    {"PER_ITEM", &Tuning::per_item, "PER_ITEM"},
    {"COARSE_FACTOR", &Tuning::coarse_factor, "COARSE_FACTOR"},
    {"COALESCED", &Tuning::coalesced, "COALESCED"},
    {"STRIPES", &Tuning::stripes, "STRIPES"},
    {"vector_bytes", &Tuning::vector_bytes},
    {"groups", &Tuning::groups},
    {"groups_per_unit", &Tuning::groups_per_unit},
    {"DRAWN_TILES", &Tuning::drawn_tiles, "DRAWN_TILES"},
    {"loads_of_tile", &Tuning::loads_of_tile},
    {"PAST_CACHES_FROM_KIB", &Tuning::past_caches_from_kib, "PAST_CACHES_FROM_KIB"},
    {"small_group", &Tuning::small_group},
    {"low_occupancy_max_mib", &Tuning::low_occupancy_max_mib, "", "quick_to_mib"},
    {"large_from_mib", &Tuning::large_from_mib},
    {"half_kept_from_mib", &Tuning::half_kept_from_mib},
    {"half_kept_bytes_from_mib", &Tuning::half_kept_bytes_from_mib},
    {"half_kept_to_mib", &Tuning::half_kept_to_mib},
    {"STAGES", &Tuning::stages, "STAGES"},
    {"REDUCING", &Tuning::reducing, "REDUCING"},
    {"L2_EVICT_FIRST_MIN_MIB", &Tuning::l2_evict_first_min_mib, "L2_EVICT_FIRST_MIN_MIB"},
    {"L2_EVICT_FIRST_MAX_MIB", &Tuning::l2_evict_first_max_mib, "L2_EVICT_FIRST_MAX_MIB"},
    {"LOOKBACK_DISTANCE_TILES", &Tuning::lookback_distance_tiles, "LOOKBACK_DISTANCE_TILES",
     "TRAIL_IN_GROUP"},
    {"LOOKBACK_DISTANCE_GROUPS", &Tuning::lookback_distance_groups, "LOOKBACK_DISTANCE_GROUPS",
     "TRAIL_OF_GROUPS"},
    {"GROUP_POLLS", &Tuning::group_polls, "GROUP_POLLS"},
};
static_assert(sizeof(Tuning) == std::size(table) * sizeof(Tuning::Value),
              "every member has a parameter");

}  // namespace

std::span<const Parameter> parameters() noexcept { return table; }

const Parameter& parameter_of(TuningMember member) noexcept {
  return *std::find_if(std::begin(table), std::end(table),
                       [member](const Parameter& one) { return one.member == member; });
}

bool is_empty(const Tuning& tuning) noexcept { return tuning == Tuning{}; }

Tuning changed(Tuning tuning, const Tuning& changes) {
  for (const Parameter& parameter : table) {
    if (changes.*parameter.member) tuning.*parameter.member = changes.*parameter.member;
  }
  return tuning;
}

std::string text_of(const Tuning& tuning) {
  std::string text;
  for (const Parameter& parameter : table) {
    if (const Tuning::Value& value = tuning.*parameter.member) {
      text += formatted("{}{}={}", text.empty() ? "" : " ", parameter.name, *value);
    }
  }
  return text;
}

}  // namespace bifold::core
