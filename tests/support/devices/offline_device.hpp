// A device for tests of what is decided before anything is compiled or run.
#pragma once

#include <bifold/device.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "interface.hpp"

namespace bifold::test {

/// A device that exists as far as planning looks: it compiles and runs nothing.
class OfflineDevice final : public backend::Device {
 public:
  OfflineDevice(ForwardProgress progress, std::string binary_key, std::string architecture = {})
      : key_(std::move(binary_key)) {
    capabilities_.architecture = std::move(architecture);
    capabilities_.max_group_size = 256;
    capabilities_.f64 = capabilities_.atomics64 = capabilities_.acquire_release = true;
    capabilities_.denormals_f32 = capabilities_.denormals_f64 = true;
    capabilities_.atomic_scope = AtomicScope::device;
    capabilities_.progress = progress;
    capabilities_.lanes = "local";
    capabilities_.atomics = "c11";
  }
  [[nodiscard]] const Capabilities& capabilities() const noexcept override { return capabilities_; }
  [[nodiscard]] const void* context() const noexcept override { return this; }
  [[nodiscard]] bool handles_are_addresses() const noexcept override { return false; }
  [[nodiscard]] backend::Memory allocate(std::uint64_t /*bytes*/) override { throw no_device(); }
  void free(const backend::Memory& /*memory*/) noexcept override {}
  [[nodiscard]] std::unique_ptr<backend::Queue> create_queue(Timing /*timing*/) override {
    throw no_device();
  }
  [[nodiscard]] std::string_view kernel_file(std::string_view /*name*/) const override {
    throw no_device();
  }
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override { return ".cl"; }
  [[nodiscard]] const std::string& compile_options() const noexcept override { return options_; }
  [[nodiscard]] const std::string& binary_key() const noexcept override { return key_; }
  [[nodiscard]] std::shared_ptr<const backend::Program> build(
      const backend::Source& /*source*/) override {
    throw no_device();
  }
  [[nodiscard]] std::shared_ptr<const backend::Program> load(
      std::span<const std::byte> /*binary*/, const std::string& /*options*/) override {
    throw no_device();
  }

 private:
  static std::logic_error no_device() { return std::logic_error("an offline device"); }

  Capabilities capabilities_{};
  std::string options_;
  std::string key_;
};

}  // namespace bifold::test
