#include "commands/run/run.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/live_table.hpp"
#include "base/output_file.hpp"
#include "commands/run/groups.hpp"
#include "commands/run/peer_tables.hpp"
#include "commands/run/resume.hpp"
#include "commands/run/table.hpp"
#include "commands/startup/startup.hpp"
#include "comparison/comparison.hpp"
#include "comparison/html.hpp"
#include "document/run_document.hpp"
#include "document/run_file.hpp"
#include "measure/result.hpp"
#include "measure/runner.hpp"
#include "peers/modules.hpp"

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
    std::vector<std::uint64_t> sizes;
    if (options.arrays) sizes = sizes_for(options, sessions[device].device().info().kind);
    for (const auto algorithm : options.algorithms) {
      const auto variants = variants_of(options, algorithm);
      for (const auto type : options.types) {
        for (const auto& op : options.operators) {
          if (options.suite != nullptr && !suites_have(type, op)) continue;
          for (const auto& [variant, order] : rows_of(variants, options.orders)) {
            Result result;
            result.what = {device, algorithm, variant, type, op, options.kind, 0, order};
            // Peers sum up in other orders.
            const bool lines_alone = !options.matrices.empty() && options.peers.empty();
            if (options.suite != nullptr || lines_alone) result.what.data = DataKind::rounding;
            for (const auto n : sizes) {
              result.what.n = n;
              results.push_back(result);
            }
            if (options.suite != nullptr && !suites_have_lines(type, op)) continue;
            for (const Matrix& matrix : options.matrices) {
              result.what.matrix = matrix;
              result.what.n = matrix.elements();
              results.push_back(result);
            }
          }
        }
      }
    }
  }
  return results;
}

}  // namespace

namespace {

std::vector<std::string> selectors_of(const std::vector<Session>& sessions) {
  std::vector<std::string> selectors;
  selectors.reserve(sessions.size());
  for (const Session& session : sessions) selectors.push_back(session.device().info().selector);
  return selectors;
}

/// Of a suite, beside the file that it makes.
std::optional<PartialRun> partial_run(const RunOptions& options) {
  if (options.suite == nullptr || options.json.empty() || !is_replaced("--json", options.json)) {
    return {};
  }
  return PartialRun(options.json);
}

/// Says on standard error what became of an earlier run's results.
void restore(Report& report, std::vector<Session>& sessions, const PartialRun& partial) {
  const Restored restored = partial.restore(report, sessions);
  report.kept = restored.count;
  if (!restored.found) return;
  const std::string file = partial.path().string();
  if (restored.obstacle.empty()) {
    print_error("bifold-bench: {} of {} results are kept from '{}'\n", restored.count,
                report.results.size(), file);
  } else {
    print_error("bifold-bench: begins anew instead of going on from '{}': {}\n", file,
                restored.obstacle);
  }
}

using AfterEach = std::function<void(const Result&)>;

/// What a suite adds to a run, and to its document.
void measure_suite(Report& report, std::vector<Session>& sessions, const StartupCaches& caches,
                   PartialRun* partial, const AfterEach& show) {
  const RunOptions& options = report.options;
  report.starts = measure_starts(caches, selectors_of(sessions), {bifold::Type::f32}, startup_size);
  if (partial != nullptr && options.resume) restore(report, sessions, *partial);
  for (const Result& result : report.results) {
    if (result.outcome == Outcome::timed) show(result);
  }
  for (Session& session : sessions) session.measure_in_regimes();
  const AfterEach after_each = [&](const Result& result) {
    show(result);
    if (partial != nullptr) partial->keep(report);
  };
  measure_all(report, sessions, options.budget,
              options.progress ? ProgressMode::automatic : ProgressMode::off, after_each);
  if (interrupted()) return;
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    report.devices[i].transfers = sessions[i].transfers();
  }
}

}  // namespace

Report measure_run(const RunOptions& options) {
  const Interrupts interrupts;
  std::optional<StartupCaches> caches;
  if (options.suite != nullptr) caches.emplace();
  Report report;
  static_cast<Measurements&>(report) = begin_measurements();
  report.options = options;
  report.peers = open_peers(options.peers);
  std::vector<Session> sessions = open_sessions(options.devices, options.budget, report);
  if (!report.peers.empty()) {
    for (Session& session : sessions) {
      session.compete_with(report.peers);
      if (!options.graphs) session.leave_out_graphs();
    }
  }
  for (Session& session : sessions) session.start_at(options.first_element);
  report.results = all_configurations(options, sessions);
  for (const Session& session : sessions) report.devices.push_back(session.report());
  const RunTable table(report);
  print_now(table.heading());
  const AfterEach show = [&](const Result& result) { print_now(table.row(result)); };
  if (caches) {
    std::optional<PartialRun> partial = partial_run(options);
    measure_suite(report, sessions, *caches, partial ? &*partial : nullptr, show);
  } else {
    measure_all(report, sessions, options.budget,
                options.progress ? ProgressMode::automatic : ProgressMode::off, show);
  }
  report.complete = !interrupted();
  for (std::size_t i = 0; i < sessions.size() && report.complete; ++i) {
    report.devices[i].empty_launch = sessions[i].empty_launch();
  }
  for (DeviceReport& device : report.devices) {
    if (options.arrays) device.sizes = sizes_for(options, device.info.kind);
  }
  print_text("{}", summary_of(report));
  return report;
}

void check_run_file(const RunOptions& options) {
  if (options.json.empty()) return;
  check_writable("--json", options.json);
  if (const auto partial = partial_run(options)) partial->check();
}

void write_run(const Report& report) {
  const RunOptions& options = report.options;
  if (options.json.empty()) return;
  write_whole("--json", options.json, run_as_json(report));
  if (!report.complete) return;  // What a suite has kept serves the next run.
  if (const auto partial = partial_run(options)) partial->remove();
}

void check_run_files(const RunOptions& options) {
  if (!options.html.empty()) check_charts("--html");
  check_run_file(options);
  if (!options.html.empty()) check_writable("--html", options.html);
  if (!options.markdown.empty()) check_writable("--markdown", options.markdown);
}

void write_run_files(const Report& report) {
  const RunOptions& options = report.options;
  write_run(report);
  if (!options.markdown.empty()) {
    write_whole("--markdown", options.markdown, peers_as_markdown(report));
  }
  if (!options.html.empty() && !report.devices.empty()) {
    write_whole("--html", options.html, comparison_as_html(drawn_alone(run_file_of(report))));
  }
}

int run_benchmark(const RunOptions& options) {
  if (!options.group.empty()) return run_groups(options);
  check_run_files(options);
  const Report report = measure_run(options);
  if (!report.peers.empty()) print_text("{}", peers_as_text(report));
  write_run_files(report);
  if (!report.complete) return exit_interrupted;
  return report.all_well() ? 0 : 1;
}

}  // namespace bench
