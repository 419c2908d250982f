// `bifold-bench tune`: what is kept and what is not, and the files that it writes.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "commands/tune/interleaved.hpp"
#include "commands/tune/search.hpp"
#include "commands/tune/units.hpp"
#include "core/device/state.hpp"
#include "core/gallery/tuning_file.hpp"
#include "support/bench_tool.hpp"
#include "support/kept_files.hpp"

namespace {

namespace core = bifold::core;
namespace fs = std::filesystem;
using bench::compared_in_turns;
using bench::Place;
using bench::Samples;
using bench::TuningComparison;
using bifold::test::check_quiet;
using bifold::test::check_refused;
using bifold::test::has_cpu_device;
using bifold::test::run_tool;
using bifold::test::Scratch;
using bifold::test::text_of;

/// Built-in values that take 1, twice over, and a candidate that takes `seconds`, in six turns.
Samples against(double seconds) {
  return {std::vector<double>(6, 1.0), std::vector<double>(6, 1.0),
          std::vector<double>(6, seconds)};
}

/// The same where the built-in values differ from themselves by that factor.
Samples noisy(double seconds, double factor) {
  Samples samples = against(seconds);
  for (double& turn : samples[1]) turn *= factor;
  return samples;
}

Place place(std::uint32_t mib, double gain, double spread = 0.01) {
  return {mib, {gain, spread, gain}};
}

bifold::DeviceInfo cpu_info() { return bifold::open_device("opencl:cpu").info(); }

/// The text of a file for the OpenCL CPU that changes one value of the reduction `chunks`.
std::string cpu_tuning(const std::string& stripes) {
  core::Tunings tunings;
  tunings.set({bifold::gallery::find(bifold::Algorithm::reduce, "chunks"),
               {core::ElementClass::Kind::integer, 4},
               {.stripes = static_cast<std::uint32_t>(std::stoul(stripes))}});
  return core::tuning_text(cpu_info(), "", tunings);
}

}  // namespace

TEST_SUITE_BEGIN("bench tune");

TEST_CASE("a gain at all sizes is kept, and its mean is geometric") {
  const TuningComparison compared = compared_in_turns({against(0.5), against(2), against(0.25)});
  CHECK(compared.gain == doctest::Approx(0.587).epsilon(0.01));
  CHECK(compared.worst == doctest::Approx(-0.5));
  CHECK_FALSE(compared.better());
  CHECK(compared_in_turns({against(0.9), against(0.95), against(1.01)}).better());
  CHECK_FALSE(compared_in_turns({against(0.9), against(0.95), against(1.03)}).better());
}

TEST_CASE("a gain within what the built-in values differ from themselves is chance") {
  CHECK_FALSE(compared_in_turns({against(1), against(1), against(1)}).better());
  CHECK_FALSE(compared_in_turns({against(0.999), against(0.999), against(0.999)}).better());
  CHECK(compared_in_turns({against(0.96), against(0.96), against(0.96)}).better());
  const TuningComparison compared =
      compared_in_turns({noisy(0.96, 0.9), noisy(0.96, 0.9), noisy(0.96, 0.9)});
  CHECK(compared.spread == doctest::Approx(0.111).epsilon(0.01));
  CHECK_FALSE(compared.better());
  // A single bad third shows, which a median of all turns would hide.
  Samples drifting = against(0.96);
  drifting[1][0] = drifting[1][3] = 1.2;
  CHECK_FALSE(compared_in_turns({drifting, drifting, drifting}).better());
}

TEST_CASE("the point from which another row takes over moves where that gains in all") {
  const std::vector<Place> places{place(4, -0.5), place(8, -0.1), place(16, 0.2), place(32, 0.3),
                                  place(64, 0.4)};
  CHECK(bench::switch_point_of(places, 16).mib == 16);
  const bench::SwitchPoint earlier = bench::switch_point_of(places, 64);
  CHECK(earlier.mib == 16);
  CHECK(earlier.compared.gain == doctest::Approx(0.249).epsilon(0.01));
  CHECK(earlier.compared.worst == doctest::Approx(0.2));
  CHECK(earlier.compared.better());
  const bench::SwitchPoint later = bench::switch_point_of(places, 4);
  CHECK(later.mib == 16);
  CHECK(later.compared.worst == doctest::Approx(0.111).epsilon(0.01));
  CHECK(later.compared.better());
  // A gap that costs more than most_lost on the way is not passed over.
  const bench::SwitchPoint over =
      bench::switch_point_of({place(4, 0.5), place(8, -0.1), place(16, 0.2)}, 16);
  CHECK(over.mib == 4);
  CHECK_FALSE(over.compared.better());
}

TEST_CASE("a command line that cannot be carried out gives status 2 and one line") {
  check_refused({"tune", "--type", "i31"}, "i31");
  check_refused({"tune", "--size", "1000,2000"}, "three sizes");
  check_refused({"tune", "--seconds", "0"}, "--seconds");
  check_refused({"tune", "--device", "opencl:no such device"}, "--device");
  const Scratch scratch;
  const std::string missing = (scratch / "missing/tuning").string();
  check_refused({"tune", "--output", missing}, missing);
}

