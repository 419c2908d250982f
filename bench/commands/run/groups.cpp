#include "commands/run/groups.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/live_table.hpp"
#include "base/usage_error.hpp"
#include "commands/run/run.hpp"
#include "comparison/scaling.hpp"
#include "groups/group_session.hpp"
#include "measure/runner.hpp"
#include "peers/processes.hpp"

namespace bench {
namespace {

/// Every line of the table, in its order, not yet measured.
std::vector<GroupResult> all_groups(const RunOptions& options, const GroupSession& session,
                                    bifold::DeviceKind kind) {
  std::vector<GroupResult> groups;
  GroupResult group;
  group.scaling = options.scaling;
  group.transport = options.ranks ? "mpi" : "in_process";
  for (const auto algorithm : options.algorithms) {
    for (const auto type : options.types) {
      for (const auto& op : options.operators) {
        for (const auto order : options.orders) {
          for (const auto size : sizes_for(options, kind)) {
            for (const auto ranks : session.rank_counts()) {
              const auto n = options.scaling == Scaling::strong ? size : size * ranks;
              group.what = {0, algorithm, "production", type, op, options.kind, n, order};
              // Order v1 promises bits of sums that round, others do not.
              if (order == bifold::Order::v1) group.what.data = DataKind::rounding;
              group.ranks = session.ranks(ranks);
              groups.push_back(group);
            }
          }
        }
      }
    }
  }
  return groups;
}

LiveTable table_of(const std::vector<GroupResult>& groups) {
  const auto widest = [&](auto text_of) {
    std::size_t width = 0;
    for (const GroupResult& group : groups) {
      width = std::max(width, std::string_view(text_of(group)).size());
    }
    return width;
  };
  std::vector<LiveTable::Field> fields;
  const auto add = [&fields](Column column, std::size_t width) {
    LiveTable::Field& field = fields.emplace_back();
    field.column = std::move(column);
    field.width = width;
  };
  add({"call"}, 6);
  add({"type"}, widest([](const GroupResult& g) { return bifold::name_of(g.what.type); }));
  add({"op"}, widest([](const GroupResult& g) { return g.what.op.name(); }));
  for (Column& column : scaling_columns()) {
    const bool time = column.number && column.heading != "ranks" && column.heading != "share";
    add(std::move(column), time ? 7 : 0);
  }
  return LiveTable(std::move(fields));
}

std::string row_of(const LiveTable& table, const GroupResult& group) {
  const Configuration& what = group.what;
  std::vector<std::string> cells{std::string(bifold::name_of(what.algorithm)),
                                 std::string(bifold::name_of(what.type)),
                                 std::string(what.op.name())};
  for (std::string& cell : scaling_cells(group)) cells.push_back(std::move(cell));
  std::string remark = group.reason;
  if (what.order == bifold::Order::any) remark += "any order";
  for (const GroupPeer& peer : group.peers) {
    if (!remark.empty()) remark += "; ";
    remark += peer.outcome == Outcome::timed
                  ? formatted("{}: {}, {} bits", peer.name, seconds_text(peer.timing.median_s),
                              peer.same_bits ? "the same" : "other")
                  : formatted("{}: {}", peer.name, peer.reason);
  }
  return table.row(cells, remark);
}

void print_heading(const Report& report, const GroupSession& session, const Processes& processes,
                   const LiveTable& table) {
  print_text("bifold {}, {}; {} scaling over {}\n", report.library_version, report.time,
             name_of(report.options.scaling), processes.version());
  const auto ranks = session.ranks(session.rank_counts().back());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    print_text("  rank {}  host {}  {}  {}\n", i, ranks[i].host, ranks[i].selector,
               ranks[i].device_name);
  }
  print_now('\n' + table.heading());
}

Report measure_groups(const RunOptions& options, const Processes& processes) {
  const Interrupts interrupts;
  Report report;
  static_cast<Measurements&>(report) = begin_measurements();
  report.options = options;
  GroupSession session(options, processes);
  report.devices = session.devices();
  const auto kind = report.devices.front().info.kind;
  // Others may have another kind of device, and their default sizes have to be the same.
  const bool gpu = first_says(processes, kind == bifold::DeviceKind::gpu);
  std::vector<GroupResult> groups =
      all_groups(options, session, gpu ? bifold::DeviceKind::gpu : bifold::DeviceKind::cpu);
  const LiveTable table = table_of(groups);
  print_heading(report, session, processes, table);
  for (GroupResult& group : groups) {
    report.complete = !first_says(processes, interrupted());
    if (!report.complete) break;
    session.run(group);
    print_now(row_of(table, group));
    report.groups.push_back(std::move(group));
  }
  report.devices = session.devices();
  print_text("\n{}", wrapped(std::string(scaling_legend), 2));
  if (!report.complete) print_text("Interrupted: this is what was measured until then.\n");
  return report;
}

}  // namespace

int run_groups(const RunOptions& options) {
  const auto processes = options.ranks ? mpi_processes("--ranks") : this_process();
  const bool first = processes->rank() == 0;
  if (!first) silence();
  std::optional<UsageError> refusal;
  try {
    if (first) check_run_files(options);
  } catch (const UsageError& error) {
    refusal = error;
  }
  if (first_says(*processes, refusal.has_value())) {
    throw refusal.value_or(UsageError("the first process refuses"));
  }
  try {
    const Report report = measure_groups(options, *processes);
    if (first) write_run_files(report);
    if (!report.complete) return exit_interrupted;
    return report.all_well() ? 0 : 1;
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    print_error("bifold-bench: {}\n", one_line(error.what()));
    processes->abandon();
    return 1;
  }
}

}  // namespace bench
