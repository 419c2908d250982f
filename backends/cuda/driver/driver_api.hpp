// The CUDA driver: libcuda.so.1, opened at run time and never linked.
#pragma once

#include <cuda.h>

#include <string>

namespace bifold::backend::cuda {

// Every driver function in use: as cuda.h declares it, and the symbol that carries that version of
// it. The symbols are those of CUDA 11.0 and later; each is exported for good under its name.
#define BIFOLD_CUDA_DRIVER_FUNCTIONS(X)                                     \
  X(cuInit, "cuInit")                                                       \
  X(cuDriverGetVersion, "cuDriverGetVersion")                               \
  X(cuGetErrorName, "cuGetErrorName")                                       \
  X(cuGetErrorString, "cuGetErrorString")                                   \
  X(cuDeviceGetCount, "cuDeviceGetCount")                                   \
  X(cuDeviceGet, "cuDeviceGet")                                             \
  X(cuDeviceGetName, "cuDeviceGetName")                                     \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute")                           \
  X(cuDeviceTotalMem, "cuDeviceTotalMem_v2")                                \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")                   \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")              \
  X(cuCtxPushCurrent, "cuCtxPushCurrent_v2")                                \
  X(cuCtxPopCurrent, "cuCtxPopCurrent_v2")                                  \
  X(cuCtxGetCurrent, "cuCtxGetCurrent")                                     \
  X(cuCtxGetDevice, "cuCtxGetDevice")                                       \
  X(cuCtxSynchronize, "cuCtxSynchronize")                                   \
  X(cuStreamCreate, "cuStreamCreate")                                       \
  X(cuStreamDestroy, "cuStreamDestroy_v2")                                  \
  X(cuStreamSynchronize, "cuStreamSynchronize")                             \
  X(cuStreamQuery, "cuStreamQuery")                                         \
  X(cuStreamWaitEvent, "cuStreamWaitEvent")                                 \
  X(cuStreamGetCtx, "cuStreamGetCtx")                                       \
  X(cuStreamIsCapturing, "cuStreamIsCapturing")                             \
  X(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode") \
  X(cuEventCreate, "cuEventCreate")                                         \
  X(cuEventDestroy, "cuEventDestroy_v2")                                    \
  X(cuEventRecord, "cuEventRecord")                                         \
  X(cuEventQuery, "cuEventQuery")                                           \
  X(cuEventSynchronize, "cuEventSynchronize")                               \
  X(cuEventElapsedTime, "cuEventElapsedTime")                               \
  X(cuMemAlloc, "cuMemAlloc_v2")                                            \
  X(cuMemFree, "cuMemFree_v2")                                              \
  X(cuMemAllocHost, "cuMemAllocHost_v2")                                    \
  X(cuMemFreeHost, "cuMemFreeHost")                                         \
  X(cuPointerGetAttribute, "cuPointerGetAttribute")                         \
  X(cuPointerGetAttributes, "cuPointerGetAttributes")                       \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")                              \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")                              \
  X(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2")                              \
  X(cuMemsetD8Async, "cuMemsetD8Async")                                     \
  X(cuMemsetD16Async, "cuMemsetD16Async")                                   \
  X(cuMemsetD32Async, "cuMemsetD32Async")                                   \
  X(cuMemsetD2D32Async, "cuMemsetD2D32Async")                               \
  X(cuModuleLoadDataEx, "cuModuleLoadDataEx")                               \
  X(cuModuleUnload, "cuModuleUnload")                                       \
  X(cuModuleGetFunction, "cuModuleGetFunction")                             \
  X(cuFuncGetAttribute, "cuFuncGetAttribute")                               \
  X(cuFuncSetAttribute, "cuFuncSetAttribute")                               \
  X(cuLaunchKernel, "cuLaunchKernel")

/// The driver's functions, under the names that cuda.h gives them.
struct DriverApi {
  /// Of drivers that overlap launches, in captured graphs, too: from 12.3 on. Otherwise null.
  decltype(::cuLaunchKernelEx)* cuLaunchKernelEx = nullptr;
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator takes none.
#define BIFOLD_DECLARE(function, symbol) decltype(::function)* function = nullptr;
  BIFOLD_CUDA_DRIVER_FUNCTIONS(BIFOLD_DECLARE)
#undef BIFOLD_DECLARE
  int version = 0;  ///< As cuDriverGetVersion gives it: 13000 is 13.0.
};

/// The loaded driver. Throws unavailable, with the reason, while there is none; a later call looks
/// again. Thread-safe.
const DriverApi& driver();

/// The loaded and initialised driver. Throws unavailable, with the reason. Thread-safe.
const DriverApi& initialised_driver();

/// "13.0" for 13000.
std::string version_text(int version);

}  // namespace bifold::backend::cuda
