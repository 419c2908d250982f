// Runs of several devices side by side, in every form that `compare` gives them.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "comparison/backend_split.hpp"
#include "comparison/html.hpp"
#include "support/bench_tool.hpp"
#include "support/made_up_run.hpp"

namespace {

namespace fs = std::filesystem;
using bifold::test::check_one_line;
using bifold::test::check_refused;
using bifold::test::has_cpu_device;
using bifold::test::made_up_run;
using bifold::test::run_tool;
using bifold::test::Scratch;
using bifold::test::text_of;
using bifold::test::write;
using Json = bifold::test::OrderedJson;
using Outcome = bifold::test::ToolOutcome;

const fs::path source = BIFOLD_SOURCE_DIR;

/// What comparing that document gives.
Outcome compare(const Json& document, std::vector<std::string> more = {}) {
  const Scratch scratch;
  write(scratch / "run.json", document);
  more.insert(more.begin(), {"compare", scratch / "run.json"});
  return run_tool(more);
}

/// Whether a document changed so is refused with one line of these words, which name file and
/// field.
void check_unreadable(const std::function<void(Json&)>& change, const std::string& words) {
  Json document = made_up_run();
  change(document);
  const Outcome outcome = compare(document);
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  check_one_line(outcome.error, "run.json: " + words);
}

TEST_SUITE_BEGIN("bench compare");

TEST_CASE("the exit status says whether bits agree") {
  Json document = made_up_run();
  Outcome outcome = compare(document);
  CAPTURE(outcome.out);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("0.50x  agree") != std::string::npos);
  CHECK(outcome.out.find("Of 1 calls, B (opencl) is slower than A (cuda) in 1 (launch 0, kernels "
                         "1, between them 0)") != std::string::npos);
  CHECK(outcome.out.find("Warning") == std::string::npos);

  document["results"][1]["digest"] = "0123456789abcdee";
  outcome = compare(document);
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("DIFFER") != std::string::npos);
  CHECK(outcome.out.find("Bits: 0 of 1 configurations agree, 1 differ") != std::string::npos);

  // Other data have other results: that is no difference.
  document["results"][1]["data"] = "exact";
  outcome = compare(document);
  CHECK(outcome.status == 3);
  CHECK(outcome.out.find("no digests of the same data") != std::string::npos);

  document["results"][1] = {
      {"device", "opencl:0"}, {"algorithm", "reduce"}, {"variant", "production"},
      {"order", "v1"},        {"type", "f32"},         {"operator", "plus"},
      {"n", 1 << 20},         {"outcome", "wrong"},    {"reason", "WRONG at index 0"}};
  outcome = compare(document);
  CHECK(outcome.status == 1);
  CHECK(outcome.out.find("1 results were wrong or failed") != std::string::npos);
}

TEST_CASE("what makes runs hard to compare is warned of") {
  const Scratch scratch;
  Json a = made_up_run();
  Json b = made_up_run();
  const auto check_warned = [&](const std::string& words) {
    write(scratch / "a.json", a);
    write(scratch / "b.json", b);
    const Outcome outcome = run_tool({"compare", scratch / "a.json", scratch / "b.json"});
    CAPTURE(outcome.out);
    CHECK_MESSAGE(outcome.out.find("Warning: " + words) != std::string::npos, words);
    b = made_up_run();
  };
  b["library_version"] = "1.2.4";
  check_warned("the library's versions differ: A 1.2.3, B 1.2.3, C 1.2.4");
  b["settings"]["whole_suite"] = false;
  check_warned("the runs differ in what they measure: A standard, B standard, C standard in part");
  b["settings"]["seconds"] = 0.2;
  check_warned("the runs differ in time and samples for a configuration");
  b["settings"]["data_seed"] = 8;
  check_warned("the data differ, so that bits cannot be compared");
  b["devices"][0]["tuned_rows"] = 3;
  check_warned(
      "not all run with built-in tuning values: A built-in, B built-in, C 3 tuned variants");
  b["devices"][0]["self_check"] = {{"rows", 2}, {"problems", {"lookback, f32: wrong"}}};
  check_warned("C: bifold-bench check found wrong: lookback, f32: wrong");
  b["complete"] = false;
  check_warned("C: the run was interrupted");
  b["results"][0]["in_cache"] = true;
  check_warned("1 of 3 pairs compare the rate of a cache with one of memory");
  b["results"][0]["n"] = 5;
  check_warned("2 configurations were not measured on all of the devices");
  // The same times as A's: no difference at all is no more than noise.
  check_warned("1 of 3 differences in speed are no more than the noise");
}

