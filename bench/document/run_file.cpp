#include "document/run_file.hpp"

#include <array>
#include <charconv>

#include "base/format.hpp"
#include "data/host_data.hpp"
#include "data/types.hpp"
#include "document/field.hpp"

namespace bench {
namespace {

constexpr std::array outcomes{Outcome::timed, Outcome::skipped, Outcome::wrong, Outcome::failed};
constexpr std::array algorithms{bifold::Algorithm::reduce, bifold::Algorithm::scan};
constexpr std::array kinds{bifold::ScanKind::inclusive, bifold::ScanKind::exclusive};
constexpr std::array orders{bifold::Order::v1, bifold::Order::any};
constexpr std::array scalings{Scaling::strong, Scaling::weak};
constexpr std::array data_kinds{DataKind::exact, DataKind::rounding};
constexpr std::array device_kinds{bifold::DeviceKind::gpu, bifold::DeviceKind::cpu,
                                  bifold::DeviceKind::accelerator};

bifold::Type type_in(const Field& field) { return field.one_of<bifold::Type>(known_types()); }

bifold::Operator operator_in(const Field& field) {
  const std::string name = field.string();
  for (const bifold::Operator& op : known_operators()) {
    if (op.name() == name) return op;
  }
  field.fail(formatted("'{}' is no operator that this bifold-bench knows", name));
}

Timing timing_in(const Field& field) {
  Timing timing;
  timing.samples = static_cast<unsigned>(field.at("samples").count());
  timing.batch = field.at("calls_per_sample").count();
  timing.median_s = field.at("median_s").positive();
  timing.p10_s = field.at("p10_s").positive();
  timing.p90_s = field.at("p90_s").positive();
  if (timing.p10_s > timing.median_s) field.at("p10_s").fail("is more than the median");
  if (timing.p90_s < timing.median_s) field.at("p90_s").fail("is less than the median");
  return timing;
}

Limits limits_in(const Field& field) {
  Limits limits;
  limits.bytes = field.at("bytes").count();
  limits.queue_copy = field.number_or("queue_copy_gb_per_s", 0);
  limits.kernel_copy = field.number_or("kernel_copy_gb_per_s", 0);
  limits.read = field.number_or("read_gb_per_s", 0);
  limits.problem = field.string_or("problem", "");
  return limits;
}

DeviceReport device_in(const Field& field) {
  DeviceReport device;
  device.info.selector = field.at("selector").string();
  device.info.backend = field.at("backend").string();
  device.info.kind = field.at("kind").one_of<bifold::DeviceKind>(device_kinds);
  device.info.name = field.at("name").string();
  device.info.vendor = field.at("vendor").string();
  device.info.platform = field.at("platform").string();
  device.info.driver = field.at("driver").string();
  const Field capabilities = field.at("capabilities");
  device.capabilities.global_bytes = capabilities.at("global_bytes").count();
  device.capabilities.cache_bytes = capabilities.at("cache_bytes").count();
  device.capabilities.compute_units =
      static_cast<std::uint32_t>(capabilities.at("compute_units").count());
  device.capabilities.architecture = capabilities.at("architecture").string();
  for (const Field& limits : field.at("limits").items()) {
    device.limits.push_back(limits_in(limits));
  }
  const Field kernels = field.at("kernels");
  device.kernels.compiled = kernels.at("compiled").count();
  device.kernels.from_disk = kernels.at("from_disk").count();
  device.kernels.compile_seconds = kernels.at("compile_seconds").number();
  if (const auto clocks = field.find("clocks")) {
    device.facts.clocks.core = clocks->number_or("core_mhz", 0);
    device.facts.clocks.memory = clocks->number_or("memory_mhz", 0);
  }
  device.facts.tuned_rows = field.count_or("tuned_rows", 0);
  if (const auto check = field.find("self_check")) {
    device.facts.rows_checked = check->at("rows").count();
    for (const Field& problem : check->at("problems").items()) {
      device.facts.problems.push_back(problem.string());
    }
  }
  if (const auto transfers = field.find("transfers")) {
    device.transfers = {transfers->at("bytes").count(), transfers->number_or("upload_gb_per_s", 0),
                        transfers->number_or("download_gb_per_s", 0)};
  }
  return device;
}

std::size_t device_named(const Field& field, const std::vector<DeviceReport>& devices) {
  const std::string selector = field.string();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (devices[i].info.selector == selector) return i;
  }
  field.fail(formatted("'{}' is not among /devices", selector));
}

std::uint64_t digest_in(const Field& field) {
  const std::string text = field.string();
  std::uint64_t digest = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), digest, 16);
  if (text.size() != 16 || read.ec != std::errc{} || read.ptr != text.data() + text.size()) {
    field.fail("16 hexadecimal digits are expected");
  }
  return digest;
}

