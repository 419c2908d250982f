// `bifold-bench check` as a program: on a device that computes right, and under a compiler that
// does not.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/bench_tool.hpp"

namespace {

namespace fs = std::filesystem;
using bifold::test::check_one_line;
using bifold::test::check_quiet;
using bifold::test::check_refused;
using bifold::test::contains;
using bifold::test::has_cpu_device;
using bifold::test::run_tool;
using bifold::test::Scratch;
using bifold::test::text_of;
using bifold::test::without_devices;
using Json = nlohmann::json;
using Outcome = bifold::test::ToolOutcome;

/// A kernel cache of its own, in which a compiler may err, and what was found of it.
struct Place {
  Scratch scratch;

  [[nodiscard]] std::vector<std::string> environment(const std::string& miscompiled) const {
    // The self-check result is kept there; kernels that run once need not be.
    std::vector<std::string> variables{"BIFOLD_CACHE_DIR=" + (scratch / "cache").string(),
                                       "BIFOLD_CACHE_DISABLE=1"};
    if (miscompiled.empty()) return variables;
    variables.push_back("BIFOLD_LAYER_MISCOMPILE=" + miscompiled);
    variables.emplace_back("OPENCL_LAYERS=" BIFOLD_OPENCL_LAYER);
    return variables;
  }

  /// The check of these rows; `miscompiled` is "FROM=>TO" of the layer, or empty.
  [[nodiscard]] Outcome check(const std::string& rows, const std::string& miscompiled = {},
                              std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{
        "check",     "--device", "opencl:cpu",    "--variant", rows,
        "--seconds", "0.05",     "--no-progress", "--json",    scratch / "check.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tool(arguments, environment(miscompiled));
  }

  [[nodiscard]] Json device() const {
    const Json document = Json::parse(text_of(scratch / "check.json"));
    CHECK(document.at("schema") == "bifold-bench");
    CHECK(document.at("command") == "check");
    REQUIRE(document.at("devices").size() == 1);
    return document.at("devices").front();
  }

  /// The self-check results in the cache's folder.
  [[nodiscard]] std::vector<fs::path> self_checks() const {
    std::vector<fs::path> files;
    if (!fs::exists(scratch / "cache")) return files;
    for (const auto& entry : fs::directory_iterator(scratch / "cache")) {
      if (entry.path().extension() == ".check") files.push_back(entry.path());
    }
    return files;
  }
};

/// What production would run for a kind of call.
Json production(const Json& device, const std::string& call) {
  for (const Json& choice : device.at("production")) {
    if (choice.at("call") == call) return choice;
  }
  return {};
}

// The production reduction of CPUs, wrong on 600 elements and on nothing else.
const std::string wrong_on_600 =
    "total_subtree(INPUT, n, get_group_id(0), leaves_per_node)=>"
    "total_subtree(INPUT, n - (n == 600), get_group_id(0), leaves_per_node)";
const std::string production_reduction = "order_v1_single_chunks";

bool has_layer() {
  if (!std::string(BIFOLD_OPENCL_LAYER).empty()) return true;
  std::cout << "SKIPPED: built without OpenCL\n";
  return false;
}

}  // namespace

TEST_SUITE_BEGIN("bench check");

TEST_CASE("a command line that cannot be carried out gives status 2 and one line") {
  check_refused({"check", "--variant", "no_such_row"}, "no_such_row");
  check_refused({"check", "--device", "opencl:no such device"}, "--device");
  check_refused({"check", "--seconds", "0"}, "--seconds");
  check_refused({"check", "--seconds=nan"}, "--seconds");
  const Scratch scratch;
  const std::string missing = (scratch / "missing/result.json").string();
  check_refused({"check", "--json", missing}, missing);
}

TEST_CASE("without a device there is nothing to pass") {
  const Scratch empty;
  const Outcome outcome = run_tool({"check"}, without_devices(empty));
  CHECK(outcome.status == 1);
  check_one_line(outcome.error, "no device");
}

TEST_CASE("a self-check result that should be stored and is not gives status 1") {
  if (!has_cpu_device()) return;
  const Place place;
  fs::create_directory(place.scratch / "cache");
  fs::permissions(place.scratch / "cache", fs::perms::all);
  const Outcome outcome = place.check("chunks");
  CAPTURE(outcome.out);
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.out, "The self-check result is not stored: "));
  CHECK(contains(outcome.out, "others may write to it"));
  CHECK(place.self_checks().empty());
}

