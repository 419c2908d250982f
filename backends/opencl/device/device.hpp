// An open OpenCL device.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "interface.hpp"
#include "opencl/driver/clhpp.hpp"
#include "opencl/program/library_images.hpp"

namespace bifold::backend::opencl {

class Device final : public backend::Device {
 public:
  /// Makes a context of its own for that one device.
  explicit Device(const cl::Device& device);
  /// Works in a context of the application's, which may have other devices too.
  Device(cl::Context context, cl::Device device);

  [[nodiscard]] const Capabilities& capabilities() const noexcept override { return capabilities_; }
  [[nodiscard]] const void* context() const noexcept override { return context_(); }
  [[nodiscard]] const void* identity() const noexcept override { return device_(); }
  [[nodiscard]] bool handles_are_addresses() const noexcept override { return false; }

  [[nodiscard]] Memory allocate(std::uint64_t bytes) override;
  void free(const Memory& memory) noexcept override;
  [[nodiscard]] backend::HostVisible allocate_host_visible(std::uint64_t bytes) override;
  void free_host_visible(const backend::HostVisible& cell) noexcept override;

  [[nodiscard]] std::unique_ptr<backend::Queue> create_queue(Timing timing) override;

  [[nodiscard]] std::string_view kernel_file(std::string_view name) const override;
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override { return ".cl"; }
  [[nodiscard]] const std::string& compile_options() const noexcept override {
    return compile_options_;
  }
  [[nodiscard]] std::string options_to_hold(std::uint32_t groups,
                                            std::uint32_t group_size) const override;
  [[nodiscard]] const std::string& binary_key() const noexcept override { return binary_key_; }

  [[nodiscard]] std::shared_ptr<const backend::Program> build(const Source& source) override;
  [[nodiscard]] std::shared_ptr<const backend::Program> load(std::span<const std::byte> binary,
                                                             const std::string& options) override;

  [[nodiscard]] const cl::Context& native_context() const noexcept { return context_; }
  [[nodiscard]] const cl::Device& native() const noexcept { return device_; }

 private:
  cl::Device device_;
  cl::Context context_;
  Capabilities capabilities_;
  std::string compile_options_;
  std::string binary_key_;
  std::optional<LibraryImages> images_;  // On NVIDIA's.
  std::atomic<std::uint64_t> allocated_bytes_{0};
};

}  // namespace bifold::backend::opencl
