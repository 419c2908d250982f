#include <bifold/device.hpp>
#include <bifold/error.hpp>
#include <cstdlib>

#include "core/disabled_rows.hpp"
#include "core/selector.hpp"
#include "core/state.hpp"
#include "registry.hpp"

namespace bifold {

detail::DeviceState::DeviceState(DeviceInfo device_info, std::shared_ptr<backend::Device> device,
                                 const DeviceOptions& options)
    : info(std::move(device_info)),
      backend(std::move(device)),
      scratch(options.scratch),
      kernels(*backend, options.cache),
      verdict(core::load_verdict(options.cache, info, backend->binary_key())),
      tunings(core::load_tunings(options, info, backend->capabilities().architecture)) {
  if ((scratch.allocate == nullptr) != (scratch.release == nullptr)) {
    throw Error(ErrorCategory::invalid_argument,
                "a scratch allocator has both functions or neither");
  }
  core::warn_of_unknown_rows();
}

std::vector<BackendInfo> backends() {
  std::vector<BackendInfo> all;
  for (const auto& [name, backend] : backend::registered_backends()) {
    all.push_back(backend != nullptr
                      ? backend->probe()
                      : BackendInfo{std::string(name), false, "left out of this build", ""});
  }
  return all;
}

std::vector<DeviceInfo> devices() {
  std::vector<DeviceInfo> all;
  for (const auto& [name, backend] : backend::registered_backends()) {
    if (backend == nullptr) continue;
    for (DeviceInfo& device : backend->devices()) all.push_back(std::move(device));
  }
  return all;
}

Device open_device(std::string_view selector, const DeviceOptions& options) {
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
      return Device(
          std::make_shared<detail::DeviceState>(info, backend->open(info.index), options));
    }
  }
  throw Error(ErrorCategory::unavailable, "backend " + info.backend + " has vanished");
}

const DeviceInfo& Device::info() const noexcept { return state_->info; }

const Capabilities& Device::capabilities() const noexcept {
  return state_->backend->capabilities();
}

CacheStatistics Device::cache_statistics() const { return state_->kernels.statistics(); }

bool Device::supports(Type type) const noexcept {
  return !contains(type, Type::f64) || capabilities().f64;
}

}  // namespace bifold
