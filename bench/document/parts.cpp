#include "document/parts.hpp"

#include "data/host_data.hpp"
#include "data/together.hpp"

namespace bench {
namespace {

/// Null for a rate that was not measured.
Json rate_or_null(double value) { return value > 0 ? Json(value) : Json(nullptr); }

Json share_or_null(double value, double limit) {
  return limit > 0 ? Json(value / limit) : Json(nullptr);
}

Json limits_of(const Limits& limits) {
  Json json{{"bytes", limits.bytes},
            {"queue_copy_gb_per_s", rate_or_null(limits.queue_copy)},
            {"kernel_copy_gb_per_s", rate_or_null(limits.kernel_copy)},
            {"copy_gb_per_s", rate_or_null(limits.copy())},
            {"read_gb_per_s", rate_or_null(limits.read)}};
  if (!limits.problem.empty()) json["problem"] = limits.problem;
  return json;
}

Json device_of(const Measurements& measurements, std::size_t index) {
  const DeviceReport& device = measurements.devices[index];
  Json json = as_json(device.info);
  json["capabilities"] = as_json(device.capabilities);
  json["sizes"] = device.sizes;
  json["limits"] = Json::array();
  for (const Limits& limits : device.limits) json["limits"].push_back(limits_of(limits));
  const Result* quickest = quickest_call(measurements, index);
  json["quickest_call_s"] = quickest ? Json(quickest->timing.median_s) : Json(nullptr);
  if (device.empty_launch.back_to_back_s > 0) {
    json["empty_launch"] = {{"back_to_back_s", device.empty_launch.back_to_back_s},
                            {"enqueue_s", device.empty_launch.enqueue_s}};
  }
  json["kernels"] = {{"compiled", device.kernels.compiled},
                     {"from_disk", device.kernels.from_disk},
                     {"rejected", device.kernels.rejected},
                     {"compile_seconds", device.kernels.compile_seconds}};
  const DeviceFacts& facts = device.facts;
  json["clocks"] = {{"core_mhz", rate_or_null(facts.clocks.core)},
                    {"memory_mhz", rate_or_null(facts.clocks.memory)}};
  json["tuned_rows"] = facts.tuned_rows;
  json["self_check"] = {{"rows", facts.rows_checked}, {"problems", facts.problems}};
  if (device.transfers.bytes != 0) {
    json["transfers"] = {{"bytes", device.transfers.bytes},
                         {"upload_gb_per_s", rate_or_null(device.transfers.upload)},
                         {"download_gb_per_s", rate_or_null(device.transfers.download)}};
  }
  return json;
}

Json timing_of(const Timing& timing) {
  return {{"samples", timing.samples},
          {"calls_per_sample", timing.batch},
          {"median_s", timing.median_s},
          {"p10_s", timing.p10_s},
          {"p90_s", timing.p90_s}};
}

/// Adds the outcome; whether there are times, too.
bool add_outcome(Json& json, Outcome outcome, const std::string& reason) {
  json["outcome"] = text(name_of(outcome));
  json["verified"] = outcome == Outcome::timed;
  if (outcome != Outcome::timed) json["reason"] = reason;
  return outcome == Outcome::timed;
}

/// The fields of a result that --peers adds.
void add_regimes(Json& json, const Result& result) {
  if (result.isolated.samples == 0) return;
  for (const Regime regime : regimes) {
    const Timing& timing = result.timing_in(regime);
    if (timing.samples > 0) json["regimes"][name_of(regime)] = timing_of(timing);
  }
  if (result.again.samples > 0) {
    json["again"] = timing_of(result.again);
    json["again"]["ratio"] = result.again.median_s / result.timing.median_s;
  }
  if (result.calls_per_graph > 0) json["calls_per_graph"] = result.calls_per_graph;
  if (result.enqueue_s > 0) json["enqueue_s"] = result.enqueue_s;
  if (result.empty_enqueue_s > 0) json["empty_enqueue_s"] = result.empty_enqueue_s;
  if (result.empty_launch_s > 0) json["empty_launch_s"] = result.empty_launch_s;
  json["peers"] = Json::array();
  for (const PeerResult& peer : result.peers) {
    Json entry{{"name", peer.name}};
    if (add_outcome(entry, peer.outcome, peer.reason)) {
      entry["only_blocks"] = peer.only_blocks;
      for (const Regime regime : regimes) {
        if (peer.timing_in(regime).samples == 0) continue;
        Json& timing = entry["regimes"][name_of(regime)] = timing_of(peer.timing_in(regime));
        timing["ratio"] = peer.timing_in(regime).median_s / result.timing_in(regime).median_s;
      }
    }
    json["peers"].push_back(std::move(entry));
  }
}

Json group_of(const GroupResult& group) {
  const Configuration& what = group.what;
  Json json{{"scaling", text(name_of(group.scaling))},
            {"transport", group.transport},
            {"algorithm", text(bifold::name_of(what.algorithm))},
            {"order", text(bifold::name_of(what.order))},
            {"type", text(bifold::name_of(what.type))},
            {"operator", text(what.op.name())}};
  if (what.algorithm == bifold::Algorithm::scan) json["kind"] = text(bifold::name_of(what.kind));
  json["n"] = what.n;
  json["data"] = text(name_of(what.data));
  for (const RankReport& rank : group.ranks) {
    Json entry{{"host", rank.host},
               {"device", rank.selector},
               {"name", rank.device_name},
               {"elements", rank.elements}};
    if (group.outcome == Outcome::timed) {
      entry["slice"] = timing_of(rank.slice);
      entry["exchange_s"] = rank.exchange_s;
    }
    json["ranks"].push_back(std::move(entry));
  }
  if (group.digest) json["digest"] = digest_text(*group.digest);
  if (group.whole_digest) json["one_device_digest"] = digest_text(*group.whole_digest);
  if (!add_outcome(json, group.outcome, group.reason)) return json;
  json["group"] = timing_of(group.timing);
  json["one_device"] = timing_of(group.whole);
  json["exchange_s"] = group.exchange_s();
  json["share_of_slice"] = group.share_of_slice();
  json["speedup"] = group.speedup();
  json["transport_calls"] = group.transport_calls;
  json["sent_bytes"] = group.sent_bytes;
  json["peers"] = Json::array();
  for (const GroupPeer& peer : group.peers) {
    Json entry{{"name", peer.name}, {"same_bits", peer.same_bits}};
    if (add_outcome(entry, peer.outcome, peer.reason)) {
      entry["group"] = timing_of(peer.timing);
      entry["ratio"] = peer.timing.median_s / group.timing.median_s;
    }
    json["peers"].push_back(std::move(entry));
  }
  return json;
}

Json result_of(const Measurements& measurements, const Result& result) {
  const Configuration& what = result.what;
  Json json{{"device", measurements.devices[what.device].info.selector},
            {"algorithm", text(bifold::name_of(what.algorithm))},
            {"variant", what.variant}};
  if (what.variant == "production") json["order"] = text(bifold::name_of(what.order));
  if (!result.variant_ran.empty()) json["variant_ran"] = result.variant_ran;
  json["type"] = text(bifold::name_of(what.type));
  json["operator"] = text(what.op.name());
  if (what.algorithm == bifold::Algorithm::scan) json["kind"] = text(bifold::name_of(what.kind));
  if (what.together) json["reductions"] = together_count;
  json["n"] = what.n;
  if (what.matrix) json["lines"] = as_json(*what.matrix);
  if (!what.together) json["data"] = text(name_of(what.data));
  if (result.digest) json["digest"] = digest_text(*result.digest);
  if (!add_outcome(json, result.outcome, result.reason)) return json;
  if (result.aligned.samples > 0) {
    json["aligned"] = timing_of(result.aligned);
    json["share_of_aligned"] = result.share_of_aligned();
  }
  const double rate = result.gb_per_s();
  json["regime"] = "back_to_back";
  json["samples"] = result.timing.samples;
  json["calls_per_sample"] = result.timing.batch;
  json["median_s"] = result.timing.median_s;
  json["p10_s"] = result.timing.p10_s;
  json["p90_s"] = result.timing.p90_s;
  json["bytes"] = what.bytes();
  json["gb_per_s"] = rate;
  json["in_cache"] = result.in_cache;
  json["limit_bytes"] = result.limits.bytes;
  json["copy_gb_per_s"] = rate_or_null(result.limits.copy());
  json["read_gb_per_s"] = rate_or_null(result.limits.read);
  json["share_of_copy"] = share_or_null(rate, result.limits.copy());
  json["share_of_read"] = share_or_null(rate, result.limits.read);
  add_regimes(json, result);
  return json;
}

std::string on_one_line(const Json& json) {
  // A driver's text need not be valid UTF-8; a replaced character is better than no file.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string rows(const Json& array) {
  std::string text = "[";
  const char* separator = "\n  ";
  for (const Json& row : array) {
    text += separator + on_one_line(row);
    separator = ",\n  ";
  }
  return text + "\n]";
}

Json start_as_json(const Start& start) {
  return {{"open_s", start.open_s},
          {"first_call_s", start.first_s},
          {"second_call_s", start.second_s},
          {"compiled", start.kernels.compiled},
          {"from_disk", start.kernels.from_disk},
          {"compile_seconds", start.kernels.compile_seconds}};
}

}  // namespace

Json text(std::string_view value) { return std::string(value); }

std::string dump(const Json& json) {
  std::string file = "{";
  const char* separator = "\n";
  for (const auto& [name, value] : json.items()) {
    file += separator + Json(name).dump() + ": ";
    separator = ",\n";
    const bool has_rows = value.is_array() && !value.empty() && value.front().is_object();
    file += has_rows ? rows(value) : on_one_line(value);
  }
  return file + "\n}\n";
}

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::timed: return "timed";
    case Outcome::skipped: return "skipped";
    case Outcome::wrong: return "wrong";
    case Outcome::failed: break;
  }
  return "failed";
}

