// The run that everybody makes: its data and digests, its document, what an interruption leaves.
#include "measure/suite.hpp"

#include <doctest/doctest.h>

#include <bifold/reference/v1.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "commands/run/resume.hpp"
#include "data/digest.hpp"
#include "data/host_data.hpp"
#include "measure/options.hpp"
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

template <class T>
std::uint64_t digest_of(const std::vector<T>& elements, bifold::Type type) {
  bench::Digest digest;
  digest.add(reinterpret_cast<const std::byte*>(elements.data()), elements.size(), type);
  return digest.value();
}

/// The suite on the CPU device with little data.
Outcome run_suite(const fs::path& file, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"run",        "--suite",   "quick", "--device",
                                     "opencl:cpu", "--type",    "f32",   "--size",
                                     "300,5000",   "--seconds", "0.002", "--samples",
                                     "2",          "--json",    file,    "--no-progress"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_tool(arguments);
}

TEST_SUITE_BEGIN("bench compare");

TEST_CASE("a digest tells elements, their order and their number apart") {
  using bifold::Type;
  const std::vector<std::int32_t> one{1, 2, 3};
  CHECK(digest_of(one, Type::i32) == digest_of(std::vector{1, 2, 3}, Type::i32));
  CHECK(digest_of(one, Type::i32) != digest_of(std::vector{1, 3, 2}, Type::i32));
  CHECK(digest_of(one, Type::i32) != digest_of(std::vector{1, 2, 3, 0}, Type::i32));
  CHECK(digest_of(std::vector{0.0F}, Type::f32) != digest_of(std::vector{-0.0F}, Type::f32));
  // In parts or at once.
  bench::Digest parts;
  parts.add(reinterpret_cast<const std::byte*>(one.data()), 1, Type::i32);
  parts.add(reinterpret_cast<const std::byte*>(one.data() + 1), 2, Type::i32);
  CHECK(parts.value() == digest_of(one, Type::i32));
  // Published files have to mean the same for good.
  CHECK(bench::digest_text(digest_of(one, Type::i32)) == "ed52e7cc0b3a0ae4");
  CHECK(bench::digest_text(digest_of(std::vector{1.5, -0.0}, Type::f64)) == "c864555355eb4549");
}

TEST_CASE("every NaN has the same digest, and no infinity has it") {
  using bifold::Type;
  const auto of16 = [](std::uint16_t bits, Type type) {
    return digest_of(std::vector{bits}, type);
  };
  const auto of32 = [](std::uint32_t bits) { return digest_of(std::vector{bits}, Type::f32); };
  const auto of64 = [](std::uint64_t bits) { return digest_of(std::vector{bits}, Type::f64); };
  CHECK(of32(0x7fc00000) == of32(0xffc00001));
  CHECK(of32(0x7fc00000) == of32(0x7f800001));
  CHECK(of32(0x7fc00000) != of32(0x7f800000));
  CHECK(of64(0x7ff8000000000000) == of64(0xfff0000000000001));
  CHECK(of64(0x7ff8000000000000) != of64(0xfff0000000000000));
  CHECK(of16(0x7e00, Type::f16) == of16(0xfc01, Type::f16));
  CHECK(of16(0x7e00, Type::f16) != of16(0x7c00, Type::f16));
  CHECK(of16(0x7fc0, Type::bf16) == of16(0xff81, Type::bf16));
  CHECK(of16(0x7fc0, Type::bf16) != of16(0x7f80, Type::bf16));
  // The same bits of an integer are numbers like any other.
  CHECK(digest_of(std::vector{0x7fc00000}, Type::i32) !=
        digest_of(std::vector{0x7fc00001}, Type::i32));
}

TEST_CASE("sums of data that round depend on their order") {
  constexpr std::uint64_t n = 20000;
  const bench::HostData data(bifold::Type::f32, bifold::plus, n, bench::DataKind::rounding);
  const auto* const input = reinterpret_cast<const float*>(data.input());
  float left = -0.0F;
  for (std::uint64_t i = 0; i < n; ++i) left += input[i];
  const auto tree = data.total(n).as<float>();
  CHECK(tree != left);
  CHECK(std::abs(tree - left) < 1);
  CHECK(data.inclusive(n - 1).as<float>() != tree);
  const auto own = bifold::reference::v1::reduce(bifold::OperatorKind::plus,
                                                 std::span<const float>(input, n), -0.0F);
  CHECK(tree == own);
  // Other operators and integers are as ever.
  const bench::HostData exact(bifold::Type::i32, bifold::plus, n, bench::DataKind::rounding);
  CHECK(exact.total(n) == exact.inclusive(n - 1));
}

