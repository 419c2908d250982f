// `bifold-bench list`.
#pragma once

#include <bifold/bifold.hpp>
#include <optional>
#include <string>
#include <vector>

#include "measure/production.hpp"
#include "measure/support.hpp"

namespace bench {

struct ListedDevice {
  bifold::DeviceInfo info;
  std::string problem;  ///< Why it could not be opened; empty when it could.
  std::optional<bifold::Capabilities> capabilities;
  std::vector<VariantSupport> variants;
  std::vector<ProductionLine> production;
};

struct Inventory {
  std::vector<bifold::BackendInfo> backends;
  std::vector<ListedDevice> devices;
};

/// Opens every device.
Inventory take_inventory();

/// As typed. What was not given stays empty.
struct ListArguments {
  bool full = false;  ///< Every variant, too.
  std::string json;
};

/// Prints the inventory, and writes it to a file where one is named. The exit status, which is 0
/// without devices too. Throws UsageError for a file that cannot be written.
int list_devices(const ListArguments& arguments);

}  // namespace bench
