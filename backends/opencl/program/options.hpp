// Options that every program in OpenCL C is compiled with.
#pragma once

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

}  // namespace bifold::backend::opencl