std::string_view name_of(Regime regime) {
  switch (regime) {
    case Regime::back_to_back: return "back_to_back";
    case Regime::isolated: return "isolated";
    case Regime::blocking: return "blocking";
    case Regime::graph: break;
  }
  return "graph";
}

Json json_header(const char* command, std::string_view library_version) {
  return {{"schema", "bifold-bench"},
          {"schema_version", json_schema_version},
          {"command", command},
          {"library_version", text(library_version)}};
}

Json as_json(const bifold::DeviceInfo& info) {
  return {{"selector", info.selector}, {"backend", info.backend},
          {"index", info.index},       {"kind", text(bifold::name_of(info.kind))},
          {"name", info.name},         {"vendor", info.vendor},
          {"platform", info.platform}, {"driver", info.driver}};
}

Json as_json(const bifold::Capabilities& c) {
  return {{"global_bytes", c.global_bytes},
          {"max_allocation_bytes", c.max_allocation_bytes},
          {"local_bytes", c.local_bytes},
          {"cache_bytes", c.cache_bytes},
          {"compute_units", c.compute_units},
          {"max_group_size", c.max_group_size},
          {"subgroup_width", c.subgroup_width},
          {"f64", c.f64},
          {"f16", c.f16},
          {"atomics64", c.atomics64},
          {"atomic_scope", c.atomic_scope == bifold::AtomicScope::device ? "device" : "work_group"},
          {"acquire_release", c.acquire_release},
          {"denormals_f32", c.denormals_f32},
          {"denormals_f64", c.denormals_f64},
          {"rounds_division_f32", c.rounds_division_f32},
          {"unified_memory", c.unified_memory},
          {"forward_progress",
           c.progress == bifold::ForwardProgress::started_groups ? "started_groups" : "unknown"},
          {"architecture", c.architecture},
          {"lanes", c.lanes},
          {"atomics", c.atomics},
          {"loop_turns", c.loop_turns},
          {"tries_types", c.tries_types}};
}

