// The device under test, which compiles texts that are not listed as compiled. Nothing is run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/compiled/compiled_texts.hpp"
#include "support/devices/altered_device.hpp"

namespace bifold::test {

/// Of a text that is left out: its kernels are there, and cannot be launched.
class LeftOutProgram final : public backend::Program {
 public:
  explicit LeftOutProgram(std::uint32_t max_group_size) : max_group_size_(max_group_size) {}
  [[nodiscard]] std::shared_ptr<const backend::Kernel> kernel(
      const std::string& /*entry*/, const backend::LaunchTraits& /*traits*/) const override {
    return std::make_shared<LeftOutKernel>(max_group_size_);
  }
  [[nodiscard]] std::vector<std::byte> binary() const override { return {}; }

 private:
  class LeftOutKernel final : public backend::Kernel {
   public:
    explicit LeftOutKernel(std::uint32_t max_group_size) : max_group_size_(max_group_size) {}
    [[nodiscard]] std::uint32_t max_group_size() const override { return max_group_size_; }

   private:
    std::uint32_t max_group_size_;
  };

  std::uint32_t max_group_size_;
};

class ListedDevice final : public AlteredDevice {
 public:
  ListedDevice(std::shared_ptr<backend::Device> device, const Capabilities& capabilities,
               CompiledTexts& texts)
      : AlteredDevice(std::move(device), capabilities), texts_(texts) {}

  [[nodiscard]] std::shared_ptr<const backend::Program> build(
      const backend::Source& source) override {
    if (texts_.leave_out(source))
      return std::make_shared<LeftOutProgram>(capabilities().max_group_size);
    auto program = AlteredDevice::build(source);
    texts_.add(source);
    return program;
  }

 private:
  CompiledTexts& texts_;
};

/// The list of the device under test.
inline CompiledTexts& listed_texts() {
  const auto& backend = device().state()->backend;
  return compiled_texts("nvrtc-" + backend->capabilities().architecture, backend->binary_key());
}

/// Such a device takes the place of the device under test.
inline void list_texts() {
  const auto& real = device().state();
  const Capabilities capabilities = real->backend->capabilities();
  CompiledTexts& texts = listed_texts();
  DeviceOptions options;
  options.cache.disk = false;
  use_device(Device(core::open_state(
      real->info, std::make_shared<ListedDevice>(real->backend, capabilities, texts), options)));
}

}  // namespace bifold::test
