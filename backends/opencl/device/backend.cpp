#include "opencl/device/backend.hpp"

#include <algorithm>
#include <mutex>
#include <string>

#include "core/base/format.hpp"
#include "core/base/log.hpp"
#include "opencl/device/capabilities.hpp"
#include "opencl/device/device.hpp"
#include "opencl/driver/error.hpp"
#include "opencl/driver/query.hpp"

namespace bifold::backend::opencl {

namespace {

// The loader's own answer when no platform is installed.
constexpr cl_int platform_not_found = -1001;

struct Found {
  std::vector<cl_device_id> devices;
  std::vector<std::string> platforms;  ///< Of those that have devices: name and version.
  std::string reason;                  ///< Why there is no device.
};

std::vector<cl_platform_id> platform_ids(std::string& reason) {
  cl_uint count = 0;
  cl_int code = clGetPlatformIDs(0, nullptr, &count);
  std::vector<cl_platform_id> platforms(code == CL_SUCCESS ? count : 0);
  if (!platforms.empty()) {
    code = clGetPlatformIDs(count, platforms.data(), &count);
    platforms.resize(code == CL_SUCCESS ? std::min<std::size_t>(count, platforms.size()) : 0);
  }
  if (code != CL_SUCCESS && code != platform_not_found) {
    reason = core::formatted("the OpenCL loader answers {} ({})", code_name(code), code);
  } else if (platforms.empty()) {
    reason = "no OpenCL platform is installed (the loader knows of no driver)";
  }
  return platforms;
}

// CL_DEVICE_TYPE_ALL leaves out custom devices, which cannot be programmed.
std::vector<cl_device_id> device_ids(cl_platform_id platform) {
  cl_uint count = 0;
  cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (code == CL_DEVICE_NOT_FOUND || (code == CL_SUCCESS && count == 0)) {
    return {};
  }
  check(code, "clGetDeviceIDs", Step::open);
  std::vector<cl_device_id> devices(count);
  code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
  check(code, "clGetDeviceIDs", Step::open);
  return devices;
}

Found find_devices() {
  // Some drivers set themselves up at the first question and not safely from two threads.
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);

  Found found;
  std::string empty;
  for (auto* const platform : platform_ids(found.reason)) {
    std::string name = "a platform";
    try {
      name = platform_text(platform, CL_PLATFORM_NAME);
      const std::string version = platform_text(platform, CL_PLATFORM_VERSION);
      const std::vector<cl_device_id> devices = device_ids(platform);
      if (devices.empty()) {
        core::log().debug("opencl: platform {} has no device", name);
        empty.append(empty.empty() ? "" : "; ").append(name).append(" has no device");
        continue;
      }
      found.devices.insert(found.devices.end(), devices.begin(), devices.end());
      found.platforms.push_back(core::formatted("{}, {}", name, version));
    } catch (const Error& failure) {
      core::log().debug("opencl: platform {} is skipped: {}", name, failure.what());
      empty.append(empty.empty() ? "" : "; ")
          .append(name)
          .append(" failed: ")
          .append(failure.what());
    }
  }
  if (found.devices.empty() && found.reason.empty()) {
    found.reason = "no OpenCL platform has a device: " + empty;
  }
  return found;
}

}  // namespace

BackendInfo Backend::probe() const {
  const Found found = find_devices();
  BackendInfo info{};
  info.name = std::string(name());
  info.available = !found.devices.empty();
  info.reason = info.available ? std::string() : found.reason;
  for (const std::string& platform : found.platforms) {
    info.version += (info.version.empty() ? "" : "; ") + platform;
  }
  return info;
}

std::vector<DeviceInfo> Backend::devices() const {
  const Found found = find_devices();
  std::vector<DeviceInfo> result;
  for (std::size_t i = 0; i < found.devices.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    // A device that cannot say its name still counts, so that the others keep their index.
    try {
      result.push_back(describe(found.devices[i], core::formatted("opencl:{}", index), index));
    } catch (const Error& failure) {
      core::log().warn("opencl: device {} does not describe itself: {}", index, failure.what());
      result.push_back({core::formatted("opencl:{}", index),
                        "opencl",
                        index,
                        DeviceKind::accelerator,
                        "unknown",
                        {},
                        {},
                        {}});
    }
  }
  return result;
}

std::shared_ptr<backend::Device> Backend::open(std::uint32_t index) const {
  const Found found = find_devices();
  if (index >= found.devices.size()) {
    refuse(ErrorCategory::unavailable,
           found.devices.empty() ? found.reason
                                 : core::formatted("there is no device {}; the last one is {}",
                                                   index, found.devices.size() - 1));
  }
  return std::make_shared<Device>(cl::Device(found.devices[index]));
}

}  // namespace bifold::backend::opencl

namespace bifold::backend {

const Backend& opencl_backend() {
  static const opencl::Backend backend;
  return backend;
}

}  // namespace bifold::backend
