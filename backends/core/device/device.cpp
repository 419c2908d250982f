#include <bifold/device.hpp>
#include <bifold/error.hpp>
#include <cstdlib>

#include "core/device/selector.hpp"
#include "core/device/state.hpp"
#include "core/gallery/disabled_rows.hpp"
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
      return Device(
          core::make_state<detail::DeviceState>(info, backend->open(info.index), options));
    }
  }
  throw Error(ErrorCategory::unavailable, "backend " + info.backend + " has vanished");
} catch (...) {
  detail::rethrow();
}

const std::shared_ptr<detail::DeviceState>& Device::state() const {
  if (!state_) core::refuse_moved_from("Device");
  core::refuse_forked();
  return state_;
}

const DeviceInfo& Device::info() const& {
  if (!state_) core::refuse_moved_from("Device");
  return state_->info;
}

DeviceInfo Device::info() const&& { return info(); }

const Capabilities& Device::capabilities() const& {
  if (!state_) core::refuse_moved_from("Device");
  return state_->backend->capabilities();
}

Capabilities Device::capabilities() const&& { return capabilities(); }

CacheStatistics Device::cache_statistics() const try {
  return state()->kernels.statistics();
} catch (...) {
  detail::rethrow();
}

bool Device::supports(Type type) const {
  const bool has_f64 = capabilities().f64;
  return has_f64 || !contains(type, Type::f64);
}

}  // namespace bifold
