// Offline devices: they plan as a device of their description does, and run nothing. Neither driver
// nor hardware is needed.
#pragma once

#include <bifold/device.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "interface.hpp"

namespace bifold::embed {

/// A text that planning asked an offline device to build, and how its kernel is launched.
struct Planned {
  backend::Source source;
  std::vector<std::string> entries;  ///< Those that were asked for, in order.
  std::string entry;                 ///< The last of them.
  backend::LaunchTraits launch;
};

/// In the order in which they were asked for.
using PlannedTexts = std::vector<std::shared_ptr<Planned>>;

/// What offline devices have in common: they note the texts that they are asked to build. One
/// thread plans on one of them.
class OfflineDevice : public backend::Device {
 public:
  [[nodiscard]] const Capabilities& capabilities() const noexcept override { return capabilities_; }
  [[nodiscard]] const void* context() const noexcept override { return this; }

  [[nodiscard]] backend::Memory allocate(std::uint64_t bytes) override;
  void free(const backend::Memory& /*memory*/) noexcept override {}
  /// Throws unsupported: nothing is enqueued here.
  [[nodiscard]] std::unique_ptr<backend::Queue> create_queue(Timing timing) override;

  [[nodiscard]] const std::string& compile_options() const noexcept override { return options_; }
  [[nodiscard]] const std::string& binary_key() const noexcept override { return key_; }

  [[nodiscard]] std::shared_ptr<const backend::Program> build(
      const backend::Source& source) override;
  /// Throws build_failure: it has given no binary.
  [[nodiscard]] std::shared_ptr<const backend::Program> load(std::span<const std::byte> binary,
                                                             const std::string& options) override;

  [[nodiscard]] const PlannedTexts& planned() const noexcept { return planned_; }

  /// The file that holds a kernel part, from the kernels' folder on; empty for an unknown part.
  [[nodiscard]] virtual std::string_view path_of_part(std::string_view part) const noexcept = 0;

 protected:
  OfflineDevice(Capabilities capabilities, std::string options);

 private:
  Capabilities capabilities_;
  std::string options_;
  std::string key_ = "offline";
  PlannedTexts planned_;
};

/// The device to plan on. Nothing is read from or written to disk.
bifold::Device planning_on(std::shared_ptr<backend::Device> device, std::string_view backend,
                           DeviceKind kind = DeviceKind::gpu);

}  // namespace bifold::embed
