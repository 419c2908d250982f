// An open CUDA device.
#pragma once

#include <memory>
#include <string>

#include "cuda/driver/context.hpp"
#include "cuda/driver/nvrtc_api.hpp"
#include "interface.hpp"

namespace bifold::backend::cuda {

class Device final : public backend::Device {
 public:
  /// Throws unsupported below compute capability 7.0. Works in the device's primary context.
  explicit Device(std::uint32_t index);
  /// Works in a context of the application's.
  explicit Device(CUcontext adopted);

  /// The index of the device among devices().
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  /// A queue of the application's stream; see Stream.
  [[nodiscard]] std::unique_ptr<backend::Queue> adopt(CUstream stream, Timing timing) const;

  [[nodiscard]] const Capabilities& capabilities() const noexcept override { return capabilities_; }
  [[nodiscard]] const void* context() const noexcept override { return context_->get(); }
  [[nodiscard]] bool handles_are_addresses() const noexcept override { return true; }

  [[nodiscard]] Memory allocate(std::uint64_t bytes) override;
  void free(const Memory& memory) noexcept override;
  [[nodiscard]] backend::HostVisible allocate_host_visible(std::uint64_t bytes) override;
  void free_host_visible(const backend::HostVisible& cell) noexcept override;
  [[nodiscard]] std::unique_ptr<backend::Queue> create_queue(Timing timing) override;

  [[nodiscard]] std::string_view kernel_file(std::string_view name) const override;
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override { return ".cu"; }
  [[nodiscard]] const std::string& compile_options() const noexcept override { return options_; }
  [[nodiscard]] const std::string& binary_key() const noexcept override { return key_; }

  [[nodiscard]] std::shared_ptr<const backend::Program> build(const Source& source) override;
  [[nodiscard]] std::shared_ptr<const backend::Program> load(std::span<const std::byte> binary,
                                                             const std::string& options) override;

 private:
  explicit Device(const std::shared_ptr<const Context>& context);
  Device(std::uint32_t index, std::shared_ptr<const Context> context);
  void find_compiler();
  /// The program from what the library holds; null where that is nothing, or not wanted.
  [[nodiscard]] std::shared_ptr<const backend::Program> from_library(const Source& source) const;
  /// Why that is not built, and what to do.
  [[nodiscard]] std::string refusal(const Source& source) const;

  std::uint32_t index_;
  Capabilities capabilities_;
  std::string no_compiler_;  ///< Why compiler_ is null.
  const NvrtcApi* compiler_ = nullptr;
  std::string options_;
  std::string key_;
  std::shared_ptr<const Context> context_;
};

}  // namespace bifold::backend::cuda
