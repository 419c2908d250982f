#include "commands/gallery/list.hpp"

#include <algorithm>
#include <bifold/bifold.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/grid.hpp"
#include "base/live_table.hpp"
#include "base/output_file.hpp"
#include "base/usage_error.hpp"
#include "commands/gallery/gallery.hpp"
#include "core/gallery/gallery.hpp"
#include "core/plan/part_choices.hpp"
#include "document/parts.hpp"
#include "measure/support.hpp"

namespace bench {
namespace {

using bifold::gallery::Variant;

struct ChosenDevice {
  bifold::DeviceInfo info;
  std::string problem;  ///< Why it could not be opened; empty when it could.
  std::string lanes;
  std::vector<VariantSupport> support;  ///< Of each variant, in the gallery's order.
  std::vector<bool> exchanges;  ///< Whether that one runs and exchanges values between lanes.
};

ChosenDevice examined(const bifold::DeviceInfo& info, const bifold::Device& device) {
  ChosenDevice chosen{info, {}, device.capabilities().lanes, {}, {}};
  for (const Variant& variant : bifold::gallery::variants()) {
    chosen.support.push_back(support_of(device, variant));
    // A device has the parts of the kernels that it runs.
    chosen.exchanges.push_back(
        chosen.support.back().supported &&
        bifold::core::exchanges_lanes(device, bifold::core::row_of(variant)));
  }
  return chosen;
}

std::vector<ChosenDevice> chosen_devices(const std::vector<std::string>& selectors) {
  std::vector<ChosenDevice> chosen;
  for (const std::string& selector : selectors) {
    try {
      const bifold::Device device = bifold::open_device(selector);
      chosen.push_back(examined(device.info(), device));
    } catch (const bifold::Error& error) {
      throw UsageError(formatted("--device {}: {}", selector, one_line(error.what())));
    }
  }
  if (!selectors.empty()) return chosen;
  for (const bifold::DeviceInfo& info : bifold::devices()) {
    try {
      chosen.push_back(examined(info, bifold::open_device(info.selector)));
    } catch (const bifold::Error& error) {
      chosen.push_back({info, one_line(error.what()), {}, {}, {}});
    }
  }
  return chosen;
}

/// "yes", "yes, lanes by shuffle", "yes, but not f16: ...", "no: ...".
std::string support_text(const ChosenDevice& device, std::size_t i) {
  if (!device.problem.empty()) return "?";
  const VariantSupport& support = device.support[i];
  std::string text = support.supported ? "yes" : "no";
  if (support.supported && device.exchanges[i]) text += ", lanes by " + device.lanes;
  const char* before = support.supported ? ", but not " : ": ";
  for (const Refusal& refusal : support.refusals) {
    text += before;
    text += support.supported ? formatted("{}: {}", refusal.what, refusal.reason) : refusal.reason;
    before = "; ";
  }
  return text;
}

std::string launches_text(const Variant& variant) {
  return variant.launches == 0 ? "log n" : std::to_string(variant.launches);
}

/// Whether two rows differ by their name only: they then share a line of docs/gallery.md.
bool same_but_name(const Variant& a, const Variant& b) {
  return a.algorithm == b.algorithm && a.family == b.family && a.summary == b.summary &&
         a.source == b.source && a.order == b.order && a.reads == b.reads && a.writes == b.writes &&
         a.launches == b.launches;
}

std::vector<std::string> cells_of(const Variant& variant, std::string name) {
  return {std::string(bifold::name_of(variant.algorithm)),
          std::move(name),
          std::string(variant.summary),
          std::string(bifold::gallery::name_of(variant.order)),
          formatted("{:g}", variant.reads),
          formatted("{:g}", variant.writes),
          launches_text(variant),
          std::string(variant.source)};
}

const std::vector<Column> columns{{"algorithm"},      {"variant"},     {"idea"},
                                  {"order"},          {"reads", true}, {"writes", true},
                                  {"launches", true}, {"source"}};

/// One line per row, with a column per device.
Grid full_grid(const std::vector<ChosenDevice>& devices) {
  Grid grid{columns, {}};
  for (const ChosenDevice& device : devices) grid.columns.push_back({device.info.selector});
  const auto rows = bifold::gallery::variants();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto cells = cells_of(rows[i], std::string(rows[i].name));
    for (const ChosenDevice& device : devices) {
      cells.push_back(device.problem.empty() ? support_text(device, i) : "?");
    }
    grid.rows.push_back(std::move(cells));
  }
  return grid;
}

/// `text`, or its beginning and three points where it has no room.
std::string cut(std::string_view text, std::size_t width) {
  if (text.size() <= width) return std::string(text);
  return std::string(text.substr(0, width - 3)) + "...";
}

std::string short_support(const ChosenDevice& device, std::size_t row) {
  if (!device.problem.empty()) return "?";
  const VariantSupport& support = device.support[row];
  return !support.supported ? "no" : support.refusals.empty() ? "yes" : "part";
}

/// A line for each variant, none wider than a terminal: what has no room is left to --wide.
std::string short_list(const std::vector<ChosenDevice>& devices) {
  const auto variants = bifold::gallery::variants();
  std::size_t names = 0;
  for (const Variant& variant : variants) names = std::max(names, variant.name.size());
  std::vector<LiveTable::Field> fields{{{"call"}, 6}, {{"variant"}, names}, {{"order"}, 9}};
  std::size_t used = 6 + names + 9 + 6;
  for (const ChosenDevice& device : devices) {
    fields.push_back({{device.info.selector}, 4});
    used += std::max<std::size_t>(device.info.selector.size(), 4) + 2;
  }
  const LiveTable table(std::move(fields), 0);
  const std::size_t room = std::max<std::size_t>(100, used + 20) - used;
  std::string text = table.heading("idea");
  for (std::size_t i = 0; i < variants.size(); ++i) {
    std::vector<std::string> cells{std::string(bifold::name_of(variants[i].algorithm)),
                                   std::string(variants[i].name),
                                   std::string(bifold::gallery::name_of(variants[i].order))};
    for (const ChosenDevice& device : devices) cells.push_back(short_support(device, i));
    text += table.row(cells, cut(variants[i].summary, room));
  }
  return text + "\n" +
         wrapped(
             "part: some types or operators do not run there. --wide has reads, writes, "
             "launches, sources, and reasons.",
             0);
}

/// What every build has: rows that differ by their name only on one line, and no device.
Grid registry_grid() {
  Grid grid{columns, {}};
  const auto rows = bifold::gallery::variants();
  for (std::size_t i = 0; i < rows.size();) {
    std::string names;
    const Variant& first = rows[i];
    for (; i < rows.size() && same_but_name(first, rows[i]); ++i) {
      names += formatted("{}`{}`", names.empty() ? "" : ", ", rows[i].name);
    }
    grid.rows.push_back(cells_of(first, std::move(names)));
  }
  return grid;
}

std::string list_json(const std::vector<ChosenDevice>& devices) {
  Json json = json_header("gallery-list", bifold::version());
  json["devices"] = Json::array();
  for (const ChosenDevice& device : devices) {
    Json entry = as_json(device.info);
    if (!device.problem.empty()) entry["problem"] = device.problem;
    json["devices"].push_back(std::move(entry));
  }
  json["rows"] = Json::array();
  const auto rows = bifold::gallery::variants();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Variant& row = rows[i];
    Json entry{{"algorithm", text(bifold::name_of(row.algorithm))},
               {"name", text(row.name)},
               {"summary", text(row.summary)},
               {"source", text(row.source)},
               {"order", text(bifold::gallery::name_of(row.order))},
               {"reads", row.reads},
               {"writes", row.writes},
               {"launches", row.launches == 0 ? Json("log n") : Json(row.launches)},
               {"devices", Json::array()}};
    for (const ChosenDevice& device : devices) {
      if (!device.problem.empty()) continue;
      const VariantSupport& support = device.support[i];
      Json there{{"device", device.info.selector}, {"supported", support.supported}};
      there["lanes"] = device.exchanges[i] ? Json(device.lanes) : Json(nullptr);
      there["refusals"] = Json::array();
      for (const Refusal& refusal : support.refusals) {
        there["refusals"].push_back({{"what", refusal.what}, {"reason", refusal.reason}});
      }
      entry["devices"].push_back(std::move(there));
    }
    json["rows"].push_back(std::move(entry));
  }
  return dump(json);
}

}  // namespace

int list_gallery(const GalleryOptions& options) {
  const auto devices = chosen_devices(options.devices);
  const bool wide = text_width() > 100;
  print_text("bifold {}\n\n{}", bifold::version(),
             wide ? as_text(full_grid(devices), 0) : short_list(devices));
  print_text("\n{}", devices.empty() ? "No device.\n" : "");
  for (const ChosenDevice& device : devices) {
    print_text(
        "{}",
        wrapped(formatted("{}  {}{}", device.info.selector, device.info.name,
                          device.problem.empty() ? "" : "; cannot be opened: " + device.problem),
                0));
  }
  if (!options.json.empty()) write_whole("--json", options.json, list_json(devices));
  if (!options.markdown.empty()) {
    const Grid grid = options.devices.empty() ? registry_grid() : full_grid(devices);
    write_whole("--markdown", options.markdown, as_markdown(grid));
  }
  return 0;
}

}  // namespace bench
