#include "toy/backend.hpp"

#include <bifold/error.hpp>

#include "registry.hpp"
#include "toy/device.hpp"

namespace bifold::backend::toy {

namespace {

// The driver of this backend. Null where the build leaves it out.
const backend::Backend* driver() {
  for (const Registration& row : registered_backends()) {
    if (row.name == "opencl") return row.backend;
  }
  return nullptr;
}

}  // namespace

BackendInfo Backend::probe() const {
  BackendInfo info{};
  if (driver() != nullptr) {
    info = driver()->probe();
  } else {
    info.reason = "it counts what OpenCL does, which this build leaves out";
  }
  info.name = name();
  return info;
}

std::vector<DeviceInfo> Backend::devices() const {
  if (driver() == nullptr) return {};
  std::vector<DeviceInfo> all = driver()->devices();
  for (DeviceInfo& info : all) {
    info.backend = name();
    info.selector = info.backend + ":" + std::to_string(info.index);
  }
  return all;
}

std::shared_ptr<backend::Device> Backend::open(std::uint32_t index) const {
  if (driver() == nullptr) throw Error(ErrorCategory::unavailable, "toy: " + probe().reason);
  return std::make_shared<Device>(driver()->open(index));
}

}  // namespace bifold::backend::toy

namespace bifold::backend {

const Backend& toy_backend() {
  static const toy::Backend backend;
  return backend;
}

}  // namespace bifold::backend
