// Breadth: kernel files, types, operators, scan kinds and group sizes, every pair of which meets in
// some program, and the production rows on every legal type and operator.
#include <doctest/doctest.h>

#include <bifold/gallery.hpp>
#include <iostream>

#include "support/cases/factors.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"

namespace bifold {

using test::Combination;
using test::Run;
using test::Workload;

namespace {

/// Lengths that meet every branch of a kernel, small enough to be cheap: nothing, one element,
/// around group sizes and tiles, and several tiles.
std::vector<Run> short_runs(const Workload& workload) {
  const bool scan = workload.row->algorithm == Algorithm::scan;
  std::vector<Run> runs;
  const std::uint64_t lengths[] = {1,    2,    3,    31,   33,   64,   255,   257,  1000,
                                   1023, 1024, 1025, 2047, 4095, 4097, 16411, 65537};
  std::uint64_t index = 0;
  for (const std::uint64_t n : lengths) {
    ++index;
    runs.push_back({n, index * 5 % 17, scan && index % 3 == 0, index % 2 == 0});
  }
  return runs;
}

/// Runs the programs that cover every pair: one half of them, so that two processes share the work.
void check_pairwise(Algorithm algorithm, std::size_t half) {
  const test::Factors factors(algorithm);
  const auto legal = [&](const Combination& c) { return factors.legal(c); };
  const auto list = test::pairwise(factors.levels(), legal);
  CHECK(test::uncovered_pairs(factors.levels(), legal, list) == 0);
  REQUIRE(list.size() >= 2);
  std::cout << list.size() << " programs cover every pair\n";
  Queue queue(test::device());
  for (std::size_t i = half; i < list.size(); i += 2) {
    const Workload workload = factors.workload(list[i]);
    test::check_runs(queue, workload, short_runs(workload));
  }
}

void check_production(Algorithm algorithm, ScanKind kind) {
  Queue queue(test::device());
  const auto workloads = test::production_workloads(algorithm, kind);
  // Eight integer types, and f32 without the bitwise operators.
  CHECK(workloads.size() >= 8 * 9 + 6);
  for (const Workload& workload : workloads) {
    // Production serves every legal type and operator: there is no excuse.
    const auto support = supports(workload);
    CHECK_MESSAGE(support.supported, describe(workload), ": ", support.reason);
    if (support) test::check_runs(queue, workload, short_runs(workload));
  }
}

}  // namespace

TEST_SUITE_BEGIN("gallery");

TEST_CASE("every row runs on this device or says why not") {
  int supported = 0;
  for (const auto& row : gallery::variants()) {
    CHECK(gallery::find(row.algorithm, row.name) == &row);
    const auto support = gallery::supports(test::device(), row, Type::i32, plus);
    if (support) {
      ++supported;
      CHECK(support.reason.empty());
      continue;
    }
    CHECK_FALSE(support.reason.empty());
    std::cout << "unsupported here: " << name_of(row.algorithm) << ' ' << row.name << ": "
              << support.reason << '\n';
  }
  // At least the production rows, two papers' reductions and a scan that waits for nobody.
  CHECK(supported >= 5);
}

TEST_CASE("an operator that is not defined on a type is not supported on it") {
  for (const auto& row : gallery::variants()) {
    // Selections have an operator of their own.
    if (row.algorithm == Algorithm::select) continue;
    CHECK_FALSE(gallery::supports(test::device(), row, Type::f32, bit_xor).supported);
  }
}

TEST_CASE("one warp has all warp tiles of a tile, one after the other") {
  Queue queue(test::device());
  for (const auto& row : gallery::variants()) {
    const bool tiled = row.name == "lines_v1_ordered" || row.name == "order_v1";
    if (!tiled || !gallery::supports(test::device(), row, Type::u32, plus)) continue;
    Workload workload = test::workload_of(row, Type::u32, plus, ScanKind::inclusive);
    workload.tuning = test::default_tuning_of(workload);
    workload.tuning->group_size = 32;
    if (row.algorithm == Algorithm::scan) workload.tuning->loads_of_tile = 2;
    test::check_runs(queue, workload, short_runs(workload));
  }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("pairwise_reduce_1");
TEST_CASE("reductions: every pair of kernel file, type, operator and group size, first half") {
  check_pairwise(Algorithm::reduce, 0);
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("pairwise_reduce_2");
TEST_CASE("reductions: every pair of kernel file, type, operator and group size, second half") {
  check_pairwise(Algorithm::reduce, 1);
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("pairwise_scan_1");
TEST_CASE("scans: every pair of kernel file, type, operator, kind and group size, first half") {
  check_pairwise(Algorithm::scan, 0);
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("pairwise_scan_2");
TEST_CASE("scans: every pair of kernel file, type, operator, kind and group size, second half") {
  check_pairwise(Algorithm::scan, 1);
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("production_reduce");
TEST_CASE("the production reduction on every legal type and operator") {
  check_production(Algorithm::reduce, ScanKind::inclusive);
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("production_inclusive");
TEST_CASE("the inclusive production scan on every legal type and operator") {
  check_production(Algorithm::scan, ScanKind::inclusive);
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("production_exclusive");
TEST_CASE("the exclusive production scan on every legal type and operator") {
  check_production(Algorithm::scan, ScanKind::exclusive);
}
TEST_SUITE_END();

}  // namespace bifold
