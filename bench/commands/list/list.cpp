#include "commands/list/list.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/format.hpp"
#include "base/output_file.hpp"
#include "commands/list/json.hpp"

namespace bench {
namespace {

void print_row(std::string_view name, std::string_view value) {
  print_text("    {:<18}{}\n", name, value);
}

std::string_view yes_no(bool value) { return value ? "yes" : "no"; }

std::string or_unknown(std::uint64_t bytes) { return bytes == 0 ? "unknown" : bytes_text(bytes); }

void print_capabilities(const bifold::Capabilities& c) {
  print_row("memory", formatted("{}, at most {} per buffer{}", bytes_text(c.global_bytes),
                                bytes_text(c.max_allocation_bytes),
                                c.unified_memory ? ", shared with the host" : ""));
  print_row("last-level cache", or_unknown(c.cache_bytes));
  print_row("compute units",
            formatted("{}, work-groups of up to {} with {} of local memory", c.compute_units,
                      c.max_group_size, bytes_text(c.local_bytes)));
  print_row("sub-group width",
            c.subgroup_width == 0 ? std::string("none") : std::to_string(c.subgroup_width));
  print_row("f64, f16", formatted("{}, {}", yes_no(c.f64), yes_no(c.f16)));
  print_row("IEEE f32, f64", formatted("{}, {} (denormals kept, round to nearest)",
                                       yes_no(c.denormals_f32), yes_no(c.denormals_f64)));
  print_row("f32 division", c.rounds_division_f32 ? "rounds correctly" : "rounds as it likes");
  print_row("64-bit atomics", yes_no(c.atomics64));
  print_row("atomics reach",
            c.atomic_scope == bifold::AtomicScope::device ? "the whole device" : "one work-group");
  print_row("acquire, release", yes_no(c.acquire_release));
  print_row("forward progress", c.progress == bifold::ForwardProgress::started_groups
                                    ? "of work-groups that have started"
                                    : "not promised");
  print_row("kernel paths", formatted("lanes {}, atomics {}", c.lanes, c.atomics));
  if (c.loop_turns > 0) {
    print_row("loops", formatted("were seen to make {} turns; kernels need no more", c.loop_turns));
  }
  if (!c.architecture.empty()) print_row("architecture", c.architecture);
}

void print_variants(const std::vector<VariantSupport>& variants) {
  std::size_t width = 0;
  for (const auto& support : variants) width = std::max(width, support.variant->name.size());
  print_text("    kernel variants\n");
  for (const auto& support : variants) {
    print_text("      {:<7} {:<{}}  {:<3}  {}\n", bifold::name_of(support.variant->algorithm),
               support.variant->name, width, yes_no(support.supported), support.variant->summary);
    for (const Refusal& refusal : support.refusals) {
      print_text("      {:<7} {:<{}}       not {}: {}\n", "", "", width, refusal.what,
                 refusal.reason);
    }
  }
}

void print_inventory(const Inventory& inventory) {
  print_text("bifold {}\n\nBackends\n", bifold::version());
  for (const bifold::BackendInfo& backend : inventory.backends) {
    const std::string version = backend.version.empty() ? "" : " (" + backend.version + ")";
    print_text("  {:<8} {}\n", backend.name,
               one_line(backend.available ? "available" + version
                                          : "not available: " + backend.reason + version));
  }
  print_text("\nDevices{}\n", inventory.devices.empty() ? ": none" : "");
  for (const ListedDevice& device : inventory.devices) {
    const bifold::DeviceInfo& info = device.info;
    print_text("  {}  {}\n", info.selector, info.name);
    print_row("kind", bifold::name_of(info.kind));
    print_row("vendor", info.vendor);
    print_row("platform", info.platform);
    print_row("driver", info.driver);
    if (!device.problem.empty()) print_row("cannot be opened", device.problem);
    if (device.capabilities) print_capabilities(*device.capabilities);
    if (!device.variants.empty()) print_variants(device.variants);
    print_text("\n");
  }
}

}  // namespace

Inventory take_inventory() {
  Inventory inventory;
  inventory.backends = bifold::backends();
  for (const bifold::DeviceInfo& info : bifold::devices()) {
    ListedDevice listed;
    listed.info = info;
    try {
      const bifold::Device device = bifold::open_device(info.selector);
      listed.capabilities = device.capabilities();
      for (const auto& variant : bifold::gallery::variants()) {
        listed.variants.push_back(support_of(device, variant));
      }
    } catch (const bifold::Error& error) {
      listed.problem = one_line(error.what());
    }
    inventory.devices.push_back(std::move(listed));
  }
  return inventory;
}

int list_devices(const std::filesystem::path& json) {
  if (!json.empty()) check_writable("--json", json);
  const Inventory inventory = take_inventory();
  print_inventory(inventory);
  if (!json.empty()) write_whole("--json", json, list_as_json(inventory));
  return 0;
}

}  // namespace bench
