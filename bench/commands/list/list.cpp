#include "commands/list/list.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "base/output_file.hpp"
#include "commands/list/json.hpp"

namespace bench {
namespace {

constexpr std::size_t value_column = 22;

void print_row(std::string_view name, std::string_view value) {
  std::string lines = wrapped(std::string(value), value_column);
  lines.replace(0, value_column, formatted("    {:<18}", name));
  print_text("{}", lines);
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

void print_production(const std::vector<ProductionLine>& lines) {
  print_text("    production resolves to\n");
  Grid grid{{{"call"}, {"variant"}, {"elements"}}, {}};
  for (const ProductionLine& line : lines) {
    grid.rows.push_back({std::string(bifold::name_of(line.algorithm)), line.variants, line.calls});
  }
  print_text("{}", as_text(grid, 6));
}

void print_variants(const std::vector<VariantSupport>& variants) {
  print_text("    kernel variants\n");
  Grid grid{{{"call"}, {"variant"}, {"runs"}, {"idea, and what does not run"}}, {}};
  for (const auto& support : variants) {
    std::string idea(support.variant->summary);
    for (const Refusal& refusal : support.refusals) {
      idea += formatted("; not {}: {}", refusal.what, refusal.reason);
    }
    grid.rows.push_back({std::string(bifold::name_of(support.variant->algorithm)),
                         std::string(support.variant->name), std::string(yes_no(support.supported)),
                         std::move(idea)});
  }
  print_text("{}", as_text(grid, 6));
}

void print_inventory(const Inventory& inventory, bool full) {
  print_text("bifold {}\n\nBackends\n", bifold::version());
  for (const bifold::BackendInfo& backend : inventory.backends) {
    const std::string version = backend.version.empty() ? "" : " (" + backend.version + ")";
    std::string lines =
        wrapped(one_line(backend.available ? "available" + version
                                           : "not available: " + backend.reason + version),
                11);
    lines.replace(0, 11, formatted("  {:<8} ", backend.name));
    print_text("{}", lines);
  }
  print_text("\nDevices{}\n", inventory.devices.empty() ? ": none" : "");
  for (const ListedDevice& device : inventory.devices) {
    const bifold::DeviceInfo& info = device.info;
    print_text("  {}  {}\n", info.selector, info.name);
    print_row("kind, vendor", formatted("{}, {}", bifold::name_of(info.kind), info.vendor));
    print_row("platform", one_line(info.platform));
    print_row("driver", info.driver);
    if (!device.problem.empty()) print_row("cannot be opened", device.problem);
    if (device.capabilities) print_capabilities(*device.capabilities);
    if (!device.production.empty()) print_production(device.production);
    if (full && !device.variants.empty()) print_variants(device.variants);
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
      listed.production = production_lines(device);
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

int list_devices(const ListArguments& arguments) {
  if (!arguments.json.empty()) check_writable("--json", arguments.json);
  const Inventory inventory = take_inventory();
  print_inventory(inventory, arguments.full);
  if (!arguments.json.empty()) write_whole("--json", arguments.json, list_as_json(inventory));
  return 0;
}

}  // namespace bench
