#include "cuda/driver/context.hpp"

namespace bifold::backend::cuda {

Context::Context(CUdevice device) : device_(device), retained_(true) {
  check(driver().cuDevicePrimaryCtxRetain(&context_, device), "cuDevicePrimaryCtxRetain");
}

Context::Context(CUcontext adopted) : context_(adopted) {
  // A null context can be made current; it has no device.
  if (adopted == nullptr) raise_invalid_argument("there is no context");
  if (const CUresult result = driver().cuCtxPushCurrent(adopted); result != CUDA_SUCCESS) {
    throw driver_error(driver(), ErrorCategory::invalid_argument, result, "cuCtxPushCurrent",
                       "the context cannot be adopted: " + explain(driver(), result));
  }
  const CUresult result = driver().cuCtxGetDevice(&device_);
  CUcontext popped = nullptr;
  log_failure(driver().cuCtxPopCurrent(&popped), "cuCtxPopCurrent");
  check(result, "cuCtxGetDevice");
}

Context::~Context() {
  if (!retained_) return;
  log_failure(driver().cuDevicePrimaryCtxRelease(device_), "cuDevicePrimaryCtxRelease");
}

}  // namespace bifold::backend::cuda
