// From source to an image that the driver loads.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/nvrtc_api.hpp"
#include "interface.hpp"

namespace bifold::backend::cuda {

/// Compiles for the target in `source.options`: a cubin for a real architecture, PTX for a virtual
/// one. Throws build_failure with log and source. Thread-safe.
std::vector<std::byte> compile(const NvrtcApi& api, const Source& source);

/// The text with a number before every line. Numbers restart behind `#line`, as the compiler's do,
/// so that they are those of its log.
std::string number_lines(std::string_view text);

}  // namespace bifold::backend::cuda
