// bifold-bench accuracy: sums that lose nothing, and a table that comes out the same anywhere.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "data/accuracy_inputs.hpp"
#include "support/bench_tool.hpp"
#include "support/values/random.hpp"

namespace {

using bench::ExactSum;
using bifold::test::check_quiet;
using bifold::test::check_refused;
using bifold::test::run_tool;
using bifold::test::Scratch;
using bifold::test::text_of;

__extension__ using Wide = __int128;

double sum_of(const std::vector<double>& values) { return bench::exact_sum(values).value(); }

}  // namespace

TEST_SUITE_BEGIN("bench accuracy");

TEST_CASE("an exact sum loses nothing") {
  using Limits = std::numeric_limits<double>;
  CHECK(sum_of({}) == 0);
  CHECK(sum_of({1e300, 1, -1e300}) == 1);
  CHECK(sum_of({Limits::max(), Limits::denorm_min(), -Limits::max()}) == Limits::denorm_min());
  CHECK(sum_of({Limits::min(), -Limits::denorm_min()}) == Limits::min() - Limits::denorm_min());
  CHECK(sum_of({-1.5, 0x1p-60}) == -1.5);
  CHECK(sum_of({-0x1p60, 0x1p60, -0x1p-60}) == -0x1p-60);
  CHECK(sum_of(std::vector<double>(1000, Limits::max() / 1024)) ==
        doctest::Approx(1000 * (Limits::max() / 1024)));
}

TEST_CASE("exact sums are those of 128-bit integers") {
  bifold::test::Random random(11);
  for (const int bits : {20, 53}) {
    ExactSum exact;
    Wide integers = 0;
    for (int i = 0; i < 100'000; ++i) {
      const auto mantissa = random.between(-(std::int64_t{1} << bits), std::int64_t{1} << bits);
      const auto shift = static_cast<int>(random.below(50));
      exact.add(std::ldexp(static_cast<double>(mantissa), shift - 30));
      integers += static_cast<Wide>(mantissa) * (Wide{1} << shift);
    }
    const double sum = std::ldexp(static_cast<double>(integers), -30);
    CHECK(std::abs(exact.value() - sum) <= std::abs(sum) * 0x1p-51);
    CHECK(bench::relative_error(exact, sum) <= 0x1p-52);
    CHECK(bench::relative_error(exact, sum * 1.25) == doctest::Approx(0.25));
  }
}

TEST_CASE("errors are shown by their median and worst") {
  CHECK(bench::error_cell({3e-7, 1.5e-9, 0}) == "1.5e-09, 3.0e-07");
  CHECK(bench::error_cell({0, 0, 2}) == "0, 2.0e+00");
}

TEST_CASE("the errors kept are those that come out here") {
  const Scratch scratch;
  const auto file = scratch / "errors.md";
  const auto outcome = run_tool({"accuracy", "--max-size", "2^16", "--markdown", file});
  CHECK(outcome.status == 0);
  const std::string table = text_of(file);
  CHECK_FALSE(outcome.out.empty());
  // Else: bifold-bench accuracy --markdown bench/results/accuracy/bifold.md, then accuracy.py.
  const std::string kept = text_of(BIFOLD_SOURCE_DIR "/bench/results/accuracy/bifold.md");
  std::istringstream lines(table);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    CHECK_MESSAGE(kept.find(line + '\n') != std::string::npos, line);
  }
  CHECK(count == 2 + 2 * 5 * 2);
}

TEST_CASE("a device that is asked for has to give the same bits") {
  if (!bifold::test::has_cpu_device()) return;
  const auto outcome =
      run_tool({"accuracy", "--max-size", "1024", "--device", "opencl:cpu", "--device", "opencl"});
  check_quiet(outcome);
}

TEST_CASE("a bad command line of accuracy gives status 2 and one line") {
  check_refused({"accuracy", "--max-size", "many"}, "--max-size");
  check_refused({"accuracy", "--markdown", "/no/such/folder/file"}, "--markdown");
  check_refused({"accuracy", "--size", "4"}, "--size");
}

TEST_SUITE_END();
