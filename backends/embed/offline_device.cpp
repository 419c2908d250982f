#include "embed/offline_device.hpp"

#include <bifold/error.hpp>
#include <utility>

#include "core/opening/open_state.hpp"

namespace bifold::embed {

namespace {

class OfflineKernel final : public backend::Kernel {
 public:
  [[nodiscard]] std::uint32_t max_group_size() const override { return 1024; }
};

class OfflineProgram final : public backend::Program {
 public:
  explicit OfflineProgram(std::shared_ptr<Planned> planned) : planned_(std::move(planned)) {}

  [[nodiscard]] std::shared_ptr<const backend::Kernel> kernel(
      const std::string& entry, const backend::LaunchTraits& traits) const override {
    planned_->entries.push_back(entry);
    planned_->entry = entry;
    planned_->launch = traits;
    return std::make_shared<const OfflineKernel>();
  }
  [[nodiscard]] std::vector<std::byte> binary() const override { return {}; }

 private:
  std::shared_ptr<Planned> planned_;
};

}  // namespace

OfflineDevice::OfflineDevice(Capabilities capabilities, std::string options)
    : capabilities_(std::move(capabilities)), options_(std::move(options)) {}

backend::Memory OfflineDevice::allocate(std::uint64_t bytes) { return {1, bytes, this}; }

std::unique_ptr<backend::Queue> OfflineDevice::create_queue(Timing /*timing*/) {
  throw Error(ErrorCategory::unsupported, "nothing runs on an offline device");
}

std::shared_ptr<const backend::Program> OfflineDevice::build(const backend::Source& source) {
  planned_.push_back(std::make_shared<Planned>(Planned{source, {}, {}, {}}));
  return std::make_shared<const OfflineProgram>(planned_.back());
}

std::shared_ptr<const backend::Program> OfflineDevice::load(std::span<const std::byte> /*binary*/,
                                                            const std::string& /*options*/) {
  throw Error(ErrorCategory::build_failure, "an offline device gives no binaries");
}

Device planning_on(std::shared_ptr<backend::Device> device, std::string_view backend,
                   DeviceKind kind) {
  DeviceInfo info;
  info.selector = "offline";
  info.backend = backend;
  info.index = adopted_index;
  info.kind = kind;
  DeviceOptions options;
  options.cache.disk = false;
  return Device(core::open_state(info, std::move(device), options));
}

}  // namespace bifold::embed
