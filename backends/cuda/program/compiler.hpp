// From source to an image that the driver loads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/driver/nvrtc_api.hpp"
#include "interface.hpp"

namespace bifold::backend::cuda {

/// What every program is compiled with, beside its target: results must not depend on the device.
/// No contraction, no flushing, correctly rounded / and sqrt.
inline constexpr std::string_view common_options =
    "--std=c++17 --fmad=false --ftz=false --prec-div=true --prec-sqrt=true -default-device";

/// The kernel file of that base name. Throws invalid_argument where there is none.
std::string_view kernel_text(std::string_view name);

/// What becomes of a source.
struct Compiled {
  std::vector<std::byte> machine_code;  ///< A cubin; empty where the target is virtual.
  std::vector<std::byte> ptx;
};

/// Compiles for the target in `source.options`, a real architecture ("sm_90") or a virtual one
/// ("compute_90"). Throws build_failure with log and source. Thread-safe.
Compiled compile(const NvrtcApi& api, const Source& source);

/// The text with a number before every line. Numbers restart behind `#line`, as the compiler's do,
/// so that they are those of its log.
std::string number_lines(std::string_view text);

}  // namespace bifold::backend::cuda