TEST_CASE("the fields of structs that round have the sums and digests of numbers") {
  constexpr std::uint64_t n = 20000;
  const bifold::Type type = bifold::type_of<bench::Triple>();
  const bench::HostData data(type, bifold::plus, n, bench::DataKind::rounding);
  const std::span input(reinterpret_cast<const bench::Triple*>(data.input()), n);
  std::vector<float> alone;
  for (const bench::Triple& element : input) alone.push_back(element.z);
  const auto sum = bifold::reference::v1::reduce(bifold::OperatorKind::plus,
                                                 std::span<const float>(alone), -0.0F);
  CHECK(data.total(n).as<bench::Triple>().z == sum);
  CHECK(data.inclusive(n - 1).as<bench::Triple>().z != sum);
  const std::vector<bench::Triple> two{{1, 2, 3}, {4, 5, 6}};
  const std::vector<float> six{1, 2, 3, 4, 5, 6};
  CHECK(digest_of(two, type) == digest_of(six, bifold::Type::f32));
}

TEST_CASE("the suite writes digests, regimes and what the device is; two runs agree in every bit") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const fs::path a = scratch / "a.json";
  const fs::path b = scratch / "b.json";
  for (const fs::path& file : {a, b}) {
    const Outcome outcome = run_suite(file);
    CAPTURE(outcome.error);
    REQUIRE(outcome.status == 0);
    CHECK_FALSE(fs::exists(file.string() + ".partial"));
  }
  const Json document = Json::parse(text_of(a));
  CHECK(document.at("complete") == true);
  CHECK(document.at("kept_results") == 0);
  CHECK(document.at("settings").at("suite") == "quick");
  CHECK(document.at("settings").at("whole_suite") == false);
  CHECK(document.at("starts").size() == 2);
  const Json& device = document.at("devices").at(0);
  CHECK(device.at("transfers").at("upload_gb_per_s") > 0);
  CHECK(device.at("clocks").contains("core_mhz"));
  CHECK(device.at("self_check").at("rows") == 0);
  CHECK(document.at("results").size() == 8);
  for (const Json& result : document.at("results")) {
    CAPTURE(result.dump());
    CHECK(result.at("outcome") == "timed");
    CHECK(result.at("data") == "rounding");
    CHECK(result.at("digest").get<std::string>().size() == 16);
    CHECK(result.at("enqueue_s") > 0);
    CHECK(result.at("empty_enqueue_s") > 0);
    CHECK(result.at("regimes").size() == 3);
  }
  const Outcome outcome = run_tool({"compare", a, b});
  CAPTURE(outcome.out);
  CHECK(outcome.status == 0);
  CHECK(outcome.out.find("Bits: 8 of 8 configurations agree, 0 differ") != std::string::npos);

  // An interruption leaves a part, and the next run goes on from there.
  Json part = document;
  part["complete"] = false;
  auto& results = part["results"];
  results.erase(results.begin() + 3, results.end());
  const double mark = 0.123456;
  for (const char* field : {"median_s", "p10_s", "p90_s"}) results[2][field] = mark;
  const fs::path partial = scratch / "b.json.partial";
  write(partial, part);
  const Outcome resumed = run_suite(b);
  CHECK(resumed.status == 0);
  check_one_line(resumed.error, "3 of 8 results are kept");
  const Json again = Json::parse(text_of(b));
  CHECK(again.at("kept_results") == 3);
  CHECK(again.at("results").size() == 8);
  CHECK(again.at("results").at(2).at("median_s") == mark);
  CHECK(again.at("results").at(3).at("median_s") != mark);
  CHECK_FALSE(fs::exists(partial));
  write(partial, part);
  const Outcome anew = run_suite(b, {"--no-resume"});
  CHECK(anew.error.empty());
  CHECK(Json::parse(text_of(b)).at("kept_results") == 0);
}