TEST_CASE("files that cannot be read are refused by file and field") {
  check_unreadable([](Json& json) { json["schema"] = "other"; }, "/schema: ");
  check_unreadable([](Json& json) { json["schema_version"] = 3; },
                   "/schema_version: 3 is newer than 2");
  check_unreadable([](Json& json) { json["command"] = "list"; }, "/command: 'list'");
  check_unreadable([](Json& json) { json.erase("host"); }, "/: has no 'host'");
  check_unreadable([](Json& json) { json["devices"] = 5; },
                   "/devices: an array is expected, not number");
  check_unreadable([](Json& json) { json["devices"][1].erase("name"); },
                   "/devices/1: has no 'name'");
  check_unreadable([](Json& json) { json["results"][1]["device"] = "cuda:7"; },
                   "/results/1/device: 'cuda:7' is not among /devices");
  check_unreadable([](Json& json) { json["results"][0]["type"] = "i33"; },
                   "/results/0/type: 'i33' is none of the names");
  check_unreadable([](Json& json) { json["results"][0]["median_s"] = "fast"; },
                   "/results/0/median_s: a number is expected, not string");
  check_unreadable([](Json& json) { json["results"][0]["median_s"] = 0; },
                   "/results/0/median_s: has to be more than 0");
  check_unreadable([](Json& json) { json["results"][0]["p10_s"] = 1; },
                   "/results/0/p10_s: is more than the median");
  check_unreadable([](Json& json) { json["results"][0]["n"] = -3; },
                   "/results/0/n: a whole number of at least 0 is expected");
  check_unreadable([](Json& json) { json["results"][0]["digest"] = "0123456789abcdeg"; },
                   "/results/0/digest: 16 hexadecimal digits");
  const Scratch scratch;
  write(scratch / "cut.json", made_up_run().dump(1).substr(0, 700));
  write(scratch / "no.json", std::string("{\n\"a\": 1,\n?\n}"));
  write(scratch / "large.json", std::string("[1e999]"));
  write(scratch / "list.json", std::string("[]"));
  check_refused({"compare", scratch / "cut.json"}, "cut.json: cut off in line");
  check_refused({"compare", scratch / "no.json"}, "no.json: no JSON in line 3");
  check_refused({"compare", scratch / "large.json"}, "large.json: a number is too large");
  check_refused({"compare", scratch / "list.json"}, "list.json: /: an object is expected");
  check_refused({"compare", scratch / "missing.json"}, "missing.json: cannot be read");
  check_refused({"compare", scratch / ""}, "cannot be read");
  check_refused({"compare"}, "name files of `run --json`, or give --backends");
  Json alone = made_up_run();
  alone["devices"].erase(1);
  alone["results"].erase(1);
  write(scratch / "alone.json", alone);
  check_refused({"compare", scratch / "alone.json"}, "two devices at least");
  alone["results"][0]["n"] = 5;
  write(scratch / "other.json", alone);
  alone["results"][0]["n"] = 6;
  write(scratch / "alone.json", alone);
  check_refused({"compare", scratch / "alone.json", scratch / "other.json"},
                "no configuration was measured on two devices");
}