TEST_CASE("every type has units on a CPU, and sizes from small to large") {
  if (!has_cpu_device()) return;
  const bifold::Device device = bifold::open_device("opencl:cpu");
  for (const bifold::Type type : bench::default_tune_types()) {
    const std::vector<bench::TuneUnit> units = bench::tune_units(device, type);
    // Of floating numbers, calls that keep to order v1 have rows of their own.
    CHECK(units.size() >= (bifold::is_floating(type) ? 5 : 2));
    for (const bench::TuneUnit& unit : units) {
      CAPTURE(unit.name());
      for (const std::uint64_t most : {std::uint64_t{1} << 40, std::uint64_t{1} << 20}) {
        const auto sizes = bench::tune_sizes(unit, bifold::DeviceKind::cpu, most);
        CHECK(sizes.size() >= 3);
        CHECK(std::is_sorted(sizes.begin(), sizes.end()));
        CHECK(sizes.front() >= 1);
        CHECK(sizes.back() * bifold::size_of(type) <= most);
      }
    }
  }
}

TEST_CASE("rows for lines are tuned, on rows and columns of several lengths") {
  if (!has_cpu_device()) return;
  const bifold::Device device = bifold::open_device("opencl:cpu");
  const std::vector<bench::TuneUnit> units = bench::tune_units(device, bifold::Type::f32);
  std::vector<bifold::Algorithm> found;
  bench::TuneBench bench(device, bifold::Type::f32, std::uint64_t{1} << 18);
  for (const bench::TuneUnit& unit : units) {
    const std::vector<std::uint64_t> sizes{5000, 20000, 60000};
    const std::vector<bench::TuneInput> inputs = bench::tune_inputs(unit, sizes);
    CAPTURE(unit.name());
    if (!unit.takes_lines()) {
      CHECK(inputs.size() == 3);
      CHECK_FALSE(inputs.front().lines.has_value());
      continue;
    }
    found.push_back(unit.row->algorithm);
    REQUIRE(inputs.size() == 6);
    std::set<std::uint64_t> lengths;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      // NOLINTNEXTLINE(bugprone-unchecked-optional-access): it throws where there are none.
      const bifold::Lines& lines = inputs[i].lines.value();
      lengths.insert(lines.length);
      CHECK(lines.count() * lines.length == inputs[i].n);
      CHECK(inputs[i].n <= sizes[i / 2]);
      CHECK(inputs[i].results(bifold::Algorithm::reduce) == lines.count());
    }
    CHECK(lengths.size() > 3);
    if (found.size() > 1) continue;  // Candidates take a CPU's compiler seconds.
    const bench::TuneLine line =
        bench.tune(unit, sizes, bench::TuneBench::Clock::now() + std::chrono::milliseconds(100),
                   [] { return false; });
    CHECK(line.problem.empty());
    CHECK(line.tried > 0);
  }
  for (const auto algorithm : {bifold::Algorithm::reduce, bifold::Algorithm::scan}) {
    CHECK(std::count(found.begin(), found.end(), algorithm) > 0);
  }
}

TEST_CASE("what is tuned is written, installed and read, in the time that was given") {
  if (!has_cpu_device()) return;
  const Scratch scratch;
  const std::vector<std::string> place{"BIFOLD_CACHE_DIR=" + (scratch / "cache").string()};
  const auto outcome =
      run_tool({"tune", "--device", "opencl:cpu", "--type", "i32", "--size", "1000,30000,300000",
                "--seconds", "2", "--output", scratch / "tuning", "--install", "--no-progress"},
               place);
  check_quiet(outcome);
  for (const char* words : {"reduce", "scan", "chunks", "integer 4", "spread"}) {
    CAPTURE(words);
    CHECK(outcome.out.find(words) != std::string::npos);
  }
  const bifold::DeviceInfo info = cpu_info();
  const std::string text = text_of(scratch / "tuning");
  CHECK(core::read_tuning(text, info, "").problem.empty());
  const fs::path installed = core::tuning_file(bifold::test::cache_in(scratch / "cache"), info);
  CHECK(text_of(installed) == text);
  // What is known of other elements is kept.
  bifold::test::write_file(installed, cpu_tuning("64"));
  const auto again = run_tool({"tune", "--device", "opencl:cpu", "--type", "f64", "--size",
                               "1000,30000,300000", "--seconds", "0.1", "--install"},
                              place);
  CHECK(again.status == 0);
  CHECK(text_of(installed).find("reduce chunks integer 4 STRIPES=64\n") != std::string::npos);
}

TEST_CASE("a file whose values the compiler refuses does not keep a call from being made") {
  if (!has_cpu_device() || std::string(BIFOLD_OPENCL_LAYER).empty()) return;
  const Scratch scratch;
  bifold::test::make_private(scratch / "cache");
  bifold::test::write_file(core::tuning_file(bifold::test::cache_in(scratch / "cache"), cpu_info()),
                           cpu_tuning("64"));
  const auto run = [&](const std::string& change) {
    return run_tool({"run", "--device", "opencl:cpu", "--algorithm", "reduce", "--variant",
                     "chunks", "--type", "i32", "--size", "1000", "--seconds", "0.01"},
                    {"BIFOLD_CACHE_DIR=" + (scratch / "cache").string(),
                     "OPENCL_LAYERS=" BIFOLD_OPENCL_LAYER, "BIFOLD_LAYER_MISCOMPILE=" + change});
  };
  CHECK(run("#define STRIPES 64\n=>#error\n").status == 0);
  // That text was indeed compiled: what it computes is wrong if it is made so.
  CHECK(run("#define STRIPES 64\n=>#define STRIPES 63\n").status == 1);
}

TEST_SUITE_END();
