// CUDA devices to plan on, by their architecture alone.
#pragma once

#include <string_view>

#include "embed/offline_device.hpp"

namespace bifold::embed {

/// A GPU as the newest driver of CUDA shows it.
Capabilities offline_capabilities(int architecture);

/// A CUDA device.
class OfflineCudaDevice : public OfflineDevice {
 public:
  explicit OfflineCudaDevice(const Capabilities& capabilities, std::string_view target = {});

  [[nodiscard]] bool handles_are_addresses() const noexcept override { return true; }
  [[nodiscard]] std::string_view kernel_file(std::string_view name) const override;
  [[nodiscard]] std::string_view path_of_part(std::string_view part) const noexcept override;
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override { return ".cu"; }
};

}  // namespace bifold::embed
