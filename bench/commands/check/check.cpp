#include "commands/check/check.hpp"

#include <algorithm>
#include <chrono>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/live_table.hpp"
#include "base/output_file.hpp"
#include "base/usage_error.hpp"
#include "commands/check/device.hpp"
#include "commands/check/report.hpp"
#include "core/device/state.hpp"
#include "measure/options.hpp"
#include "measure/runner.hpp"

namespace bench {
namespace {

using bifold::core::SelfCheckResult;

void check_names(const std::vector<std::string>& names) {
  std::vector<std::string_view> known;
  for (const auto& row : bifold::gallery::variants()) {
    if (std::find(known.begin(), known.end(), row.name) == known.end()) known.push_back(row.name);
  }
  for (const std::string& name : names) {
    if (name == "all" || std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw UsageError(
        formatted("--variant: unknown name '{}' (choose from {}, all)", name, joined(known, ", ")));
  }
}

/// Where the self-check result of a device goes; equal for devices that share it.
std::string place_of(const bifold::Device& device) {
  return bifold::core::self_check_file({}, device.info()).string() + '\n' +
         bifold::core::self_check_key(device.info(), device.state()->backend->binary_key());
}

void add_findings(SelfCheckResult& result, const std::vector<CheckLine>& lines) {
  for (const CheckLine& line : lines) {
    const bool passed = line.outcome == CheckOutcome::passed;
    if (passed || line.outcome == CheckOutcome::failed) {
      result.merge({line.row, line.judged, passed ? std::string() : line.reason});
    }
  }
}

/// What the device knew before, with what has now been found of it and of those like it.
SelfCheckResult result_for(std::size_t index, const std::vector<bifold::Device>& devices,
                           const std::vector<CheckedDevice>& checked) {
  SelfCheckResult found;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (place_of(devices[i]) == place_of(devices[index])) add_findings(found, checked[i].lines);
  }
  SelfCheckResult result = *devices[index].state()->self_check;
  for (const auto& finding : found.findings()) result.set(finding);
  return result;
}

void conclude(const std::vector<bifold::Device>& devices, const CheckOptions& options,
              std::vector<CheckedDevice>& checked) {
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto& state = devices[i].state();
    const SelfCheckResult result = result_for(i, devices, checked);
    if (options.store) {
      checked[i].not_stored = bifold::core::store_self_check({}, devices[i].info(),
                                                             state->backend->binary_key(), result);
    } else {
      checked[i].not_stored = "--no-store";
    }
    if (checked[i].not_stored.empty()) {
      checked[i].stored = bifold::core::self_check_file({}, devices[i].info());
    }
    // From now on this process plans as later ones will.
    *state->self_check = result;
    checked[i].production = production_choices(devices[i]);
  }
}

}  // namespace

CheckOptions understand(const CheckArguments& arguments) {
  CheckOptions options;
  options.devices = understand_devices(arguments.devices);
  options.variants = arguments.variants;
  check_names(options.variants);
  if (options.variants.empty()) options.variants.emplace_back("production");
  options.seconds = understand_budget({options.seconds}, arguments.seconds, {}).seconds;
  options.json = arguments.json;
  options.store = !arguments.no_store;
  options.progress = !arguments.no_progress;
  return options;
}

int run_check(const CheckOptions& options) {
  if (!options.json.empty()) check_writable("--json", options.json);
  CheckReport report;
  report.time = utc_now();
  report.host = host_info();
  const std::vector<bifold::Device> devices = open_devices(options.devices, report.unopened);
  double cost = 0;
  for (const bifold::Device& device : devices) {
    CheckedDevice checked;
    checked.info = device.info();
    checked.capabilities = device.capabilities();
    checked.lines = lines_for(device, options);
    cost += cost_of(checked.lines, options);
    report.devices.push_back(std::move(checked));
  }
  print_now(formatted("bifold {}\n", bifold::version()));
  {
    const Interrupts interrupts;
    Progress progress(options.progress ? ProgressMode::automatic : ProgressMode::off, cost);
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto start = std::chrono::steady_clock::now();
      CheckedDevice& checked = report.devices[i];
      progress.hide();
      if (!interrupted()) print_now(check_heading(checked));
      check_lines(devices[i], checked.lines, options, progress,
                  [&](const CheckLine& line) { print_now(check_row(checked, line)); });
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      checked.seconds = spent.count();
    }
  }
  report.complete = !interrupted();
  conclude(devices, options, report.devices);
  print_text("{}", check_conclusions(report));
  if (!options.json.empty()) write_whole("--json", options.json, check_as_json(report, options));
  if (!report.complete) return exit_interrupted;
  const bool well =
      !devices.empty() && report.unopened.empty() &&
      std::all_of(report.devices.begin(), report.devices.end(), [&](const CheckedDevice& device) {
        return device.all_well() && (device.not_stored.empty() || !options.store);
      });
  return well ? 0 : 1;
}

}  // namespace bench
