#include <bifold/device.hpp>
#include <bifold/error.hpp>
#include <cstdlib>

#include "core/device/selector.hpp"
#include "core/opening/open_state.hpp"
#include "registry.hpp"

namespace bifold {

std::vector<BackendInfo> backends() try {
  std::string reason;
  try {
    core::enter_drivers();
  } catch (const Error& error) {
    reason = error.what();
  }
  std::vector<BackendInfo> all;
  for (const auto& [name, backend] : backend::registered_backends()) {
    if (backend == nullptr) {
      all.push_back({std::string(name), false, "left out of this build", ""});
    } else if (!reason.empty()) {
      all.push_back({std::string(name), false, reason, ""});
    } else {
      all.push_back(backend->probe());
    }
  }
  return all;
} catch (...) {
  detail::rethrow();
}

std::vector<DeviceInfo> devices() try {
  core::enter_drivers();
  std::vector<DeviceInfo> all;
  for (const auto& [name, backend] : backend::registered_backends()) {
    if (backend == nullptr) continue;
    for (DeviceInfo& device : backend->devices()) all.push_back(std::move(device));
  }
  return all;
} catch (...) {
  detail::rethrow();
}

Device open_device(std::string_view selector, const DeviceOptions& options) try {
  const char* chosen = std::getenv("BIFOLD_DEVICE");  // NOLINT(concurrency-mt-unsafe)
  const bool from_environment = selector.empty() && chosen != nullptr;
  if (from_environment) selector = chosen;
  const std::vector<DeviceInfo> all = devices();
  const DeviceInfo& info = [&]() -> const DeviceInfo& {
    try {
      return core::select(selector, all, backends());
    } catch (const Error& error) {
      if (!from_environment) throw;
      throw Error(error.category(), std::string("BIFOLD_DEVICE: ") + error.what());
    }
  }();
  for (const auto& [name, backend] : backend::registered_backends()) {
    if (name == info.backend) {
      return Device(core::open_state(info, backend->open(info.index), options));
    }
  }
  throw Error(ErrorCategory::unavailable, "backend " + info.backend + " has vanished");
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