TEST_CASE("a suite has lines, of which a resumed run knows those along either axis") {
  const bench::Suite& suite = bench::suites().front();
  bench::RunArguments arguments;
  arguments.suite = suite.name;
  const bench::RunOptions whole = bench::understand(arguments);
  CHECK(whole.whole_suite);
  CHECK(whole.arrays);
  REQUIRE(whole.matrices.size() == 2);
  CHECK(whole.matrices.front().axis != whole.matrices.back().axis);
  arguments.sizes = {"1000"};
  CHECK(bench::understand(arguments).matrices.empty());
  arguments.sizes.clear();
  arguments.lines = {"33x70"};
  CHECK_FALSE(bench::understand(arguments).arrays);
  CHECK_FALSE(bench::understand(arguments).whole_suite);
  if (!has_cpu_device()) return;

  const Scratch scratch;
  const fs::path file = scratch / "a.json";
  const std::vector<std::string> command{"run",           "--suite",   "quick",  "--lines",
                                         "33x70",         "--type",    "f32,u8", "--device",
                                         "opencl:cpu",    "--json",    file,     "--seconds=0.002",
                                         "--no-progress", "--samples", "2"};
  REQUIRE(run_tool(command).status == 0);
  const Json document = Json::parse(text_of(file));
  CHECK(document.at("settings").at("lines").size() == 2);
  REQUIRE(document.at("results").size() == 4);  // Of f32: algorithms x axes.
  for (const Json& result : document.at("results")) {
    CHECK(result.at("outcome") == "timed");
    CHECK(result.at("data") == "rounding");
    CHECK(result.contains("digest"));
    CHECK(result.at("regimes").size() == 3);
  }
  Json part = document;
  auto& results = part["results"];
  results.erase(results.begin());
  results.erase(results.begin() + 1, results.end());
  const double mark = 0.123456;
  for (const char* field : {"median_s", "p10_s", "p90_s"}) results[0][field] = mark;
  write(scratch / "a.json.partial", part);
  check_one_line(run_tool(command).error, "1 of 4 results are kept");
  const Json again = Json::parse(text_of(file));
  CHECK(again.at("results").at(0).at("median_s") != mark);
  CHECK(again.at("results").at(1).at("median_s") == mark);
}

TEST_CASE("nothing is taken from an interrupted run that is not the same") {
  const Scratch scratch;
  bench::Report report;
  report.library_version = "1.2.3";
  report.options.suite = &bench::suites().front();
  report.options.budget = {0.1, 9};
  std::vector<bench::Session> no_sessions;
  const bench::PartialRun partial(scratch / "run.json");
  CHECK_FALSE(partial.restore(report, no_sessions).found);
  const auto obstacle = [&](const Json& document) {
    write(partial.path(), document);
    const bench::Restored restored = partial.restore(report, no_sessions);
    CHECK(restored.found);
    CHECK(restored.count == 0);
    return restored.obstacle;
  };
  const Json document = made_up_run();
  CHECK(obstacle(document).empty());
  Json other = document;
  other["settings"]["samples"] = 3;
  CHECK(obstacle(other) == "it is of other settings");
  other = document;
  other["settings"]["offset"] = 1;
  CHECK(obstacle(other) == "it is of other settings");
  other = document;
  other["settings"]["suite"] = "quick";
  CHECK(obstacle(other) == "it is of other settings");
  other = document;
  other["library_version"] = "1.2.4";
  CHECK(obstacle(other) == "it is of another library version");
  other = document;
  other["results"][0].erase("n");
  CHECK(obstacle(other).find("/results/0: has no 'n'") != std::string::npos);
  write(partial.path(), document.dump().substr(0, 500));
  CHECK(partial.restore(report, no_sessions).obstacle.find("cut off in line 1") !=
        std::string::npos);
  write(partial.path(), document);
  fs::last_write_time(partial.path(),
                      fs::file_time_type::clock::now() - std::chrono::hours(24 * 365 * 9));
  CHECK(partial.restore(report, no_sessions).obstacle == "this program is newer");
}

TEST_CASE("a suite decides what it measures") {
  check_refused({"run", "--suite", "slow"}, "standard, quick");
  check_refused({"run", "--suite", "quick", "--op", "plus"}, "decides what --op would");
  check_refused({"run", "--suite", "quick", "--order", "any"}, "decides what --order would");
  check_refused({"run", "--suite", "quick", "--peers"}, "decides what --peers would");
}

TEST_SUITE_END();

}  // namespace
