// The tool as its users meet it: run as a program, judged by exit status, output and JSON.
#include <doctest/doctest.h>

#include <bifold/device.hpp>
#include <bifold/gallery.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/bench_tool.hpp"

namespace {

namespace fs = std::filesystem;
using bifold::test::check_one_line;
using bifold::test::check_quiet;
using bifold::test::check_refused;
using bifold::test::has_cpu_device;
using bifold::test::run_tool;
using bifold::test::Scratch;
using bifold::test::text_of;
using bifold::test::without_devices;
using Json = nlohmann::json;
using Outcome = bifold::test::ToolOutcome;

/// A run on the CPU device with little data; its JSON document.
Json run_small(std::vector<std::string> arguments, int expected_status = 0) {
  const Scratch scratch;
  const fs::path file = scratch / "result.json";
  std::vector<std::string> all{"run",       "--device", "opencl:cpu", "--seconds", "0.01",
                               "--samples", "3",        "--json",     file,        "--no-progress"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run_tool(all);
  check_quiet(outcome, expected_status);
  CHECK_FALSE(fs::exists(file.string() + ".tmp"));
  return Json::parse(text_of(file));
}

void check_timed(const Json& result) {
  CAPTURE(result.dump());
  CHECK(result.at("outcome") == "timed");
  CHECK(result.at("verified") == true);
  CHECK(result.at("regime") == "back_to_back");
  const double median = result.at("median_s");
  const double rate = result.at("gb_per_s");
  CHECK(median > 0);
  CHECK(result.at("p10_s").get<double>() <= median);
  CHECK(result.at("p90_s").get<double>() >= median);
  CHECK(result.at("samples").get<int>() >= 3);
  CHECK(result.at("calls_per_sample").get<int>() >= 1);
  CHECK(rate == doctest::Approx(result.at("bytes").get<double>() / median / 1e9));
  for (const std::string limit : {"copy", "read"}) {
    const double best = result.at(limit + "_gb_per_s");
    CHECK(best > 0);
    CHECK(result.at("share_of_" + limit).get<double>() == doctest::Approx(rate / best));
  }
}

TEST_SUITE_BEGIN("bench tool");

TEST_CASE("list names every backend and device and succeeds") {
  const Outcome outcome = run_tool({"list"});
  check_quiet(outcome);
  for (const bifold::BackendInfo& backend : bifold::backends()) {
    CHECK(outcome.out.find(backend.name) != std::string::npos);
    if (!backend.available) CHECK(outcome.out.find("not available: ") != std::string::npos);
  }
  for (const bifold::DeviceInfo& info : bifold::devices()) {
    CHECK(outcome.out.find(info.selector) != std::string::npos);
    CHECK(outcome.out.find(info.name) != std::string::npos);
  }
}

TEST_CASE("list succeeds without any device and gives the reasons") {
  const Scratch empty;
  const fs::path file = empty / "list.json";
  const Outcome outcome = run_tool({"list", "--json", file}, without_devices(empty));
  check_quiet(outcome);
  const Json document = Json::parse(text_of(file));
  CHECK(document.at("schema") == "bifold-bench");
  CHECK(document.at("devices").empty());
  REQUIRE(document.at("backends").size() == bifold::backends().size());
  for (const Json& backend : document.at("backends")) {
    CAPTURE(backend.dump());
    CHECK(backend.at("available") == false);
    CHECK_FALSE(backend.at("reason").get<std::string>().empty());
    CHECK(outcome.out.find(backend.at("name").get<std::string>()) != std::string::npos);
  }
}

TEST_CASE("a run without any device fails with one line that gives the reasons") {
  const Scratch empty;
  const Outcome outcome = run_tool({"run"}, without_devices(empty));
  CHECK(outcome.status == 1);
  check_one_line(outcome.error, "no device found; cuda: ");
}

TEST_CASE("a bad command line gives status 2 and one line") {
  check_refused({}, "list, run, compare, gallery, check, tune, accuracy, startup, stream");
  check_refused({"measure"}, "measure");
  check_refused({"run", "--fast"}, "--fast");
  check_refused({"run", "--size"}, "--size");
  check_refused({"list", "extra"}, "extra");
  check_refused({"run", "--samples", "many"}, "--samples");
  check_refused({"run", "--samples", "0"}, "--samples");
  check_refused({"run", "--seconds", "0"}, "--seconds");
  check_refused({"run", "--seconds", "nan"}, "--seconds");
  check_refused({"run", "--seconds=-1"}, "--seconds");
  check_refused({"run", "--samples=-5"}, "--samples");
  check_refused({"run", "--offset=-1"}, "--offset");
  check_refused({"run", "--offset", "1025"}, "--offset");
  check_refused({"run", "list"}, "list");
}

TEST_CASE("an unknown word is answered with the nearest one that is known") {
  check_refused({"runn"}, R"(unknown command "runn"; did you mean "run"?)");
  check_refused({"RUN", "--size", "5"}, R"(unknown command "RUN"; did you mean "run"?)");
  check_refused({"benchmark"}, R"("benchmark" (choose from list, run, compare,)");
  check_refused({"run", "--sizes", "5"},
                R"(run: unknown option "--sizes"; did you mean "--size"?)");
  check_refused({"run", "--sizes=5"}, R"(run: unknown option "--sizes"; did you mean "--size"?)");
  check_refused({"compare", "--htlm", "x"}, R"(did you mean "--html"?)");
  check_refused({"--versoin"}, R"(unknown option "--versoin"; did you mean "--version"?)");
  check_refused({"run", "--colour"}, R"(run: unknown option "--colour")");
  check_refused({"run", "5"}, R"(run: unexpected argument "5")");
  check_refused({"run", "--type", "i33"},
                R"(unknown name 'i33'; did you mean "i32"? (choose from)");
  check_refused({"run", "--variant", "productoin"}, R"(did you mean "production"?)");
  check_refused({"run", "--kind", "exlusive"}, R"(did you mean "exclusive"?)");
  check_refused({"run", "--suite", "standart"}, R"(did you mean "standard"?)");
  check_refused({"gallery", "--paper", "haris"}, R"(did you mean "harris"?)");
  check_refused({"run", "--device", "opncl:cpu"}, R"(did you mean "opencl:cpu"?)");
}

TEST_CASE("an unknown name gives status 2 and one line with the choices") {
  check_refused({"run", "--algorithm", "sort"}, "reduce, scan");
  check_refused({"run", "--type", "i33"}, "i32");
  check_refused({"run", "--op", "minus"}, "plus");
  check_refused({"run", "--kind", "both"}, "inclusive, exclusive");
  check_refused({"run", "--variant", "magic"}, "production");
  // A variant of scan only is no variant of reduce.
  std::string of_scan_only;
  for (const auto& row : bifold::gallery::variants()) {
    if (row.algorithm == bifold::Algorithm::scan &&
        bifold::gallery::find(bifold::Algorithm::reduce, row.name) == nullptr) {
      of_scan_only = row.name;
    }
  }
  REQUIRE_FALSE(of_scan_only.empty());
  check_refused({"run", "--algorithm", "reduce", "--variant", of_scan_only}, of_scan_only);
}

TEST_CASE("an impossible size gives status 2 and one line") {
  for (const char* size :
       {"0", "", "abc", "12x", "2^", "^3", "2^61", "2^99999", "99999999999999999999", "4Ti", "1.5",
        "2^20..2^10", "2^10..", "..2^10", "2^10..2^20:1", "2^10..2^20:x", "1024Gi^2"}) {
    CAPTURE(size);
    check_refused({"run", std::string("--size=") + size}, "--size");
  }
  check_refused({"run", "--size=-1"}, "--size");
}

TEST_CASE("a device that is not there gives status 2 and one line") {
  check_refused({"run", "--device", "vulkan:0"}, "--device vulkan:0");
  check_refused({"run", "--device", "opencl:no such device"}, "--device");
  check_refused({"run", "--device", "cuda:4711"}, "--device");
}

TEST_CASE("a JSON file that cannot be written is refused before anything is measured") {
  const Scratch scratch;
  const std::string missing = (scratch / "missing/result.json").string();
  check_refused({"run", "--json", missing}, missing);
  check_refused({"list", "--json", missing}, missing);
  check_refused({"run", "--json", (scratch / "").string()}, "folder");
}

TEST_CASE("lines of matrices are verified, and told in the document") {
  check_refused({"run", "--lines", "100"}, "--lines");
  check_refused({"run", "--lines", "0x7"}, "--lines");
  check_refused({"run", "--lines", "2^40x2^40"}, "--lines");
  check_refused({"run", "--lines", "5x7", "--size", "35"}, "--size");
  check_refused({"run", "--lines", "5x7", "--type", "complex"}, "--lines");
  check_refused({"run", "--lines", "5x7", "--axis", "2"}, "--axis");
  check_refused({"run", "--axis", "1"}, "--axis");
  if (!has_cpu_device()) return;
  const Json document = run_small({"--lines", "70x33,3x5000", "--type", "f32"});
  const Json& results = document.at("results");
  REQUIRE(results.size() == 2 * 2 * 2);  // algorithms x matrices x axes
  for (const Json& result : results) {
    check_timed(result);
    const Json& lines = result.at("lines");
    const auto rows = lines.at("rows").get<std::uint64_t>();
    const auto columns = lines.at("columns").get<std::uint64_t>();
    CHECK(result.at("n") == rows * columns);
    CHECK(result.at("data") == "rounding");
    const bool is_scan = result.at("algorithm") == "scan";
    const std::uint64_t written = is_scan ? rows * columns : lines.at("axis") == 0 ? columns : rows;
    CHECK(result.at("bytes") == (rows * columns + written) * 4);
  }
}

TEST_CASE("the greatest elements of lines are found, and told as an operator" *
          doctest::test_suite("bench runs")) {
  check_refused({"run", "--op", "argmax", "--lines", "5x7"}, "--algorithm reduce");
  check_refused({"run", "--op", "argmax", "--algorithm", "reduce"}, "--lines");
  if (!has_cpu_device()) return;
  const Json document = run_small({"--lines", "70x33,30x500", "--type", "f32,u8,f16", "--op",
                                   "argmax,maximum", "--algorithm", "reduce"});
  const Json& results = document.at("results");
  REQUIRE(results.size() == 3 * 2 * 2 * 2);  // types x operators x matrices x axes
  for (const Json& result : results) {
    CAPTURE(result.dump());
    check_timed(result);
    if (result.at("operator") != "argmax") continue;
    const Json& lines = result.at("lines");
    const auto count = lines.at(lines.at("axis") == 0 ? "columns" : "rows").get<std::uint64_t>();
    const std::uint64_t size = result.at("type") == "f32" ? 4 : result.at("type") == "u8" ? 1 : 2;
    CHECK(result.at("bytes") == result.at("n").get<std::uint64_t>() * size + count * 16);
  }
}

TEST_CASE("a small run is verified and consistent with itself") {
  if (!has_cpu_device()) return;
  const Json document =
      run_small({"--size", "1000", "--size", "2^12..2^14", "--type", "i32", "--type", "f32"});
  CHECK(document.at("schema") == "bifold-bench");
  CHECK(document.at("schema_version") == 2);
  CHECK(document.at("settings").at("samples") == 3);
  REQUIRE(document.at("devices").size() == 1);
  const Json& device = document.at("devices").front();
  CHECK(device.at("kind") == "cpu");
  CHECK(device.at("capabilities").at("global_bytes").get<double>() > 0);
  CHECK(device.at("limits").size() == 1);  // Every size here is at or below the smallest limit.

  const Json& results = document.at("results");
  REQUIRE(results.size() == 2 * 2 * 3);  // algorithms x types x sizes
  for (const Json& result : results) {
    check_timed(result);
    CHECK(result.at("device") == device.at("selector"));
    CHECK(result.at("variant") == "production");
    CHECK(result.at("variant_ran") != "production");
    const bool is_scan = result.at("algorithm") == "scan";
    CHECK(result.contains("kind") == is_scan);
    CHECK(result.at("bytes") == result.at("n").get<std::uint64_t>() * 4 * (is_scan ? 2 : 1));
    CHECK(result.at("limit_bytes") == 65536);
  }
  CHECK(results.front().at("n") == 1000);
}

TEST_CASE("production is measured in order v1 and in any order beside each other") {
  if (!has_cpu_device()) return;
  const Json document =
      run_small({"--size", "5000", "--type", "complex,i32", "--order", "all", "--variant",
                 "production,reduce_then_scan", "--algorithm", "scan"});
  const Json& results = document.at("results");
  REQUIRE(results.size() == 2 * 3);  // types x (production twice, the named row once)
  const auto row_of = [](const Json& result) {
    return bifold::gallery::find(bifold::Algorithm::scan,
                                 result.at("variant_ran").get<std::string>());
  };
  for (std::size_t type = 0; type < 2; ++type) {
    const Json& kept = results.at(3 * type);
    const Json& fastest = results.at(3 * type + 1);
    for (const Json& result : {kept, fastest, results.at(3 * type + 2)}) check_timed(result);
    CHECK(kept.at("order") == "v1");
    CHECK(fastest.at("order") == "any");
    CHECK_FALSE(results.at(3 * type + 2).contains("order"));
    // The order of integers does not show, and the row for sums of floats may keep it anyway.
    const bool floating = kept.at("type") == "complex";
    CHECK((row_of(kept) == row_of(fastest)) != floating);
    if (floating) CHECK(row_of(kept)->order == bifold::gallery::Order::v1);
  }
  check_refused({"run", "--order", "v2"}, "v1");
}

TEST_CASE("elements that start off alignment have the same results") {
  if (!has_cpu_device()) return;
  const std::initializer_list<std::string> what{"--size", "70001", "--type", "f32", "--type", "u8"};
  std::vector<std::string> off(what);
  off.insert(off.end(), {"--offset", "3"});
  const Json aligned = run_small(std::vector<std::string>(what));
  const Json shifted = run_small(off);
  CHECK(aligned.at("settings").at("offset") == 0);
  CHECK(shifted.at("settings").at("offset") == 3);
  REQUIRE(aligned.at("results").size() == 4);
  REQUIRE(shifted.at("results").size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    check_timed(shifted.at("results")[i]);
    const Json& result = shifted.at("results")[i];
    CHECK(result.at("digest") == aligned.at("results")[i].at("digest"));
    // Both in one run, in turns.
    CHECK(result.at("aligned").at("samples") == result.at("samples"));
    const double of_aligned = result.at("aligned").at("median_s").get<double>();
    CHECK(result.at("share_of_aligned").get<double>() ==
          doctest::Approx(of_aligned / result.at("median_s").get<double>()));
    CHECK_FALSE(aligned.at("results")[i].contains("aligned"));
  }
}

TEST_CASE("every operator and both kinds of scan verify on integers" *
          doctest::test_suite("bench runs")) {
  if (!has_cpu_device()) return;
  for (const std::string kind : {"inclusive", "exclusive"}) {
    CAPTURE(kind);
    const Json document = run_small({"--size=5000,1", "--type=u8", "--op=all", "--kind", kind});
    CHECK(document.at("results").size() == 9 * 2 * 2);
    for (const Json& result : document.at("results")) check_timed(result);
  }
}

TEST_CASE("what a device or an operator cannot do is listed as skipped, with the reason") {
  if (!has_cpu_device()) return;
  const Json document = run_small({"--algorithm=reduce", "--type=f32,complex", "--op=bit_xor",
                                   "--op=plus", "--size=64", "--size=2^50"});
  REQUIRE(document.at("results").size() == 8);
  unsigned timed = 0;
  for (const Json& result : document.at("results")) {
    CAPTURE(result.dump());
    if (result.at("outcome") == "timed") {
      ++timed;
      CHECK(result.at("n") == 64);
      CHECK(result.at("operator") == "plus");
      continue;
    }
    CHECK(result.at("outcome") == "skipped");
    CHECK(result.at("verified") == false);
    CHECK_FALSE(result.contains("median_s"));
    const std::string reason = result.at("reason");
    const std::string expected = result.at("operator") == "bit_xor"
                                     ? "not defined on " + result.at("type").get<std::string>()
                                     : "needs";
    CHECK(reason.find(expected) != std::string::npos);
  }
  CHECK(timed == 2);
}

TEST_CASE("the table explains itself") {
  if (!has_cpu_device()) return;
  const Outcome outcome = run_tool({"run", "--device=opencl:cpu", "--device=opencl:cpu", "--quick",
                                    "--seconds=0.001", "--size=2^12", "--type=i32"});
  check_quiet(outcome);  // No progress bar where standard error is no terminal.
  for (const char* words :
       {"bifold ", "driver", "per call", "GB/s", "share", "spread", "What the columns mean",
        "1,000,000,000", "reduce", "scan", "Scans are inclusive.", "2^12",
        "2 timed, 0 skipped, 0 wrong, 0 failed"}) {
    CHECK_MESSAGE(outcome.out.find(words) != std::string::npos, "expected: " << words);
  }
}

TEST_SUITE_END();

}  // namespace
