#include "document/run_document.hpp"

#include "data/host_data.hpp"
#include "document/parts.hpp"

namespace bench {
namespace {

Json settings_of(const RunOptions& options) {
  Json json{{"devices", options.devices.empty() ? Json("all") : Json(options.devices)},
            {"variants", options.variants},
            {"kind", text(bifold::name_of(options.kind))},
            {"sizes", options.sizes.empty() ? Json("default") : Json(options.sizes)},
            {"seconds", options.budget.seconds},
            {"samples", options.budget.samples},
            {"offset", options.first_element},
            {"quick", options.quick},
            {"graphs", options.graphs},
            {"suite", options.suite ? Json(text(options.suite->name)) : Json(nullptr)},
            {"whole_suite", options.whole_suite},
            {"data_seed", data_seed}};
  if (!options.group.empty()) {
    json["group"] = options.group;
    json["ranks"] = options.ranks;
    json["scaling"] = text(name_of(options.scaling));
  }
  for (const Matrix& matrix : options.matrices) json["lines"].push_back(as_json(matrix));
  for (const auto algorithm : options.algorithms) {
    json["algorithms"].push_back(text(bifold::name_of(algorithm)));
  }
  for (const auto order : options.orders) json["orders"].push_back(text(bifold::name_of(order)));
  for (const auto type : options.types) json["types"].push_back(text(bifold::name_of(type)));
  for (const auto& op : options.operators) json["operators"].push_back(text(op.name()));
  return json;
}

Json as_json(const PeerModule& module) {
  Json json{{"module", module.name}, {"available", module.peer != nullptr}};
  if (module.peer == nullptr) {
    json["reason"] = module.reason;
  } else {
    json["name"] = text(module.peer->name());
    json["version"] = module.peer->version();
  }
  return json;
}

}  // namespace

std::string run_as_json(const Report& report) {
  Json json = json_header("run", report.library_version);
  add_origin(json, report);
  json["complete"] = report.complete;
  json["kept_results"] = report.kept;
  json["settings"] = settings_of(report.options);
  for (const PeerModule& module : report.peers) json["peers"].push_back(as_json(module));
  for (const StartResult& start : report.starts) json["starts"].push_back(as_json(start));
  add_measurements(json, report);
  return dump(json);
}

}  // namespace bench
