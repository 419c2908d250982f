#include "commands/gallery/json.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/usage_error.hpp"
#include "commands/gallery/tables.hpp"
#include "data/host_data.hpp"
#include "document/parts.hpp"
#include "document/run_file.hpp"

namespace bench {
namespace {

Json settings_of(const GalleryOptions& options) {
  Json papers = Json::array();
  for (const Paper* paper : options.papers) papers.push_back(text(paper->name));
  return {{"devices", options.devices.empty() ? Json("all") : Json(options.devices)},
          {"papers", std::move(papers)},
          {"max_size", options.max_size ? Json(*options.max_size) : Json("default")},
          {"seconds", options.budget.seconds},
          {"samples", options.budget.samples},
          {"longest_call_s", options.budget.longest_call_s},
          {"data_seed", data_seed}};
}

Json number_or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json paper_figures(const PaperTable& table, const Figure& figure) {
  const PaperRate rate = rate_of(table, figure);
  Json json{{"time_s", number_or_null(figure.time_s)},
            {"gb_per_s", number_or_null(rate.gb_per_s)},
            {"gb_per_s_derived", rate.derived},
            {"share", number_or_null(paper_share(table, figure) / 100)},
            {"speedup", number_or_null(paper_speedup(table, figure))}};
  if (figure.step > 0) json["step"] = figure.step;
  if (figure.validity != Validity::unsaid) json["valid"] = figure.validity == Validity::valid;
  return json;
}

Json line_of(const GalleryTable& table, const GalleryLine& line) {
  Json json{{"variant", text(line.row.row)}};
  if (!line.row.label.empty()) json["label"] = text(line.row.label);
  if (line.paper != nullptr) json["paper"] = paper_figures(*table.table, *line.paper);
  json["outcome"] = text(name_of(line.result->outcome));
  if (!line.timed()) return json;
  const double rate = line.result->gb_per_s();
  const double limit = limit_of(*line.result);
  json["median_s"] = line.result->timing.median_s;
  json["gb_per_s"] = rate;
  json["share"] = limit > 0 ? Json(rate / limit) : Json(nullptr);
  json["speedup"] = number_or_null(line.speedup);
  return json;
}

Json table_of(const GalleryReport& report, const GalleryTable& table) {
  Json json{{"paper", text(table.paper->name)},
            {"table", text(table.table->title)},
            {"device", report.devices[table.device].info.selector},
            {"algorithm", text(bifold::name_of(table.table->algorithm))},
            {"type", text(bifold::name_of(table.type))},
            {"n", table.n},
            {"baseline", text(table.table->baseline)},
            {"limit", text(limit_name(*table.table))},
            {"paper_bytes_per_element", number_or_null(table.table->bytes_per_element)},
            {"lines", Json::array()}};
  for (const GalleryLine& line : table.lines) json["lines"].push_back(line_of(table, line));
  return json;
}

}  // namespace

std::string gallery_as_json(const GalleryReport& report) {
  Json json = json_header("gallery", report.library_version);
  add_origin(json, report);
  json["settings"] = settings_of(report.options);
  add_measurements(json, report);
  json["tables"] = Json::array();
  for (const GalleryTable& table : tables_of(report)) {
    json["tables"].push_back(table_of(report, table));
  }
  return dump(json);
}

GalleryReport read_gallery(const GalleryOptions& options) {
  RunFile file;
  try {
    file = read_run_file(options.from);
  } catch (const UsageError& error) {
    throw UsageError(formatted("--from: {}", error.what()));
  }
  if (file.command != "gallery") {
    throw UsageError(formatted("--from: '{}' is no result of gallery", options.from.string()));
  }
  GalleryReport report;
  static_cast<Measurements&>(report) = static_cast<const Measurements&>(file);
  report.options = options;
  if (options.chosen_papers) return report;
  std::erase_if(report.options.papers, [&](const Paper* paper) {
    return std::find(file.papers.begin(), file.papers.end(), paper->name) == file.papers.end();
  });
  return report;
}

}  // namespace bench
