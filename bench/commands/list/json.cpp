#include "commands/list/json.hpp"

#include "document/parts.hpp"

namespace bench {
namespace {

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

}  // namespace

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
    entry["production"] = Json::array();
    for (const ProductionLine& line : device.production) {
      entry["production"].push_back({{"algorithm", text(bifold::name_of(line.algorithm))},
                                     {"variants", line.variants},
                                     {"elements", line.calls}});
    }
    entry["variants"] = Json::array();
    for (const auto& support : device.variants) entry["variants"].push_back(as_json(support));
    json["devices"].push_back(std::move(entry));
  }
  return dump(json);
}

}  // namespace bench