TEST_CASE("a device that computes right passes, and the self-check result is stored") {
  if (!has_cpu_device()) return;
  const Place place;
  const Outcome outcome = place.check("chunks");
  check_quiet(outcome);
  CHECK_FALSE(contains(outcome.out, "FAILED"));
  CHECK(contains(outcome.out, "All passed"));
  CHECK(contains(outcome.out, "What production will run"));
  const auto self_checks = place.self_checks();
  REQUIRE(self_checks.size() == 1);
  CHECK(contains(outcome.out, "stored in " + self_checks.front().string()));

  const Json device = place.device();
  CHECK(device.at("stored") == self_checks.front().string());
  REQUIRE(device.at("rows").size() == 12);  // Two rows of that name, six kinds of elements.
  for (const Json& row : device.at("rows")) {
    CAPTURE(row.dump());
    CHECK(row.at("row") == "chunks");
    CHECK(row.at("outcome") == "passed");
    CHECK(row.at("calls").get<int>() > 150);
    CHECK_FALSE(row.at("cases").empty());
  }
  CHECK(production(device, "reduce integers").at("row") == production_reduction);
}

TEST_CASE("what is not to be stored is not") {
  if (!has_cpu_device()) return;
  const Place place;
  const Outcome outcome = place.check("chunks", {}, {"--no-store"});
  CAPTURE(outcome.out);
  CHECK(outcome.status == 0);
  CHECK(place.self_checks().empty());
  CHECK(contains(outcome.out, "not stored: --no-store"));
  CHECK(place.device().at("stored").is_null());
}

TEST_CASE("by default every row is checked that production may pick, and no other") {
  if (!has_cpu_device()) return;
  // A device whose kernels do not compile tells quickly what would have been checked.
  if (!has_layer()) return;
  const Place place;
  const Outcome outcome = run_tool(
      {"check", "--device", "opencl:cpu", "--no-progress", "--json", place.scratch / "check.json"},
      place.environment("typedef=>typedeaf"));
  CHECK(outcome.status == 1);
  const Json device = place.device();
  std::set<std::string> checked;
  for (const Json& row : device.at("rows")) {
    CAPTURE(row.dump());
    checked.insert(row.at("algorithm").get<std::string>() + " " + row.at("row").get<std::string>());
    // Packs hold no structs.
    const bool possible = row.at("row") != "order_v1_packs" || row.at("elements") != "structs";
    CHECK(row.at("outcome") == (possible ? "failed" : "unsupported"));
    CHECK(row.at("reason").get<std::string>().size() < 600);
  }
  CHECK(checked.contains("reduce chunks"));
  CHECK(checked.contains("reduce ordered"));
  CHECK(checked.contains("scan chunks"));
  CHECK(checked.contains("scan reduce_then_scan"));
  CHECK(checked.contains("reduce order_v1_chunks"));
  CHECK(checked.contains("reduce " + production_reduction));
  CHECK(checked.contains("scan order_v1_packs"));
  CHECK(checked.contains("scan order_v1_chunks"));
  CHECK_FALSE(checked.contains("reduce catanzaro"));
  CHECK_FALSE(checked.contains("scan lookback"));
  for (const Json& choice : device.at("production")) CHECK(choice.at("row").is_null());
  // Then production has nothing left, and its error says who says so.
  const Outcome run = run_tool({"run", "--device", "opencl:cpu", "--size", "1000", "--quick",
                                "--no-progress", "--type", "i32"},
                               place.environment({}));
  CHECK(contains(run.out, "bifold-bench check found it wrong on this device"));
}

TEST_CASE("a kernel that is wrong is found, told in words, and avoided from then on") {
  if (!has_cpu_device() || !has_layer()) return;
  const Place place;
  const Outcome outcome = place.check(production_reduction, wrong_on_600);
  CAPTURE(outcome.out);
  CHECK(outcome.status == 1);
  CHECK(contains(outcome.out, "FAILED"));
  CHECK(contains(outcome.out, "NOT all passed"));
  CHECK(contains(outcome.out, "n = 600"));
  REQUIRE(place.self_checks().size() == 1);
  const Json device = place.device();
  REQUIRE(device.at("rows").size() == 6);  // Kinds of elements.
  for (const Json& row : device.at("rows")) {
    CAPTURE(row.dump());
    CHECK(row.at("outcome") == "failed");
    const std::string reason = row.at("reason");
    CHECK(contains(reason, "n = 600"));
    CHECK(contains(reason, "element 0 is "));
    CHECK(contains(reason, " instead of "));
  }
  const Json choice = production(device, "reduce integers");
  CHECK(choice.at("row") == "chunks");
  CHECK(contains(choice.at("passed_over"), "bifold-bench check found it wrong on this device"));

  // Another process heeds it, and computes right what would have been wrong.
  const std::vector<std::string> run{
      "run",           "--device",    "opencl:cpu", "--size", "600",
      "--quick",       "--type",      "i32",        "--json", place.scratch / "run.json",
      "--no-progress", "--algorithm", "reduce"};
  const auto outcome_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = run;
    arguments.insert(arguments.end(), more.begin(), more.end());
    run_tool(arguments, place.environment(wrong_on_600));
    return Json::parse(text_of(place.scratch / "run.json")).at("results").front();
  };
  const Json heeded = outcome_of({});
  CHECK(heeded.at("variant_ran") == "chunks");
  CHECK(heeded.at("outcome") == "timed");
  CHECK(outcome_of({"--variant", production_reduction}).at("outcome") == "wrong");

  // A check of the other rows leaves what is known of this one.
  CHECK(place.check("order_v1_chunks").status == 0);
  CHECK(outcome_of({}).at("variant_ran") == "chunks");
  // A driver that computes right makes it good. Its kernels are compiled anew, as after an update.
  for (const auto& entry : fs::directory_iterator(place.scratch / "cache")) {
    if (entry.path().extension() == ".kernel") fs::remove(entry.path());
  }
  const Outcome again = place.check(production_reduction);
  CHECK(again.status == 0);
  CHECK(production(place.device(), "reduce integers").at("row") == production_reduction);
}

