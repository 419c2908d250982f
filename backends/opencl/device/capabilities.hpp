// What an OpenCL device can do.
#pragma once

#include <bifold/device.hpp>
#include <string>

#include "opencl/driver/clhpp.hpp"

namespace bifold::backend::opencl {

DeviceKind kind_of(cl_device_id device);

/// What a device says of itself, under the selector and index that it goes by.
DeviceInfo describe(cl_device_id device, std::string selector, std::uint32_t index);

/// Reads every capability once. On NVIDIA a small program is built and run in `context` to see
/// whether inline PTX works, which no query tells; the same with sub-groups elsewhere.
Capabilities read_capabilities(const cl::Context& context, const cl::Device& device);

/// Options every program is compiled with; decided by the same facts as the capabilities.
std::string compile_options_for(const cl::Device& device, const Capabilities& capabilities);

}  // namespace bifold::backend::opencl
