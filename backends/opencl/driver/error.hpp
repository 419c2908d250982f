// From OpenCL codes to bifold::Error.
#pragma once

#include <bifold/error.hpp>
#include <string>
#include <string_view>

#include "opencl/driver/clhpp.hpp"

namespace bifold::backend::opencl {

/// What a failing call was doing; the same code means different things at different times.
enum class Step {
  open,      ///< Finding or opening a device.
  allocate,  ///< Making a buffer: a lack of resources is a lack of memory.
  build,     ///< Compiling.
  enqueue,   ///< Handing over a command, which may have to place its buffers first.
  wait,      ///< Work that was accepted: a lack of resources is how drivers report a fault in it.
  other,
};

/// "CL_OUT_OF_RESOURCES", or "unknown OpenCL code".
std::string_view code_name(cl_int code) noexcept;

/// Which category a code belongs to at that step:
///   out_of_memory  CL_OUT_OF_HOST_MEMORY and CL_MEM_OBJECT_ALLOCATION_FAILURE always;
///                  CL_OUT_OF_RESOURCES and CL_INVALID_BUFFER_SIZE while allocating;
///   device_lost    CL_DEVICE_NOT_AVAILABLE, except when opening; CL_OUT_OF_RESOURCES from a wait,
///                  where drivers report that a fault ended the context; CL_INVALID_COMMAND_QUEUE
///                  and CL_INVALID_CONTEXT, as the handles are this library's own and were valid;
///                  NVIDIA's -9999, an illegal access;
///   unavailable    CL_DEVICE_NOT_AVAILABLE when opening, CL_COMPILER_NOT_AVAILABLE;
///   build_failure  what is left while compiling;
///   backend_failure everything else. An event's status is one too, where the application may have
///                   set it, or work was dropped for it: see Event.
ErrorCategory category_of(cl_int code, Step step) noexcept;

/// Throws the Error of a failed call. `subject` says in words what was tried.
[[noreturn]] void fail(cl_int code, const char* call, Step step, const std::string& subject = {});

/// The same in a category that the code does not decide.
[[noreturn]] void fail_as(ErrorCategory category, cl_int code, const char* call,
                          const std::string& what);

inline void check(cl_int code, const char* call, Step step = Step::other) {
  if (code != CL_SUCCESS) {
    fail(code, call, step);
  }
}

/// Throws the Error of something that this backend refuses before any driver call.
[[noreturn]] void refuse(ErrorCategory category, const std::string& message);

/// For destructors: what cannot be thrown is logged.
void log_failure(cl_int code, const char* call) noexcept;

}  // namespace bifold::backend::opencl
