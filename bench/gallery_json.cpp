#include "gallery_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "data.hpp"
#include "format.hpp"
#include "gallery_tables.hpp"
#include "json_parts.hpp"
#include "usage_error.hpp"

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
  if (figure.verdict != Verdict::unsaid) json["valid"] = figure.verdict == Verdict::valid;
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

template <class T>
T named(const Json& name, const auto& choices) {
  for (const T& choice : choices) {
    if (name == text(bifold::name_of(choice))) return choice;
  }
  throw std::runtime_error("unknown name " + name.dump());
}

double number(const Json& json) { return json.is_null() ? 0 : json.get<double>(); }

DeviceReport read_device(const Json& json) {
  DeviceReport device;
  device.info.selector = json.at("selector");
  device.info.backend = json.at("backend");
  device.info.name = json.at("name");
  device.info.platform = json.at("platform");
  device.info.driver = json.at("driver");
  return device;
}

Outcome outcome_named(const Json& name) {
  for (const auto outcome : {Outcome::timed, Outcome::skipped, Outcome::wrong, Outcome::failed}) {
    if (name == text(name_of(outcome))) return outcome;
  }
  throw std::runtime_error("unknown outcome " + name.dump());
}

Result read_result(const Json& json, const std::vector<DeviceReport>& devices) {
  Result result;
  Configuration& what = result.what;
  const std::string selector = json.at("device");
  while (devices.at(what.device).info.selector != selector) ++what.device;
  what.algorithm = named<bifold::Algorithm>(
      json.at("algorithm"), std::vector{bifold::Algorithm::reduce, bifold::Algorithm::scan});
  what.variant = json.at("variant");
  what.type = named<bifold::Type>(json.at("type"), bifold::all_types);
  what.n = json.at("n");
  what.together = json.value("reductions", 1U) > 1;
  result.variant_ran = json.value("variant_ran", "");
  result.outcome = outcome_named(json.at("outcome"));
  if (result.outcome != Outcome::timed) {
    result.reason = json.at("reason");
    return result;
  }
  result.timing = {json.at("samples"), json.at("calls_per_sample"), json.at("median_s"),
                   json.at("p10_s"), json.at("p90_s")};
  result.in_cache = json.at("in_cache");
  result.limits.bytes = json.at("limit_bytes");
  result.limits.queue_copy = number(json.at("copy_gb_per_s"));
  result.limits.read = number(json.at("read_gb_per_s"));
  return result;
}

GalleryReport parse(const Json& json, const GalleryOptions& options) {
  if (json.at("command") != "gallery" || json.at("schema_version") != json_schema_version) {
    throw std::runtime_error("no document of this command and version");
  }
  GalleryReport report;
  report.options = options;
  report.library_version = json.at("library_version");
  report.time = json.at("time");
  const Json& host = json.at("host");
  report.host = {host.at("cpu"), host.at("threads"), host.at("os"), host.at("cache_bytes")};
  for (const Json& device : json.at("devices")) report.devices.push_back(read_device(device));
  for (const Json& result : json.at("results")) {
    report.results.push_back(read_result(result, report.devices));
  }
  if (options.chosen_papers) return report;
  const Json& names = json.at("settings").at("papers");
  std::erase_if(report.options.papers, [&](const Paper* paper) {
    return std::find(names.begin(), names.end(), text(paper->name)) == names.end();
  });
  return report;
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
  std::ifstream in(options.from);
  if (!in) throw UsageError(fmt::format("--from: cannot read '{}'", options.from.string()));
  const std::string document{std::istreambuf_iterator<char>(in), {}};
  try {
    return parse(Json::parse(document), options);
  } catch (const std::exception& error) {
    throw UsageError(fmt::format("--from: '{}' is no result of gallery: {}", options.from.string(),
                                 one_line(error.what())));
  }
}

}  // namespace bench
