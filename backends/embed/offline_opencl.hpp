// OpenCL devices to plan on, by what is known of them.
#pragma once

#include <string_view>

#include "embed/offline_device.hpp"

namespace bifold::embed {

/// A CPU as PoCL shows it.
Capabilities offline_cpu();
/// A GPU of no particular vendor, whose sub-groups have 32 work-items.
Capabilities offline_gpu();

class OfflineOpenclDevice final : public OfflineDevice {
 public:
  explicit OfflineOpenclDevice(const Capabilities& capabilities);

  [[nodiscard]] bool handles_are_addresses() const noexcept override { return false; }
  [[nodiscard]] std::string_view kernel_file(std::string_view name) const override;
  [[nodiscard]] std::string_view path_of_part(std::string_view part) const noexcept override;
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override { return ".cl"; }
};

}  // namespace bifold::embed
