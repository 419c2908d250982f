#include "run.hpp"

#include <string>
#include <utility>
#include <vector>

#include "json_report.hpp"
#include "output_file.hpp"
#include "result.hpp"
#include "runner.hpp"
#include "table.hpp"

namespace bench {
namespace {

/// "production" once per order; a row that is named has an order of its own.
std::vector<std::pair<std::string, bifold::Order>> rows_of(
    const std::vector<std::string>& variants, const std::vector<bifold::Order>& orders) {
  std::vector<std::pair<std::string, bifold::Order>> rows;
  for (const std::string& variant : variants) {
    for (const bifold::Order order : orders) {
      rows.emplace_back(variant, order);
      if (variant != "production") break;
    }
  }
  return rows;
}

/// Every line of the table, in its order, not yet measured.
std::vector<Result> all_configurations(const RunOptions& options,
                                       const std::vector<Session>& sessions) {
  std::vector<Result> results;
  for (std::size_t device = 0; device < sessions.size(); ++device) {
    const auto sizes = sizes_for(options, sessions[device].device().info().kind);
    for (const auto algorithm : options.algorithms) {
      const auto variants = variants_of(options, algorithm);
      for (const auto type : options.types) {
        for (const auto& op : options.operators) {
          for (const auto& [variant, order] : rows_of(variants, options.orders)) {
            for (const auto n : sizes) {
              Result result;
              result.what = {device, algorithm, variant, type, op, options.kind, n, order};
              results.push_back(std::move(result));
            }
          }
        }
      }
    }
  }
  return results;
}

}  // namespace

int run_benchmark(const RunOptions& options) {
  if (!options.json.empty()) check_writable("--json", options.json);
  Report report{begin_measurements(), options};
  std::vector<Session> sessions = open_sessions(options.devices, options.budget, report);
  report.results = all_configurations(options, sessions);
  measure_all(report, sessions, options.budget,
              options.progress ? ProgressMode::automatic : ProgressMode::off);
  for (DeviceReport& device : report.devices) {
    device.sizes = sizes_for(options, device.info.kind);
  }

  print_table(report);
  if (!options.json.empty()) write_whole("--json", options.json, run_as_json(report));
  return report.all_well() ? 0 : 1;
}

}  // namespace bench
