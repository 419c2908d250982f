#include "cuda/context.hpp"

namespace bifold::backend::cuda {

Context::Context(CUdevice device) : device_(device) {
  check(driver().cuDevicePrimaryCtxRetain(&context_, device), "cuDevicePrimaryCtxRetain");
}

Context::~Context() {
  log_failure(driver().cuDevicePrimaryCtxRelease(device_), "cuDevicePrimaryCtxRelease");
}

}  // namespace bifold::backend::cuda