TEST_CASE("the kept runs of older tools can still be compared") {
  const fs::path run = source / "tests" / "data" / "older_run.json";
  const fs::path gallery =
      source / "bench" / "results" / "gallery-nvidia-h200-cuda-13.0-opencl-580.json";
  const Outcome outcome = run_tool({"compare", run, gallery});
  CAPTURE(outcome.error);
  CHECK(outcome.status == 3);  // They have no digests.
  CHECK(outcome.out.find("NVIDIA H200") != std::string::npos);
}

TEST_CASE("CSV has a line for each result, with cells that hold what they say") {
  const Scratch scratch;
  const Outcome outcome =
      compare(made_up_run(), {"--csv", scratch / "x.csv", "--markdown", scratch / "x.md"});
  CHECK(outcome.status == 0);
  const std::string csv = text_of(scratch / "x.csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);
  CHECK(
      csv.find(
          "B,run.json,Made <Up> 9000,opencl,reduce,production,f32,plus,1048576,,,,timed,2e-05,") !=
      std::string::npos);
  CHECK(csv.find(",0.5,no,rounding,0123456789abcdef,agree\n") != std::string::npos);
  const std::string markdown = text_of(scratch / "x.md");
  CHECK(markdown.find("## At the largest size") != std::string::npos);
  CHECK(markdown.find("Made \\<Up> 9000") != std::string::npos);
}

TEST_CASE("lines are rows of their own, whose limit is copying") {
  const Scratch scratch;
  Json document = made_up_run();
  const Json arrays = document["results"];
  for (const int axis : {0, 1}) {
    for (Json result : arrays) {
      result["lines"] = {{"rows", 512}, {"columns", 2048}, {"axis", axis}};
      result["digest"] = axis == 0 ? "0000000000000000" : "1111111111111111";
      document["results"].push_back(result);
    }
  }
  std::vector<std::string> options{"--csv", scratch / "x.csv"};
  if (bench::can_draw_charts()) {
    options.insert(options.end(), {"--html", scratch / "x.html"});
  }
  const Outcome outcome = compare(document, options);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("Bits: 3 of 3 configurations agree") != std::string::npos);
  CHECK(outcome.out.find("512 x 2^11, axis 0") != std::string::npos);
  const std::string csv = text_of(scratch / "x.csv");
  CHECK(csv.find(",plus,1048576,512,2048,1,timed,") != std::string::npos);
  CHECK(csv.find(",900,0.5,") != std::string::npos);
  if (!bench::can_draw_charts()) return;
  // Charts over n are of arrays; lines have their shares.
  const std::string page = text_of(scratch / "x.html");
  const auto at = page.find("\"rows\":[");
  const std::string rows = page.substr(at, page.find("\"splits\"", at) - at);
  CHECK(rows.find("\"n\"") == rows.rfind("\"n\""));
  CHECK(page.find("<th scope=\"row\">f32, 512 x 2^11, axis 1</th>") != std::string::npos);
}

TEST_CASE("a page needs nothing else, and no name in a file ends its text") {
  if (!bench::can_draw_charts()) {
    check_refused({"compare", "x.json", "--html", "x.html"}, "built without Chart.js");
    return;
  }
  const Scratch scratch;
  Json document = made_up_run();
  document["devices"][0]["name"] = "</script><b>";
  document["devices"][1]["name"] = "</script><b>";
  CHECK(compare(document, {"--html", scratch / "x.html"}).status == 0);
  const std::string page = text_of(scratch / "x.html");
  CHECK(page.find("</script><b>") == std::string::npos);
  CHECK(page.find("&lt;/script&gt;&lt;b&gt;") != std::string::npos);
  CHECK(page.find("src=") == std::string::npos);
  CHECK(page.find('@') == page.find("@media"));
  for (const char* id : {"bandwidth", "heat", "split"}) {
    CHECK(page.find('"' + std::string(id) + '"') != std::string::npos);
  }
}

