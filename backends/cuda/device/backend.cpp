#include "cuda/device/backend.hpp"

#include <string>

#include "core/kernel/embedded.hpp"
#include "cuda/device/capabilities.hpp"
#include "cuda/device/device.hpp"
#include "cuda/driver/driver_api.hpp"
#include "cuda/driver/error.hpp"
#include "cuda/driver/nvrtc_api.hpp"

namespace bifold::backend {

const Backend& cuda_backend() {
  static const cuda::Backend instance;
  return instance;
}

namespace cuda {
namespace {

std::string compiler_text() {
  try {
    return "NVRTC " + version_text(nvrtc());
  } catch (const Error& error) {
    return core::about_embedded() + " (" + error.what() + ')';
  }
}

}  // namespace

BackendInfo Backend::probe() const {
  BackendInfo info{.name = "cuda", .available = false, .reason = {}, .version = {}};
  try {
    info.version = "driver of CUDA " + version_text(driver().version) + ", " + compiler_text();
    initialised_driver();
    info.available = device_count() > 0;
    if (!info.available) info.reason = "the CUDA driver found no device";
  } catch (const Error& error) {
    info.reason = error.what();
  }
  return info;
}

std::vector<DeviceInfo> Backend::devices() const {
  std::vector<DeviceInfo> found;
  if (!probe().available) return found;
  const std::uint32_t count = device_count();
  for (std::uint32_t index = 0; index < count; ++index) found.push_back(read_info(index));
  return found;
}

std::shared_ptr<backend::Device> Backend::open(std::uint32_t index) const {
  initialised_driver();
  if (const std::uint32_t count = device_count(); index >= count) {
    throw plain_error(ErrorCategory::unavailable, "there is no cuda:" + std::to_string(index) +
                                                      "; devices found: " + std::to_string(count));
  }
  return std::make_shared<Device>(index);
}

}  // namespace cuda
}  // namespace bifold::backend
