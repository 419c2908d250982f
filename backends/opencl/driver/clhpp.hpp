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
#if !defined(CL_TARGET_OPENCL_VERSION)
#define CL_TARGET_OPENCL_VERSION CL_HPP_TARGET_OPENCL_VERSION
#endif
#if !defined(CL_USE_DEPRECATED_OPENCL_1_2_APIS)
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#endif
#include <CL/opencl.h>

namespace bifold::backend::opencl {
/// Logs the failure of a release, which the bindings drop, and gives its code back.
cl_int released(cl_int code, const char* call) noexcept;
/// Throws the failure of a retain: a copy without a reference would release another's.
cl_int retained(cl_int code, const char* call);
}  // namespace bifold::backend::opencl

// The bindings call these as ::clReleaseEvent(event) and so on. They are in a namespace of their
// own, as an application that is linked with them may have others, made otherwise of the same
// names. NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define BIFOLD_REFERENCE(effect, call, handle) \
  bifold::backend::opencl::effect((call)(handle), #call)
#define clReleaseDevice(handle) BIFOLD_REFERENCE(released, clReleaseDevice, handle)
#define clReleaseContext(handle) BIFOLD_REFERENCE(released, clReleaseContext, handle)
#define clReleaseCommandQueue(handle) BIFOLD_REFERENCE(released, clReleaseCommandQueue, handle)
#define clReleaseMemObject(handle) BIFOLD_REFERENCE(released, clReleaseMemObject, handle)
#define clReleaseProgram(handle) BIFOLD_REFERENCE(released, clReleaseProgram, handle)
#define clReleaseKernel(handle) BIFOLD_REFERENCE(released, clReleaseKernel, handle)
#define clReleaseEvent(handle) BIFOLD_REFERENCE(released, clReleaseEvent, handle)
#define clRetainDevice(handle) BIFOLD_REFERENCE(retained, clRetainDevice, handle)
#define clRetainContext(handle) BIFOLD_REFERENCE(retained, clRetainContext, handle)
#define clRetainCommandQueue(handle) BIFOLD_REFERENCE(retained, clRetainCommandQueue, handle)
#define clRetainMemObject(handle) BIFOLD_REFERENCE(retained, clRetainMemObject, handle)
#define clRetainProgram(handle) BIFOLD_REFERENCE(retained, clRetainProgram, handle)
#define clRetainKernel(handle) BIFOLD_REFERENCE(retained, clRetainKernel, handle)
#define clRetainEvent(handle) BIFOLD_REFERENCE(retained, clRetainEvent, handle)
#define cl bifold_cl
#include <CL/opencl.hpp>
#undef cl
#undef clReleaseDevice
#undef clReleaseContext
#undef clReleaseCommandQueue
#undef clReleaseMemObject
#undef clReleaseProgram
#undef clReleaseKernel
#undef clReleaseEvent
#undef clRetainDevice
#undef clRetainContext
#undef clRetainCommandQueue
#undef clRetainMemObject
#undef clRetainProgram
#undef clRetainKernel
#undef clRetainEvent
#undef BIFOLD_REFERENCE
// NOLINTEND(cppcoreguidelines-macro-usage)

namespace cl = bifold_cl;
