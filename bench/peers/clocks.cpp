#include "peers/clocks.hpp"

#include "core/device/state.hpp"
#if BIFOLD_HAS_CUDA
#include "cuda/device/capabilities.hpp"
#include "cuda/device/device.hpp"
#include "cuda/driver/driver_api.hpp"
#endif
#if BIFOLD_HAS_OPENCL
#include "opencl/device/device.hpp"
#include "opencl/driver/query.hpp"
#endif

namespace bench {
namespace {

#if BIFOLD_HAS_CUDA
double mhz_of(const bifold::backend::cuda::Device& device, CUdevice_attribute which) {
  namespace cuda = bifold::backend::cuda;
  int khz = 0;
  const CUresult asked =
      cuda::driver().cuDeviceGetAttribute(&khz, which, cuda::device_of(device.index()));
  return asked == CUDA_SUCCESS && khz > 0 ? khz / 1e3 : 0;
}
#endif

}  // namespace

Clocks clocks_of(const bifold::Device& device) {
  [[maybe_unused]] const bifold::backend::Device* const backend = device.state()->backend.get();
#if BIFOLD_HAS_CUDA
  if (const auto* own = dynamic_cast<const bifold::backend::cuda::Device*>(backend)) {
    return {mhz_of(*own, CU_DEVICE_ATTRIBUTE_CLOCK_RATE),
            mhz_of(*own, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)};
  }
#endif
#if BIFOLD_HAS_OPENCL
  if (const auto* own = dynamic_cast<const bifold::backend::opencl::Device*>(backend)) {
    const auto core = bifold::backend::opencl::device_value_or<cl_uint>(
        own->native()(), CL_DEVICE_MAX_CLOCK_FREQUENCY, 0);
    return {static_cast<double>(core), 0};
  }
#endif
  return {};
}

}  // namespace bench
