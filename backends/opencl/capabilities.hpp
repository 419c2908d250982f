// What an OpenCL device can do.
#pragma once

#include <bifold/device.hpp>
#include <string>

#include "opencl/clhpp.hpp"

namespace bifold::backend::opencl {

DeviceKind kind_of(cl_device_id device);

/// Reads every capability once. `context` holds the device alone; on NVIDIA a small program is
/// built and run in it to see whether inline PTX works, which no query tells.
Capabilities read_capabilities(const cl::Context& context, const cl::Device& device);

/// Options every program is compiled with; decided by the same facts as the capabilities.
std::string compile_options_for(const cl::Device& device, const Capabilities& capabilities);

}  // namespace bifold::backend::opencl
