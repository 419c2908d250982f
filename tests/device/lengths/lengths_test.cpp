// Depth: every length from 0 to 4200, tile edges, primes, and one length beyond 2^24, on every row.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/gallery.hpp>

#include "support/cases/group_sizes.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"

namespace bifold {

using test::Flavor;
using test::Run;
using test::Workload;

namespace {

std::vector<Run> every_length(bool scan) {
  std::vector<Run> runs;
  for (std::uint64_t n = 0; n <= 4200; ++n) {
    runs.push_back({n, n % 17, scan && n % 3 == 1, n % 2 == 1});
  }
  return runs;
}

std::size_t turn_of(Type type) {
  return static_cast<std::size_t>(std::find(all_types.begin(), all_types.end(), type) -
                                  all_types.begin());
}

/// Runs `body` for each row of `algorithm` that the device supports on i32, the type on which every
/// row is tested, and for one row of each kernel file on other types: a program takes a CPU's
/// compiler longer than its runs.
template <class Body>
void for_rows(Algorithm algorithm, Type type, const Operator& op, Body body) {
  if (!test::device().supports(type)) return;
  const auto rows = type == Type::i32 ? test::rows_on_device(algorithm, type, op)
                                      : test::files_on_device(algorithm, type, op, turn_of(type));
  CHECK_FALSE(rows.empty());
  for (const auto* row : rows) body(*row);
}

/// One operator per row and value size, such that a misplaced element shows: sums and products
/// wrap, nothing saturates.
void check_every_length(Algorithm algorithm, std::initializer_list<Type> types) {
  Queue queue(test::device());
  for (const Type type : types) {
    for_rows(algorithm, type, plus, [&](const gallery::Variant& row) {
      const auto kind = row.name.size() % 2 == 0 ? ScanKind::inclusive : ScanKind::exclusive;
      const Workload workload = test::workload_of(row, type, plus, kind);
      test::check_runs(queue, workload, every_length(algorithm == Algorithm::scan));
    });
  }
}

/// Lengths around multiples of the row's own tile and of powers of two, and primes.
std::vector<Run> edges(const Workload& workload) {
  const std::uint64_t tile = test::tile_of(workload);
  std::vector<std::uint64_t> lengths{4999, 65537, 104729, 1299709};
  for (const std::uint64_t center :
       {tile, 2 * tile, 3 * tile, 32 * tile, 33 * tile, std::uint64_t{1} << 12,
        std::uint64_t{1} << 13, std::uint64_t{1} << 16, std::uint64_t{1} << 18,
        std::uint64_t{1} << 20}) {
    if (center > std::uint64_t{1} << 22) continue;
    for (const std::uint64_t n : {center - 1, center, center + 1}) lengths.push_back(n);
  }
  std::vector<Run> runs;
  for (const std::uint64_t n : lengths) {
    const bool scan = workload.row->algorithm == Algorithm::scan;
    runs.push_back({n, n % 13, scan && n % 2 == 0, n % 3 == 0});
  }
  return runs;
}

void check_edges(Algorithm algorithm) {
  Queue queue(test::device());
  for_rows(algorithm, Type::i32, plus, [&](const gallery::Variant& row) {
    const Workload workload = test::workload_of(row, Type::i32, plus, ScanKind::exclusive);
    test::check_runs(queue, workload, edges(workload));
  });
  // Real numbers against an error bound, on a type whose tiles have another size.
  const Type real = test::device().supports(Type::f64) ? Type::f64 : Type::f32;
  for_rows(algorithm, real, plus, [&](const gallery::Variant& row) {
    Workload workload = test::workload_of(row, real, plus);
    workload.flavor = Flavor::real;
    test::check_runs(queue, workload, edges(workload));
  });
}

void check_beyond_2_24(Algorithm algorithm) {
  Queue queue(test::device());
  const std::uint64_t n = (std::uint64_t{1} << 24) + 1;
  const Run runs[] = {{n, 0, false, true}, {n, 3, algorithm == Algorithm::scan, false}};
  for_rows(algorithm, Type::f32, plus, [&](const gallery::Variant& row) {
    test::check_runs(queue, test::workload_of(row, Type::f32, plus), runs);
  });
}

}  // namespace

TEST_SUITE_BEGIN("lengths_reduce_narrow");
TEST_CASE("reductions of every length, elements of 1 and 2 bytes") {
  check_every_length(Algorithm::reduce, {Type::u8, Type::i16});
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("lengths_reduce_wide");
TEST_CASE("reductions of every length, elements of 4 and 8 bytes") {
  check_every_length(Algorithm::reduce, {Type::i32, Type::u64});
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("lengths_scan_narrow");
TEST_CASE("scans of every length, elements of 1 and 2 bytes") {
  check_every_length(Algorithm::scan, {Type::i8, Type::u16});
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("lengths_scan_wide");
TEST_CASE("scans of every length, elements of 4 and 8 bytes") {
  check_every_length(Algorithm::scan, {Type::f32, Type::i64});
}
TEST_SUITE_END();

TEST_SUITE_BEGIN("edges_reduce");
TEST_CASE("reductions around tile edges and of prime lengths") { check_edges(Algorithm::reduce); }
TEST_CASE("reductions beyond 2^24") { check_beyond_2_24(Algorithm::reduce); }
TEST_SUITE_END();

TEST_SUITE_BEGIN("edges_scan");
TEST_CASE("scans around tile edges and of prime lengths") { check_edges(Algorithm::scan); }
TEST_CASE("scans beyond 2^24") { check_beyond_2_24(Algorithm::scan); }
TEST_SUITE_END();

}  // namespace bifold