TEST_CASE("a compiler that contracts does not give order v1") {
  if (!has_cpu_device() || !has_layer()) return;
  const Place place;
  const std::string contracting = "#pragma OPENCL FP_CONTRACT OFF=>#pragma OPENCL FP_CONTRACT ON";
  const Outcome outcome = place.check("order_v1_chunks", contracting);
  CAPTURE(outcome.out);
  CHECK(outcome.status == 1);
  const Json device = place.device();
  REQUIRE(device.at("rows").size() == 12);  // Of a reduction and of a scan.
  for (const Json& row : device.at("rows")) {
    CAPTURE(row.dump());
    // Products of 16-bit elements are exact in f32: nothing to see there.
    const bool rounds = row.at("elements") == "f32" || row.at("elements") == "f64";
    CHECK(row.at("outcome") == (rounds ? "failed" : "passed"));
    if (rounds) CHECK(contains(row.at("reason"), "a * b + (a + b)"));
  }
}

TEST_CASE("loops that end early are found, however late they end") {
  if (!has_cpu_device() || !has_layer()) return;
  const Place place;
  const std::string step = "for (u32 s = 0; s < STRIPES; ++s) sums[s] = COMBINE(";
  const std::string ended =
      "for (u32 s = 0; s < STRIPES && i - begin < 1048576; ++s) sums[s] = COMBINE(";
  CHECK(place.check("chunks", step + "=>" + ended).status == 1);
  const Json device = place.device();
  const Json& row = device.at("rows").front();
  CHECK(row.at("algorithm") == "reduce");
  CHECK(row.at("elements") == "integers");
  CHECK(row.at("outcome") == "failed");
  CHECK(contains(row.at("reason"), "loops of 1048576 turns"));
}

TEST_CASE("a row that is wrong on structs is avoided for structs alone") {
  if (!has_cpu_device() || !has_layer()) return;
  const Place place;
  // Fields are taken one by one where one operator combines them all.
  const std::string wrong = "COMBINE_FIELDS(target[f], source[f])=>source[f]";
  CHECK(place.check(production_reduction, wrong).status == 1);
  const Json device = place.device();
  for (const Json& row : device.at("rows")) {
    CAPTURE(row.dump());
    const bool structs = row.at("elements") == "structs";
    CHECK(row.at("outcome") == (structs ? "failed" : "passed"));
    if (structs) CHECK(contains(row.at("reason"), "maximum of fields, 3 bytes"));
  }
  CHECK(production(device, "reduce integers").at("row") == production_reduction);
  CHECK(production(device, "reduce structs").at("row") == "chunks");
}

TEST_CASE("look-back that takes what an earlier run left behind is found") {
  if (!has_cpu_device() || !has_layer()) return;
  const Place place;
  CHECK(place.check("lookback_warp").status == 0);
  const Json right = place.device();
  REQUIRE(right.at("rows").size() == 6);
  for (const Json& row : right.at("rows")) {
    CAPTURE(row.dump());
    const Json& cases = row.at("cases");
    const bool repeated = std::find(cases.begin(), cases.end(), "repeated u64 sums") != cases.end();
    CHECK(repeated == (row.at("elements") == "integers"));
  }
  const Place other;
  CHECK(other.check("lookback_warp", "tag >> 2 == epoch + 1=>tag >> 2 != 0u").status == 1);
  const Json wrong = other.device();
  // Single calls may get away with it, repeated ones do not.
  CHECK(wrong.at("rows").front().at("elements") == "integers");
  CHECK(wrong.at("rows").front().at("outcome") == "failed");
}

TEST_SUITE_END();
