// What makes a program that was compiled for CUDA one for NVIDIA's OpenCL. Both take the same code;
// OpenCL's driver wants to know besides which parameters are memory objects, that the number of
// work-items is required, and all of the local memory. NVIDIA describes that for PTX; of machine
// code it is what ptxas writes for such PTX.
#pragma once

#include <cstddef>
#include <vector>

#include "core/kernel/embedded.hpp"

namespace bifold::backend::opencl {

/// The image with these traits. Throws backend_failure where it is not as it is known.
std::vector<std::byte> marked(std::vector<std::byte> image, core::EmbeddedForm form,
                              const core::EmbeddedTraits& traits);

}  // namespace bifold::backend::opencl
