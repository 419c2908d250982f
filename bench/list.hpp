// `bifold-bench list`.
#pragma once

#include <bifold/bifold.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// What a device cannot do with a variant, and why.
struct Refusal {
  std::string what;  ///< "everything", or the types and operators: "f64", "f32 with plus".
  std::string reason;
};

struct VariantSupport {
  const bifold::gallery::Variant* variant;
  bool supported;                 ///< At least one type and operator.
  std::vector<Refusal> refusals;  ///< One per distinct reason.
};

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

/// What `device` can do with a variant, over every type and built-in operator.
VariantSupport support_of(const bifold::Device& device, const bifold::gallery::Variant& variant);

/// Opens every device.
Inventory take_inventory();

/// Prints the inventory, and writes it to `json` unless that is empty. The exit status, which is 0
/// without devices too. Throws UsageError for a file that cannot be written.
int list_devices(const std::filesystem::path& json);

}  // namespace bench
