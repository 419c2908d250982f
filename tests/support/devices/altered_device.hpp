// The device under test, with other capabilities than it has.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/device/state.hpp"
#include "core/opening/open_state.hpp"
#include "interface.hpp"
#include "support/environment.hpp"

namespace bifold::test {

class AlteredDevice : public backend::Device {
 public:
  /// `edit` changes the texts that are compiled, as a compiler that errs would.
  AlteredDevice(std::shared_ptr<backend::Device> device, Capabilities capabilities,
                std::function<void(std::string&)> edit = {})
      : device_(std::move(device)),
        capabilities_(std::move(capabilities)),
        edit_(std::move(edit)) {}

  [[nodiscard]] const Capabilities& capabilities() const noexcept override { return capabilities_; }
  [[nodiscard]] const void* context() const noexcept override { return device_->context(); }
  [[nodiscard]] const void* identity() const noexcept override { return device_->identity(); }
  [[nodiscard]] bool handles_are_addresses() const noexcept override {
    return device_->handles_are_addresses();
  }
  [[nodiscard]] detail::Memory allocate(std::uint64_t bytes) override {
    return device_->allocate(bytes);
  }
  void free(const detail::Memory& memory) noexcept override { device_->free(memory); }
  [[nodiscard]] std::unique_ptr<backend::Queue> create_queue(Timing timing) override {
    return device_->create_queue(timing);
  }
  [[nodiscard]] std::string_view kernel_file(std::string_view name) const override {
    return device_->kernel_file(name);
  }
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override {
    return device_->kernel_suffix();
  }
  [[nodiscard]] const std::string& compile_options() const noexcept override {
    return device_->compile_options();
  }
  [[nodiscard]] std::string options_to_hold(std::uint32_t groups,
                                            std::uint32_t group_size) const override {
    return device_->options_to_hold(groups, group_size);
  }
  [[nodiscard]] const std::string& binary_key() const noexcept override {
    return device_->binary_key();
  }
  [[nodiscard]] std::shared_ptr<const backend::Program> build(
      const backend::Source& source) override {
    if (!edit_) return device_->build(source);
    backend::Source edited = source;
    edit_(edited.text);
    return device_->build(edited);
  }
  [[nodiscard]] std::shared_ptr<const backend::Program> load(std::span<const std::byte> binary,
                                                             const std::string& options) override {
    return device_->load(binary, options);
  }

 private:
  std::shared_ptr<backend::Device> device_;
  Capabilities capabilities_;
  std::function<void(std::string&)> edit_;
};

/// The device under test with what `alter` makes of its capabilities. Where texts are edited,
/// nothing is kept on disk.
inline Device altered_device(const std::function<void(Capabilities&)>& alter,
                             std::function<void(std::string&)> edit = {}) {
  const auto& real = device().state();
  Capabilities capabilities = real->backend->capabilities();
  alter(capabilities);
  DeviceOptions options;
  options.cache.disk = !edit;
  return Device(core::open_state(
      real->info,
      std::make_shared<AlteredDevice>(real->backend, std::move(capabilities), std::move(edit)),
      options));
}

}  // namespace bifold::test
