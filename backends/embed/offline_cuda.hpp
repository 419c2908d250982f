// CUDA devices to plan on, by their architecture alone.
#pragma once

#include <string_view>

#include "embed/offline_device.hpp"

namespace bifold::embed {

/// A GPU as the newest driver of CUDA shows it.
Capabilities offline_capabilities(int architecture);

/// A CUDA device. Its texts are for the architecture itself, as machine code, or for it and later
/// ones, as PTX alone.
class OfflineCudaDevice : public OfflineDevice {
 public:
  OfflineCudaDevice(int architecture, bool machine_code);

  [[nodiscard]] bool handles_are_addresses() const noexcept override { return true; }
  [[nodiscard]] std::string_view kernel_file(std::string_view name) const override;
  [[nodiscard]] std::string_view kernel_suffix() const noexcept override { return ".cu"; }

 protected:
  [[nodiscard]] int architecture() const noexcept { return architecture_; }
  [[nodiscard]] bool machine_code() const noexcept { return machine_code_; }

 private:
  int architecture_;
  bool machine_code_;
};

}  // namespace bifold::embed