Result result_in(const Field& field, const std::vector<DeviceReport>& devices) {
  Result result;
  Configuration& what = result.what;
  what.device = device_named(field.at("device"), devices);
  what.algorithm = field.at("algorithm").one_of<bifold::Algorithm>(algorithms);
  what.variant = field.at("variant").string();
  if (const auto order = field.find("order")) what.order = order->one_of<bifold::Order>(orders);
  what.type = type_in(field.at("type"));
  what.op = operator_in(field.at("operator"));
  if (const auto kind = field.find("kind")) what.kind = kind->one_of<bifold::ScanKind>(kinds);
  what.n = field.at("n").count();
  if (const auto lines = field.find("lines")) {
    what.matrix = {lines->at("rows").count(), lines->at("columns").count(),
                   static_cast<unsigned>(lines->at("axis").count())};
  }
  what.together = field.count_or("reductions", 1) > 1;
  if (const auto data = field.find("data")) what.data = data->one_of<DataKind>(data_kinds);
  if (const auto digest = field.find("digest")) result.digest = digest_in(*digest);
  result.variant_ran = field.string_or("variant_ran", "");
  result.outcome = field.at("outcome").one_of<Outcome>(outcomes);
  if (result.outcome != Outcome::timed) {
    result.reason = field.at("reason").string();
    return result;
  }
  result.timing = timing_in(field);
  result.in_cache = field.at("in_cache").flag();
  result.limits.bytes = field.at("limit_bytes").count();
  // Which of the two copies was the better one is told with the device's limits.
  result.limits.queue_copy = field.number_or("copy_gb_per_s", 0);
  result.limits.read = field.number_or("read_gb_per_s", 0);
  result.enqueue_s = field.number_or("enqueue_s", 0);
  result.empty_enqueue_s = field.number_or("empty_enqueue_s", 0);
  result.empty_launch_s = field.number_or("empty_launch_s", 0);
  if (const auto all = field.find("regimes")) {
    for (const Regime regime : {Regime::isolated, Regime::blocking}) {
      result.timing_in(regime) = timing_in(all->at(name_of(regime)));
    }
    if (const auto again = field.find("again")) result.again = timing_in(*again);
    if (const auto graph = all->find(name_of(Regime::graph))) {
      result.graph = timing_in(*graph);
      result.calls_per_graph = static_cast<unsigned>(field.count_or("calls_per_graph", 0));
    }
  }
  return result;
}

RankReport rank_in(const Field& field) {
  RankReport rank;
  rank.host = static_cast<std::uint32_t>(field.at("host").count());
  rank.selector = field.at("device").string();
  rank.device_name = field.at("name").string();
  rank.elements = field.at("elements").count();
  if (const auto slice = field.find("slice")) {
    rank.slice = timing_in(*slice);
    rank.exchange_s = field.at("exchange_s").number();
  }
  return rank;
}

GroupResult group_in(const Field& field) {
  GroupResult group;
  group.scaling = field.at("scaling").one_of<Scaling>(scalings);
  group.transport = field.at("transport").string();
  Configuration& what = group.what;
  what.variant = "production";
  what.algorithm = field.at("algorithm").one_of<bifold::Algorithm>(algorithms);
  what.order = field.at("order").one_of<bifold::Order>(orders);
  what.type = type_in(field.at("type"));
  what.op = operator_in(field.at("operator"));
  if (const auto kind = field.find("kind")) what.kind = kind->one_of<bifold::ScanKind>(kinds);
  what.n = field.at("n").count();
  what.data = field.at("data").one_of<DataKind>(data_kinds);
  for (const Field& rank : field.at("ranks").items()) group.ranks.push_back(rank_in(rank));
  if (group.ranks.empty()) field.at("ranks").fail("a group has one rank at least");
  if (const auto digest = field.find("digest")) group.digest = digest_in(*digest);
  if (const auto whole = field.find("one_device_digest")) group.whole_digest = digest_in(*whole);
  group.outcome = field.at("outcome").one_of<Outcome>(outcomes);
  if (group.outcome != Outcome::timed) {
    group.reason = field.at("reason").string();
    return group;
  }
  group.timing = timing_in(field.at("group"));
  group.whole = timing_in(field.at("one_device"));
  group.transport_calls = field.at("transport_calls").count();
  group.sent_bytes = field.at("sent_bytes").count();
  for (const Field& entry : field.at("peers").items()) {
    GroupPeer& peer = group.peers.emplace_back();
    peer.name = entry.at("name").string();
    peer.same_bits = entry.at("same_bits").flag();
    peer.outcome = entry.at("outcome").one_of<Outcome>(outcomes);
    if (peer.outcome == Outcome::timed) peer.timing = timing_in(entry.at("group"));
    peer.reason = entry.string_or("reason", "");
  }
  return group;
}

