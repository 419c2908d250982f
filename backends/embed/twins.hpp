// The texts in OpenCL C that a GPU of NVIDIA's gets, each with the one in CUDA C++ of the same
// plan: planned by the same planner on two devices on paper.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/embedded.hpp"
#include "embed/offline_device.hpp"
#include "interface.hpp"

namespace bifold::embed {

/// A GPU as NVIDIA's OpenCL shows it; it keeps the texts that it is asked to build.
class OfflineOpenclDevice final : public backend::Device {
 public:
  explicit OfflineOpenclDevice(int architecture);

  [[nodiscard]] const Capabilities& capabilities() const noexcept override { return capabilities_; }
  [[nodiscard]] const void* context() const noexcept override { return this; }
  [[nodiscard]] bool handles_are_addresses() const noexcept override { return false; }

  [[nodiscard]] backend::Memory allocate(std::uint64_t bytes) override;
  void free(const backend::Memory& /*memory*/) noexcept override {}
  /// Throws unsupported: nothing is enqueued here.
  [[nodiscard]] std::unique_ptr<backend::Queue> create_queue(Timing timing) override;

  [[nodiscard]] std::string_view kernel_file(std::string_view name) const override;
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override { return ".cl"; }
  [[nodiscard]] const std::string& compile_options() const noexcept override { return options_; }
  [[nodiscard]] const std::string& binary_key() const noexcept override { return key_; }

  [[nodiscard]] std::shared_ptr<const backend::Program> build(
      const backend::Source& source) override;
  [[nodiscard]] std::shared_ptr<const backend::Program> load(
      std::span<const std::byte> binary) override;

  [[nodiscard]] const PlannedTexts& planned() const noexcept { return planned_; }

 private:
  Capabilities capabilities_;
  std::string options_;
  std::string key_ = "opencl on paper";
  PlannedTexts planned_;
};

/// Which parameters of the kernel `entry` point to global memory, bit i for parameter i, by its
/// text in OpenCL C. Throws build_failure where there is no such kernel.
std::uint32_t pointer_parameters(std::string_view text, std::string_view entry);

/// The twins that were found. Thread-safe.
class Twins {
 public:
  /// What both devices planned for the same. Throws build_failure where that differs.
  void add(const PlannedTexts& opencl, const PlannedTexts& cuda, int architecture);

  [[nodiscard]] const std::map<std::pair<EmbeddedKey, int>, core::EmbeddedTwin>& rows() const {
    return rows_;
  }

 private:
  std::mutex mutex_;  // Protects what follows.
  std::map<std::pair<EmbeddedKey, int>, core::EmbeddedTwin> rows_;
};

}  // namespace bifold::embed
