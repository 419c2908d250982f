// `bifold-bench list`.
#pragma once

#include <bifold/bifold.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "measure/support.hpp"

namespace bench {

struct ListedDevice {
  bifold::DeviceInfo info;
  std::string problem;  ///< Why it could not be opened; empty when it could.
  std::optional<bifold::Capabilities> capabilities;
  std::vector<VariantSupport> variants;
};

struct Inventory {
  std::vector<bifold::BackendInfo> backends;
  std::vector<ListedDevice> devices;
};

/// Opens every device.
Inventory take_inventory();

/// Prints the inventory, and writes it to `json` unless that is empty. The exit status, which is 0
/// without devices too. Throws UsageError for a file that cannot be written.
int list_devices(const std::filesystem::path& json);

}  // namespace bench
