// One array over several devices: `run --devices`, and what `compare` makes of its documents.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "data/digest.hpp"
#include "data/host_data.hpp"
#include "data/types.hpp"
#include "support/bench_tool.hpp"

namespace {

using bifold::test::check_quiet;
using bifold::test::check_refused;
using bifold::test::contains;
using bifold::test::has_cpu_device;
using bifold::test::run_tool;
using bifold::test::Scratch;
using bifold::test::text_of;
using Json = nlohmann::json;

constexpr const char* cheap[] = {"--seconds", "0.001", "--samples", "1"};

std::vector<std::string> over_two(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"run", "--devices", "opencl:cpu,opencl:cpu"});
  arguments.insert(arguments.end(), std::begin(cheap), std::end(cheap));
  return arguments;
}

Json run_over_two(const Scratch& folder, std::vector<std::string> arguments) {
  const std::string file = folder / "run.json";
  arguments.insert(arguments.end(), {"--json", file});
  check_quiet(run_tool(over_two(std::move(arguments))));
  return Json::parse(text_of(file));
}

}  // namespace

TEST_SUITE_BEGIN("bench groups");

TEST_CASE("the digests of an array's parts are the array's together") {
  for (const bifold::Type type : bench::known_types()) {
    const bench::HostData data(type, bifold::plus, 1000);
    const std::uint64_t size = bifold::size_of(type);
    bench::Digest whole;
    whole.add(data.inclusive(), 1000, type);
    bench::Digest front;
    front.add(data.inclusive(), 301, type);
    bench::Digest back(301, type);
    back.add(data.inclusive() + 301 * size, 699, type);
    CAPTURE(bifold::name_of(type));
    CHECK(front.value() + back.value() == whole.value());
  }
}

TEST_CASE("elements from some number on are those of the whole data") {
  for (const auto kind : {bench::DataKind::exact, bench::DataKind::rounding}) {
    for (const bifold::Operator& op : bifold::builtin_operators()) {
      for (const bifold::Type type : bench::known_types()) {
        if (!bench::can_combine(type, op)) continue;
        const bench::HostData data(type, op, 1000, kind);
        const std::uint64_t size = bifold::size_of(type);
        std::vector<std::byte> part(321 * size);
        bench::fill_elements(type, op, kind, 500, part);
        const std::span<const std::byte> want(data.input() + 500 * size, part.size());
        CAPTURE(bifold::name_of(type));
        CAPTURE(op.name());
        CHECK(std::equal(part.begin(), part.end(), want.begin()));
      }
    }
  }
}

TEST_CASE("strong scaling shares the elements, weak scaling gives each rank as many") {
  if (!has_cpu_device()) return;
  const Scratch folder;
  const Json strong = run_over_two(folder, {"--size", "9001", "--type", "f32,triple"});
  CHECK(strong["settings"]["scaling"] == "strong");
  CHECK(strong["results"].empty());
  REQUIRE(strong["groups"].size() == 8);
  for (const Json& group : strong["groups"]) {
    CAPTURE(group.dump());
    CHECK(group["outcome"] == "timed");
    CHECK(group["n"] == 9001);
    CHECK(group["digest"] == group["one_device_digest"]);
    CHECK(group["transport"] == "in_process");
    CHECK((group["sent_bytes"] > 0) == (group["ranks"].size() > 1));
  }
  CHECK(strong["groups"][1]["ranks"][0]["elements"] == 4500);
  CHECK(strong["groups"][1]["ranks"][1]["elements"] == 4501);
  const Json weak = run_over_two(folder, {"--size", "5000", "--type", "i32", "--scaling", "weak",
                                          "--kind", "exclusive", "--algorithm", "scan"});
  REQUIRE(weak["groups"].size() == 2);
  CHECK(weak["groups"][0]["n"] == 5000);
  CHECK(weak["groups"][1]["n"] == 10000);
  CHECK(weak["groups"][1]["ranks"][1]["elements"] == 5000);
  CHECK(weak["groups"][1]["kind"] == "exclusive");
}

TEST_CASE("what a group cannot be asked for has a reason") {
  if (!has_cpu_device()) return;
  const Scratch folder;
  const Json bits = run_over_two(folder, {"--size", "100", "--type", "f32", "--op", "bit_and"});
  REQUIRE(bits["groups"].size() == 4);
  CHECK(bits["groups"][0]["outcome"] == "skipped");
  CHECK(bits["groups"][0]["reason"] == "bit_and is not defined on f32");
  check_refused({"run", "--ranks"}, "--devices has to name");
  check_refused({"run", "--scaling", "weak"}, "--scaling: is about --devices");
  check_refused({"run", "--devices", "opencl:cpu", "--scaling", "wea"}, "did you mean \"weak\"?");
  check_refused({"run", "--devices", "opencl:cpu", "--variant", "production"}, "--variant");
  check_refused({"run", "--devices", "opencl:cpu", "--peers"}, "--peers");
  check_refused({"run", "--devices", "opencl:cpu,nosuch:3"}, "--devices: ");
}

TEST_CASE("a comparison shows groups, and whether their bits are one device's") {
  if (!has_cpu_device()) return;
  const Scratch folder;
  Json run = run_over_two(folder, {"--size", "1000,9001", "--type", "f32"});
  const std::string file = folder / "run.json";
  const auto alone = run_tool({"compare", file, "--full"});
  check_quiet(alone);
  CHECK(contains(alone.out, "Over several devices: 8 of 8 calls have the bits of one."));
  CHECK(contains(alone.out, "inclusive scan f32"));
  const auto twice = run_tool({"compare", file, file});
  check_quiet(twice);
  CHECK(contains(twice.out, "16 of 16 calls"));
  run["groups"][3]["digest"] = "0123456789abcdef";
  std::ofstream(file) << run.dump();
  const auto differs = run_tool({"compare", file});
  check_quiet(differs, 1);
  CHECK(contains(differs.out, "7 of 8 calls"));
  CHECK(contains(differs.out, "DIFFER"));
}

TEST_SUITE_END();
