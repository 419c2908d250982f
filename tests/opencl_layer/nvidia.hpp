// An NVIDIA GPU in words, for tests where there is none.
#pragma once

#include <CL/cl_icd.h>

namespace bifold::test {

/// From now on, where $BIFOLD_LAYER_NVIDIA is "MAJOR.MINOR", what `target` leads to says that it is
/// a GPU of NVIDIA's of that compute capability. It takes programs that were compiled for CUDA, as
/// PTX or as machine code, and texts with PTX in them. In their place runs what the device below
/// can compile: of the kernels, only those that the library asks a device by as it opens it compute
/// something. $BIFOLD_LAYER_NVIDIA_IMAGES makes the driver one that does not run programs for CUDA
/// as it should: "wrong" is off by one, "numbers" takes memory objects for numbers.
void claim_nvidia(cl_icd_dispatch& target);

}  // namespace bifold::test
