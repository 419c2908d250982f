// The CUDA driver, looked up at run time: the example starts, and is skipped, where there is none.
// An application that cannot do without CUDA links libcuda instead (CUDA::cuda_driver in CMake) and
// calls the same functions by their names.
#pragma once

#include <cuda.h>
#include <dlfcn.h>

#include <stdexcept>
#include <string>

// The functions in use, and the symbols that drivers since CUDA 11.4 export them under.
#define DRIVER_FUNCTIONS(X)                                     \
  X(cuInit, "cuInit")                                           \
  X(cuGetErrorName, "cuGetErrorName")                           \
  X(cuDeviceGetCount, "cuDeviceGetCount")                       \
  X(cuDeviceGetName, "cuDeviceGetName")                         \
  X(cuCtxDestroy, "cuCtxDestroy_v2")                            \
  X(cuStreamCreate, "cuStreamCreate")                           \
  X(cuStreamDestroy, "cuStreamDestroy_v2")                      \
  X(cuStreamSynchronize, "cuStreamSynchronize")                 \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2")            \
  X(cuStreamEndCapture, "cuStreamEndCapture")                   \
  X(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags") \
  X(cuGraphLaunch, "cuGraphLaunch")                             \
  X(cuGraphDestroy, "cuGraphDestroy")                           \
  X(cuGraphExecDestroy, "cuGraphExecDestroy")                   \
  X(cuMemAlloc, "cuMemAlloc_v2")                                \
  X(cuMemFree, "cuMemFree_v2")                                  \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")                  \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")                  \
  X(cuModuleLoadData, "cuModuleLoadData")                       \
  X(cuModuleUnload, "cuModuleUnload")                           \
  X(cuModuleGetFunction, "cuModuleGetFunction")                 \
  X(cuLaunchKernel, "cuLaunchKernel")

struct NoDevice : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Driver {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator takes none.
#define DECLARE(function, symbol) decltype(::function)* function = nullptr;
  DRIVER_FUNCTIONS(DECLARE)
#undef DECLARE
  // Headers declare versions of it with other parameters.
  CUresult (*create_context)(CUcontext*, unsigned, CUdevice) = nullptr;

  // Throws NoDevice where there is no driver or no device.
  Driver() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw NoDevice("no CUDA driver");
#define BIND(function, symbol) bind(library, function, symbol);
    DRIVER_FUNCTIONS(BIND)
#undef BIND
    bind(library, create_context, "cuCtxCreate_v2");
    int count = 0;
    if (cuInit(0) != CUDA_SUCCESS || cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0) {
      throw NoDevice("no CUDA device");
    }
  }

  // Throws unless a call of the driver went well.
  void operator()(CUresult result) const {
    if (result == CUDA_SUCCESS) return;
    const char* name = nullptr;
    cuGetErrorName(result, &name);
    throw std::runtime_error(name != nullptr ? name : "an unknown CUDA error");
  }

 private:
  template <class Function>
  static void bind(void* library, Function*& function, const char* symbol) {
    function = reinterpret_cast<Function*>(dlsym(library, symbol));
    if (function == nullptr) throw NoDevice(std::string("the CUDA driver has no ") + symbol);
  }
};
