#include "commands/check/report.hpp"

#include <map>
#include <set>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "document/parts.hpp"

namespace bench {
namespace {

std::string_view name_of(CheckOutcome outcome) {
  switch (outcome) {
    case CheckOutcome::passed: return "passed";
    case CheckOutcome::failed: return "failed";
    case CheckOutcome::unsupported: return "unsupported";
    case CheckOutcome::unchecked: break;
  }
  return "unchecked";
}

std::string result_text(const CheckLine& line) {
  switch (line.outcome) {
    case CheckOutcome::passed: return "passed";
    case CheckOutcome::failed: return "FAILED";
    case CheckOutcome::unsupported: return "does not run here";
    case CheckOutcome::unchecked: break;
  }
  return "NOT CHECKED";
}

std::string table_of(const CheckedDevice& device) {
  Grid grid{{{"algorithm"}, {"row"}, {"elements"}, {"calls", true}, {"result"}, {"checked"}}, {}};
  for (const CheckLine& line : device.lines) {
    grid.rows.push_back({std::string(bifold::name_of(line.row->algorithm)),
                         std::string(line.row->name),
                         std::string(bifold::core::name_of(line.judged)),
                         line.calls == 0 ? "" : count_text(line.calls), result_text(line),
                         joined(line.cases, "; ")});
  }
  return as_text(grid, 2);
}

/// What was wrong first in each line, and the rows that do not run here once for each reason.
std::string reasons_of(const CheckedDevice& device) {
  std::string text;
  for (const CheckLine& line : device.lines) {
    if (line.outcome == CheckOutcome::passed) continue;
    text += wrapped(
        formatted("{} {} on {}: {}: {}", bifold::name_of(line.row->algorithm), line.row->name,
                  bifold::core::name_of(line.judged), result_text(line), line.reason),
        2);
    if (!text.ends_with('\n')) text += '\n';
  }
  return text.empty() ? text : "\n" + text;
}

/// What rows that passed do not compute here, once for each reason.
std::string refusals_of(const CheckedDevice& device) {
  std::map<std::string, std::set<std::string>> cases;
  for (const CheckLine& line : device.lines) {
    if (line.outcome != CheckOutcome::passed) continue;
    for (const Refusal& refusal : line.refused) cases[refusal.reason].insert(refusal.what);
  }
  std::string text;
  for (const auto& [reason, names] : cases) {
    const std::vector<std::string> all(names.begin(), names.end());
    text += wrapped(formatted("not computed: {}: {}", joined(all, "; "), reason), 2);
    if (!text.ends_with('\n')) text += '\n';
  }
  return text.empty() ? text : "\n" + text;
}

std::string production_of(const CheckedDevice& device, bool holds) {
  Grid grid{{{"call"}, {"row"}, {"passed over"}}, {}};
  for (const ProductionChoice& choice : device.production) {
    grid.rows.push_back({choice.what, choice.row.empty() ? "NONE" : choice.row, choice.avoided});
  }
  return formatted("\n  What production {} run on this device:\n{}",
                   holds ? "will" : "would, had the verdict been stored,", as_text(grid, 4));
}

std::string verdict_of(const CheckedDevice& device) {
  if (!device.stored.empty()) {
    return formatted("The verdict is stored in {}; delete that file to forget it.",
                     device.stored.string());
  }
  return formatted("The verdict is not stored: {}.", device.not_stored);
}

Json as_json(const CheckedDevice& device) {
  Json json = bench::as_json(device.info);
  json["capabilities"] = bench::as_json(device.capabilities);
  json["seconds"] = device.seconds;
  json["rows"] = Json::array();
  for (const CheckLine& line : device.lines) {
    Json entry{{"algorithm", text(bifold::name_of(line.row->algorithm))},
               {"row", text(line.row->name)},
               {"elements", text(bifold::core::name_of(line.judged))},
               {"outcome", text(name_of(line.outcome))}};
    if (!line.reason.empty()) entry["reason"] = line.reason;
    entry["cases"] = line.cases;
    entry["refused"] = Json::array();
    for (const Refusal& refusal : line.refused) {
      entry["refused"].push_back({{"case", refusal.what}, {"reason", refusal.reason}});
    }
    entry["calls"] = line.calls;
    entry["seconds"] = line.seconds;
    json["rows"].push_back(std::move(entry));
  }
  json["production"] = Json::array();
  for (const ProductionChoice& choice : device.production) {
    json["production"].push_back({{"call", choice.what},
                                  {"row", choice.row.empty() ? Json(nullptr) : Json(choice.row)},
                                  {"passed_over", choice.avoided}});
  }
  json["stored"] = device.stored.empty() ? Json(nullptr) : Json(device.stored.string());
  if (!device.not_stored.empty()) json["not_stored"] = device.not_stored;
  return json;
}

}  // namespace

std::string check_as_text(const CheckReport& report) {
  std::string text = formatted("bifold {}\n", bifold::version());
  for (const CheckedDevice& device : report.devices) {
    text += formatted("\n{}  {} (driver {})\n\n", device.info.selector, device.info.name,
                      device.info.driver);
    text += table_of(device) + reasons_of(device) + refusals_of(device);
    text += production_of(device, !device.stored.empty());
    text += formatted("\n  {}\n  {} in {}.\n", verdict_of(device),
                      device.all_well() ? "All passed" : "NOT all passed",
                      seconds_text(device.seconds));
  }
  for (const UnopenedDevice& device : report.unopened) {
    text += formatted("\n{}  {}: cannot be opened: {}\n", device.info.selector, device.info.name,
                      device.reason);
  }
  return text;
}

std::string check_as_json(const CheckReport& report, const CheckOptions& options) {
  Json json = json_header("check", bifold::version());
  json["time"] = report.time;
  json["host"] = bench::as_json(report.host);
  json["settings"] = {{"devices", options.devices.empty() ? Json("all") : Json(options.devices)},
                      {"variants", options.variants},
                      {"seconds", options.seconds},
                      {"store", options.store}};
  json["devices"] = Json::array();
  for (const CheckedDevice& device : report.devices) json["devices"].push_back(as_json(device));
  json["unopened_devices"] = bench::as_json(report.unopened);
  return dump(json);
}

}  // namespace bench
