#include "core/kernel/architecture.hpp"

#include <charconv>

namespace bifold::core {

Architecture architecture_class(DeviceKind kind, std::string_view name) noexcept {
  if (kind == DeviceKind::cpu) return Architecture::cpu;
  struct Start {
    std::string_view of_name;
    Architecture architecture;
  };
  // The first that fits counts. sm_70 holds more than sm_75 and gains nothing by that here.
  constexpr Start starts[] = {
      {"sm_7", Architecture::sm_75},   {"sm_80", Architecture::sm_80},
      {"sm_8", Architecture::sm_86},   {"sm_9", Architecture::sm_90},
      {"sm_10", Architecture::sm_100}, {"sm_11", Architecture::sm_100},
      {"sm_1", Architecture::sm_120},  {"gfx8", Architecture::gfx9},
      {"gfx9", Architecture::gfx9},    {"gfx10", Architecture::gfx10},
      {"gfx11", Architecture::gfx11},  {"gfx1", Architecture::gfx12},
      {"intel", Architecture::intel},
  };
  for (const Start& start : starts) {
    if (name.starts_with(start.of_name)) return start.architecture;
  }
  return Architecture::unknown;
}

std::uint32_t ptx_architecture(const Capabilities& has) noexcept {
  constexpr std::string_view prefix = "sm_";
  const std::string_view name = has.architecture;
  if (!name.starts_with(prefix) || (has.lanes != "ptx" && has.lanes != "shuffle")) return 0;
  std::uint32_t version = 0;
  std::from_chars(name.data() + prefix.size(), name.data() + name.size(), version);
  return version;
}

bool has_lanes_of_32(const Capabilities& has) noexcept {
  return has.lanes != "local" && has.subgroup_width == 32;
}

}  // namespace bifold::core
