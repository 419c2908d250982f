// Whether a device's compiler passes inline PTX through, and whether it computes right.
#pragma once

#include "opencl/clhpp.hpp"

namespace bifold::backend::opencl {

/// Builds and runs one warp of shuffles and device-scope loads, stores and fences on a queue of its
/// own; takes a few milliseconds. A failure of any kind is "no", said in the debug log: it only
/// means that the kernels take another path.
bool ptx_works(const cl::Context& context, const cl::Device& device) noexcept;

}  // namespace bifold::backend::opencl
