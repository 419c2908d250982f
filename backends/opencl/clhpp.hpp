// The one place that configures and includes the OpenCL C++ bindings.
#pragma once

// The bindings report codes instead of throwing: every failure of the library is a bifold::Error,
// which error.hpp makes from the code and the name of the call.
//
// Version 1.2 is what every device of interest has. Newer facts (atomic scopes, the list of
// language versions) are asked for by their numeric names once the device says that it knows them,
// so one build serves old and new drivers and never calls an entry point that may be absent.
#define CL_HPP_MINIMUM_OPENCL_VERSION 120
#define CL_HPP_TARGET_OPENCL_VERSION 120
#include <CL/opencl.hpp>
