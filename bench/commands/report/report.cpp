#include "commands/report/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <string_view>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "core/device/state.hpp"
#include "core/gallery/self_check.hpp"
#include "core/gallery/tuning_file.hpp"
#include "core/kernel/cache_files.hpp"
#include "core/kernel/embedded.hpp"
#include "measure/device_facts.hpp"
#include "measure/host.hpp"
#include "measure/options.hpp"
#include "measure/result.hpp"
#include "measure/runner.hpp"

namespace bench {
namespace {

namespace core = bifold::core;
namespace fs = std::filesystem;

constexpr std::size_t value_column = 20;

void print_row(std::string_view name, const std::string& value) {
  std::string lines = wrapped(one_line(value), value_column);
  lines.replace(0, value_column, formatted("  {:<18}", name));
  print_text("{}", lines);
}

const char* yes_no(bool value) { return value ? "yes" : "no"; }

std::string build_text() {
#if defined(__clang__)
  const std::string compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
  const std::string compiler = "g++ " __VERSION__;
#else
  const std::string compiler = "an unknown compiler";
#endif
  const std::string_view type = BIFOLD_BUILD_TYPE;
  return formatted("{}, {}, CUDA {}, OpenCL {}", compiler, type.empty() ? "no build type" : type,
                   yes_no(BIFOLD_HAS_CUDA), yes_no(BIFOLD_HAS_OPENCL));
}

/// What of the environment decides about devices, drivers and caches.
std::string environment_text() {
  constexpr std::string_view prefixes[]{"BIFOLD_", "CUDA_", "OCL_ICD", "POCL_", "RUSTICL_"};
  std::vector<std::string> found;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    if (std::any_of(std::begin(prefixes), std::end(prefixes),
                    [&](std::string_view prefix) { return variable.starts_with(prefix); })) {
      found.emplace_back(variable);
    }
  }
  std::sort(found.begin(), found.end());
  return found.empty() ? "nothing set" : joined(found, " ");
}

std::string cache_text() {
  const fs::path folder = core::cache_directory({});
  if (folder.empty()) return "none";
  return folder.string() + (core::disabled_by_environment() ? " (kernels are not kept)" : "");
}

/// "none" and why not, or the file.
std::string file_text(const fs::path& file, const std::string& content) {
  std::error_code ignored;
  if (file.empty() || !fs::exists(file, ignored)) return content;
  return formatted("{}; {}", content, file.string());
}

void print_device(const bifold::Device& device) {
  const bifold::DeviceInfo& info = device.info();
  const DeviceFacts facts = facts_of(device);
  print_text("\n");
  print_row(info.selector, info.name);
  print_row("kind, vendor", formatted("{}, {}", bifold::name_of(info.kind), info.vendor));
  print_row("driver", info.driver);
  print_row("platform", info.platform);
  if (!device.capabilities().architecture.empty()) {
    print_row("architecture", device.capabilities().architecture);
  }
  const std::string checked =
      facts.rows_checked == 0
          ? "none: run `bifold-bench check`"
          : formatted("{} findings, {} problems", facts.rows_checked, facts.problems.size());
  print_row("self-check result", file_text(core::self_check_file({}, info), checked));
  for (const std::string& problem : facts.problems) print_row("  problem", problem);
  const std::string tuned = facts.tuned_rows == 0
                                ? "none: built-in values"
                                : formatted("values for {} variants", facts.tuned_rows);
  print_row("tuning file", file_text(core::tuning_file({}, info), tuned));
}

}  // namespace

int run_report(const ReportArguments& arguments) {
  std::vector<UnopenedDevice> unopened;
  const std::vector<bifold::Device> devices =
      open_devices(understand_devices(arguments.devices), unopened);
  print_row("bifold", std::string(bifold::version()));
  print_row("build", build_text());
  print_row("embedded kernels", core::about_embedded());
  const HostInfo host = host_info();
  print_row("host", formatted("{}, {} threads, {}", host.cpu, host.threads, host.os));
  for (const bifold::BackendInfo& backend : bifold::backends()) {
    print_row(backend.name, (backend.available ? "available" : "not available: " + backend.reason) +
                                (backend.version.empty() ? "" : " (" + backend.version + ")"));
  }
  print_row("cache folder", cache_text());
  print_row("environment", environment_text());
  for (const bifold::Device& device : devices) print_device(device);
  for (const UnopenedDevice& device : unopened) {
    print_text("\n");
    print_row(device.info.selector, device.info.name);
    print_row("cannot be opened", device.reason);
  }
  return 0;
}

}  // namespace bench
