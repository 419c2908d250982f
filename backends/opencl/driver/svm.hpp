// Shared virtual memory: what OpenCL 2.0 added to version 1.2.
#pragma once

#include "opencl/driver/clhpp.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are the standard's.

// The headers are configured for 1.2, and the loader of an old system has no such functions. Weak
// references start there too, and are null.
extern "C" {
CL_API_ENTRY void* CL_API_CALL clSVMAlloc(cl_context context, cl_bitfield flags, size_t size,
                                          cl_uint alignment) __attribute__((weak));
CL_API_ENTRY void CL_API_CALL clSVMFree(cl_context context, void* pointer) __attribute__((weak));
CL_API_ENTRY cl_int CL_API_CALL clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index,
                                                         const void* pointer) __attribute__((weak));
CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemFill(cl_command_queue queue, void* pointer,
                                                    const void* pattern, size_t pattern_size,
                                                    size_t size, cl_uint events,
                                                    const cl_event* wait_list, cl_event* event)
    __attribute__((weak));
CL_API_ENTRY cl_int CL_API_CALL clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking,
                                                   void* to, const void* from, size_t size,
                                                   cl_uint events, const cl_event* wait_list,
                                                   cl_event* event) __attribute__((weak));
}

// NOLINTEND(readability-identifier-naming)

namespace bifold::backend::opencl {

/// Whether the loader knows the functions above; a device with shared virtual memory implements
/// them.
inline bool loader_has_svm() noexcept {
  return clSVMAlloc != nullptr && clSVMFree != nullptr && clSetKernelArgSVMPointer != nullptr &&
         clEnqueueSVMMemFill != nullptr && clEnqueueSVMMemcpy != nullptr;
}

/// What the headers configured for 1.2 do not name.
inline constexpr cl_device_info device_svm_capabilities = 0x1053;
inline constexpr cl_bitfield device_svm_fine_grain_buffer = 1U << 1U;
inline constexpr cl_bitfield mem_svm_fine_grain_buffer = 1U << 10U;

}  // namespace bifold::backend::opencl
