// Options that every program in OpenCL C is compiled with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bifold::backend::opencl {

/// The language of devices that want nothing newer, NVIDIA's among them.
inline constexpr std::string_view plain_language = "-cl-std=CL1.2";

/// A division in an operator rounds as it does on the host, where the device can do that.
inline std::string options_with(std::string_view language, bool rounds_division) {
  std::string options(language);
  if (rounds_division) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  return options;
}

/// What NVIDIA's compiler is told for a kernel of which a compute unit, with that many registers,
/// is to hold so many groups at once. It looks past the limit of a kernel that requires a size, so
/// the size becomes a hint. Its driver then runs groups of 256 at most; larger ones get no limit.
inline std::string register_limit(std::uint32_t registers, std::uint32_t groups,
                                  std::uint32_t group_size) {
  constexpr std::uint32_t largest_group = 256;
  constexpr std::uint32_t unit = 8;    // Registers come in such numbers,
  constexpr std::uint32_t most = 255;  // and no work-item has more.
  const std::uint64_t items = std::uint64_t{groups} * group_size;
  if (items == 0 || group_size > largest_group) return {};
  const std::uint64_t each = registers / items / unit * unit;
  if (each == 0 || each > most) return {};
  return " -cl-nv-maxrregcount=" + std::to_string(each) +
         " -Dreqd_work_group_size=work_group_size_hint";
}

}  // namespace bifold::backend::opencl