Json as_json(const Matrix& matrix) {
  return {{"rows", matrix.rows}, {"columns", matrix.columns}, {"axis", matrix.axis}};
}

Json as_json(const HostInfo& host) {
  return {{"cpu", host.cpu},
          {"threads", host.threads},
          {"os", host.os},
          {"cache_bytes", host.cache_bytes}};
}

Json as_json(const std::vector<UnopenedDevice>& devices) {
  Json json = Json::array();
  for (const UnopenedDevice& device : devices) {
    Json entry = as_json(device.info);
    entry["reason"] = device.reason;
    json.push_back(std::move(entry));
  }
  return json;
}

Json as_json(const StartResult& result) {
  Json entry{{"device", result.device},
             {"algorithm", text(bifold::name_of(result.algorithm))},
             {"type", text(bifold::name_of(result.type))},
             {"outcome", text(name_of(result.outcome))}};
  if (result.outcome == Outcome::timed) {
    entry["cold"] = start_as_json(result.cold);
    entry["warm"] = start_as_json(result.warm);
  } else {
    entry["reason"] = result.reason;
  }
  return entry;
}

void add_origin(Json& json, const Measurements& measurements) {
  json["time"] = measurements.time;
  json["host"] = as_json(measurements.host);
}

void add_measurements(Json& json, const Measurements& measurements) {
  json["devices"] = Json::array();
  for (std::size_t i = 0; i < measurements.devices.size(); ++i) {
    json["devices"].push_back(device_of(measurements, i));
  }
  json["unopened_devices"] = as_json(measurements.unopened);
  json["results"] = Json::array();
  for (const Result& result : measurements.results) {
    json["results"].push_back(result_of(measurements, result));
  }
  for (const GroupResult& group : measurements.groups) json["groups"].push_back(group_of(group));
}

}  // namespace bench