Start start_in(const Field& field) {
  Start start;
  start.open_s = field.at("open_s").number();
  start.first_s = field.at("first_call_s").number();
  start.second_s = field.at("second_call_s").number();
  start.kernels.compiled = field.at("compiled").count();
  start.kernels.compile_seconds = field.at("compile_seconds").number();
  return start;
}

StartResult start_result_in(const Field& field) {
  StartResult result;
  result.device = field.at("device").string();
  result.algorithm = field.at("algorithm").one_of<bifold::Algorithm>(algorithms);
  result.type = type_in(field.at("type"));
  result.outcome = field.at("outcome").one_of<Outcome>(outcomes);
  if (result.outcome == Outcome::timed) {
    result.cold = start_in(field.at("cold"));
    result.warm = start_in(field.at("warm"));
  } else {
    result.reason = field.at("reason").string();
  }
  return result;
}

KeptPaperLine paper_line_in(const Field& field) {
  KeptPaperLine line;
  line.variant = field.at("variant").string();
  line.label = field.string_or("label", "");
  if (const auto paper = field.find("paper")) {
    line.paper_s = paper->number_or("time_s", 0);
    line.paper_share = paper->number_or("share", 0);
    line.paper_speedup = paper->number_or("speedup", 0);
  }
  line.our_s = field.number_or("median_s", 0);
  line.our_share = field.number_or("share", 0);
  line.our_speedup = field.number_or("speedup", 0);
  return line;
}

KeptPaperTable paper_table_in(const Field& field) {
  KeptPaperTable table;
  table.paper = field.at("paper").string();
  table.title = field.at("table").string();
  table.device = field.at("device").string();
  table.type = field.at("type").string();
  table.n = field.at("n").count();
  for (const Field& line : field.at("lines").items()) table.lines.push_back(paper_line_in(line));
  return table;
}

void check_header(const Field& root) {
  if (root.at("schema").string() != "bifold-bench") {
    root.at("schema").fail("this is no document of bifold-bench");
  }
  const std::uint64_t version = root.at("schema_version").count();
  if (version > json_schema_version) {
    root.at("schema_version")
        .fail(formatted("{} is newer than {}, the newest that this bifold-bench reads", version,
                        json_schema_version));
  }
}

RunFile run_in(const Field& root) {
  check_header(root);
  RunFile run;
  run.command = root.at("command").string();
  if (run.command != "run" && run.command != "gallery") {
    root.at("command").fail(
        formatted("'{}' is a document of results of neither run nor gallery", run.command));
  }
  run.library_version = root.at("library_version").string();
  run.time = root.at("time").string();
  const Field host = root.at("host");
  run.host = {host.at("cpu").string(), static_cast<unsigned>(host.at("threads").count()),
              host.at("os").string(), host.at("cache_bytes").count()};
  run.complete = root.flag_or("complete", true);
  const Field settings = root.at("settings");
  run.suite = settings.string_or("suite", "");
  run.whole_suite = settings.flag_or("whole_suite", false);
  run.seconds = settings.at("seconds").number();
  run.samples = settings.at("samples").count();
  run.first_element = settings.count_or("offset", 0);
  run.data_seed = settings.at("data_seed").count();
  for (const Field& device : root.at("devices").items()) run.devices.push_back(device_in(device));
  for (const Field& result : root.at("results").items()) {
    run.results.push_back(result_in(result, run.devices));
  }
  if (const auto groups = root.find("groups")) {
    for (const Field& group : groups->items()) run.groups.push_back(group_in(group));
  }
  if (const auto starts = root.find("starts")) {
    for (const Field& start : starts->items()) run.starts.push_back(start_result_in(start));
  }
  if (run.command == "gallery") {
    for (const Field& paper : settings.at("papers").items()) run.papers.push_back(paper.string());
    for (const Field& table : root.at("tables").items()) {
      run.tables.push_back(paper_table_in(table));
    }
  }
  return run;
}

}  // namespace

RunFile read_run_file(const std::filesystem::path& file) {
  RunFile run = run_in(Field::document(file));
  run.path = file;
  return run;
}

RunFile read_run_document(std::string_view text, const std::string& name) {
  return run_in(Field::document(text, name));
}

RunFile run_file_of(const Report& report) {
  RunFile run;
  static_cast<Measurements&>(run) = static_cast<const Measurements&>(report);
  run.path = report.options.json;
  run.command = "run";
  if (report.options.suite != nullptr) run.suite = report.options.suite->name;
  run.complete = report.complete;
  run.whole_suite = report.options.whole_suite;
  run.seconds = report.options.budget.seconds;
  run.samples = report.options.budget.samples;
  run.data_seed = data_seed;
  run.starts = report.starts;
  return run;
}

}  // namespace bench
