#include "commands/check/report.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "base/live_table.hpp"
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

LiveTable table_of(const CheckedDevice& device) {
  std::size_t variants = 0;
  for (const CheckLine& line : device.lines) variants = std::max(variants, line.row->name.size());
  return LiveTable({{{"call"}, 6},
                    {{"variant"}, variants},
                    {{"elements"}},
                    {{"calls", true}, 7},
                    {{"time", true}, 7}});
}

/// What was wrong first in each line that did not pass. Lines that an interrupt left out are
/// counted.
std::string reasons_of(const CheckedDevice& device) {
  std::string text;
  std::size_t left_out = 0;
  for (const CheckLine& line : device.lines) {
    if (line.outcome == CheckOutcome::passed) continue;
    if (line.reason == interrupt_reason) {
      ++left_out;
      continue;
    }
    text += wrapped(
        formatted("{} {} on {}: {}: {}", bifold::name_of(line.row->algorithm), line.row->name,
                  bifold::core::name_of(line.judged), result_text(line), line.reason),
        2);
  }
  if (left_out > 0) text += formatted("  Not checked, as it was interrupted: {} lines\n", left_out);
  return text.empty() ? text : "\n" + text;
}

/// What variants that passed do not compute here, once for each reason.
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
  Grid grid{{{"call"}, {"variant"}, {"passed over"}}, {}};
  for (const ProductionChoice& choice : device.production) {
    grid.rows.push_back({choice.what, choice.row.empty() ? "NONE" : choice.row, choice.avoided});
  }
  return formatted("\n  What production {} run on this device:\n{}",
                   holds ? "will" : "would, had the self-check result been stored,",
                   as_text(grid, 4));
}

std::string stored_text(const CheckedDevice& device) {
  if (!device.stored.empty()) {
    return formatted("The self-check result is stored in {}; delete that file to forget it.",
                     device.stored.string());
  }
  return formatted("The self-check result is not stored: {}.", device.not_stored);
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

std::string check_heading(const CheckedDevice& device) {
  return formatted("\n{}  {} (driver {})\n\n", device.info.selector, device.info.name,
                   device.info.driver) +
         table_of(device).heading("result");
}

std::string check_row(const CheckedDevice& device, const CheckLine& line) {
  std::string result = result_text(line);
  if (text_width() > 100 && !line.cases.empty()) result += ": " + joined(line.cases, "; ");
  return table_of(device).row(
      {std::string(bifold::name_of(line.row->algorithm)), std::string(line.row->name),
       std::string(bifold::core::name_of(line.judged)),
       line.calls == 0 ? "" : count_text(line.calls),
       line.calls == 0 ? "" : seconds_text(line.seconds)},
      result);
}

std::string check_conclusions(const CheckReport& report) {
  std::string text;
  for (const CheckedDevice& device : report.devices) {
    text += formatted("\n{}  {}\n", device.info.selector, device.info.name);
    text += reasons_of(device) + refusals_of(device);
    text += production_of(device, !device.stored.empty());
    // A path is not broken.
    text += formatted("\n  {}\n  {} in {}.\n", stored_text(device),
                      device.all_well() ? "All passed" : "NOT all passed",
                      seconds_text(device.seconds));
  }
  for (const UnopenedDevice& device : report.unopened) {
    text += '\n' + wrapped(formatted("{}  {}: cannot be opened: {}", device.info.selector,
                                     device.info.name, device.reason),
                           0);
  }
  if (!report.complete) text += "\nInterrupted: this is what was checked until then.\n";
  return text;
}

std::string check_as_json(const CheckReport& report, const CheckOptions& options) {
  Json json = json_header("check", bifold::version());
  json["time"] = report.time;
  json["complete"] = report.complete;
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
