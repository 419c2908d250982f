#include "json_report.hpp"

#include "data.hpp"
#include "json_parts.hpp"
#include "startup.hpp"

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
  for (const auto algorithm : options.algorithms) {
    json["algorithms"].push_back(text(bifold::name_of(algorithm)));
  }
  for (const auto order : options.orders) json["orders"].push_back(text(bifold::name_of(order)));
  for (const auto type : options.types) json["types"].push_back(text(bifold::name_of(type)));
  for (const auto& op : options.operators) json["operators"].push_back(text(op.name()));
  return json;
}

Json as_json(const VariantSupport& support) {
  Json json{{"algorithm", text(bifold::name_of(support.variant->algorithm))},
            {"name", text(support.variant->name)},
            {"summary", text(support.variant->summary)},
            {"source", text(support.variant->source)},
            {"supported", support.supported},
            {"refusals", Json::array()}};
  for (const Refusal& refusal : support.refusals) {
    json["refusals"].push_back({{"what", refusal.what}, {"reason", refusal.reason}});
  }
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

std::string run_as_json(const Report& report, bool complete) {
  Json json = json_header("run", report.library_version);
  add_origin(json, report);
  json["complete"] = complete;
  json["kept_results"] = report.kept;
  json["settings"] = settings_of(report.options);
  for (const PeerModule& module : report.peers) json["peers"].push_back(as_json(module));
  for (const StartResult& start : report.starts) json["starts"].push_back(as_json(start));
  add_measurements(json, report);
  return dump(json);
}

std::string list_as_json(const Inventory& inventory) {
  Json json = json_header("list", bifold::version());
  json["backends"] = Json::array();
  for (const bifold::BackendInfo& backend : inventory.backends) {
    json["backends"].push_back({{"name", backend.name},
                                {"available", backend.available},
                                {"reason", backend.reason},
                                {"version", backend.version}});
  }
  json["devices"] = Json::array();
  for (const ListedDevice& device : inventory.devices) {
    Json entry = as_json(device.info);
    if (!device.problem.empty()) entry["problem"] = device.problem;
    if (device.capabilities) entry["capabilities"] = as_json(*device.capabilities);
    entry["variants"] = Json::array();
    for (const auto& support : device.variants) entry["variants"].push_back(as_json(support));
    json["devices"].push_back(std::move(entry));
  }
  return dump(json);
}

}  // namespace bench
