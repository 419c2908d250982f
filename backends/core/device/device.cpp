#include <bifold/device.hpp>
#include <bifold/error.hpp>

#include "core/device/state.hpp"

namespace bifold {

std::string_view name_of(DeviceKind kind) noexcept {
  switch (kind) {
    case DeviceKind::gpu: return "gpu";
    case DeviceKind::cpu: return "cpu";
    case DeviceKind::accelerator: break;
  }
  return "accelerator";
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