TEST_CASE("two devices of one backend are told apart in every table and chart") {
  if (!bench::can_draw_charts()) return;
  const Scratch scratch;
  Json document = made_up_run();
  for (const char* const list : {"devices", "results"}) {
    const Json all = document[list];
    for (Json other : all) {
      const char* const field = std::string(list) == "devices" ? "selector" : "device";
      std::string selector = other[field];
      selector.back() = '1';
      other[field] = selector;
      document[list].push_back(other);
    }
  }
  CHECK(compare(document, {"--html", scratch / "x.html"}).status == 0);
  const std::string page = text_of(scratch / "x.html");
  for (const char* words :
       {R"("Made \u003cUp> 9000, cuda:0")", R"("Made \u003cUp> 9000, cuda:1")",
        R"("Made \u003cUp> 9000, opencl:1")", "reduce f32 on Made &lt;Up&gt; 9000 (A, B)",
        "reduce f32 on Made &lt;Up&gt; 9000 (C, D)"}) {
    CAPTURE(words);
    CHECK(page.find(words) != std::string::npos);
  }
}

TEST_CASE("a name in a document breaks no line of a table") {
  Json document = made_up_run();
  document["devices"][0]["name"] = "Made\nUp\x1b[31m";
  const auto outcome = compare(document);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("Made Up [31m") != std::string::npos);
}

TEST_CASE("what makes a backend slower is named by the figures") {
  const auto result = [](double call, double launch, double kernel) {
    bench::Result made;
    made.outcome = bench::Outcome::timed;
    made.timing = {9, 1, call, 0.99 * call, 1.01 * call};
    made.isolated = {9, 1, kernel, kernel, kernel};
    made.enqueue_s = launch;
    return made;
  };
  // One sample that took long is no reason to doubt the others.
  bench::Result delayed = result(5e-6, 1e-6, 4e-6);
  delayed.timing.p90_s = 50e-6;
  CHECK_FALSE(bench::within_noise(result(10e-6, 2e-6, 9e-6), delayed));
  CHECK(bench::within_noise(result(10e-6, 2e-6, 9e-6), result(10.05e-6, 2e-6, 9e-6)));
  const bench::Result base = result(10e-6, 2e-6, 9e-6);
  const auto answer = [&](const bench::Result& other) {
    return bench::answer_of(base, other, "opencl");
  };
  CHECK(answer(result(10.1e-6, 2e-6, 9e-6)) == "no difference beyond noise");
  CHECK(answer(result(20e-6, 19e-6, 9e-6)) ==
        "opencl is 100 % slower: the host takes 19.0 us instead of 2.00 us to launch a call");
  CHECK(answer(result(20e-6, 2e-6, 18e-6)) ==
        "opencl is 100 % slower: the kernels take 18.0 us instead of 9.00 us");
  CHECK(answer(result(5e-6, 2e-6, 4e-6)) ==
        "opencl is 50 % quicker: the kernels take 4.00 us instead of 9.00 us");
  CHECK(answer(result(20e-6, 3e-6, 9e-6)).find("between the kernels") != std::string::npos);
}

TEST_CASE("--backends runs both and compares them") {
  check_refused({"compare", "x.json", "--type", "f32"}, "--backends");
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const fs::path file = scratch / "both.json";
  // Two devices of PoCL stand for the two backends of one.
  const std::vector<std::string> devices{"OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd",
                                         "POCL_DEVICES=pthread basic"};
  const Outcome outcome =
      run_tool({"compare", "--backends", "--device", "opencl:0,opencl:1", "--type", "f32", "--size",
                "1000", "--algorithm", "reduce", "--json", file, "--no-progress"},
               devices);
  CAPTURE(outcome.error);
  CAPTURE(outcome.out);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("Bits: 2 of 2 configurations agree") != std::string::npos);
  CHECK(Json::parse(text_of(file)).at("devices").size() == 2);
  const Outcome none = run_tool({"compare", "--backends"}, devices);
  CHECK(none.status == 2);
  check_one_line(none.error, "no device is there through both CUDA and OpenCL");
}

TEST_SUITE_END();

}  // namespace
