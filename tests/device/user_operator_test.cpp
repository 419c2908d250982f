// User operators: non-commutative ones are combined in index order, by every row that takes them.
#include <doctest/doctest.h>

#include <bifold/gallery.hpp>
#include <iostream>

#include "support/cases/group_sizes.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

using test::failure_of;
using test::Run;
using test::Workload;

namespace {

// Affine maps x -> m x + c, composed in index order: associative, far from commutative, and no
// operand can be dropped, doubled or moved without a trace.
constexpr const char* affine16 =
    "((((a >> 16) * (b >> 16)) & 0xffffu) << 16) | (((b >> 16) * (a & 0xffffu) + b) & 0xffffu)";
constexpr const char* affine32 =
    "(((a >> 32) * (b >> 32)) << 32) | (((b >> 32) * (a & 0xffffffffu) + b) & 0xffffffffu)";

std::uint64_t compose16(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t factor = ((a >> 16) * (b >> 16)) & 0xffffu;
  const std::uint64_t constant = ((b >> 16) * (a & 0xffffu) + (b & 0xffffu)) & 0xffffu;
  return factor << 16 | constant;
}

std::uint64_t compose32(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t constant = ((b >> 32) * (a & 0xffffffffu) + (b & 0xffffffffu)) & 0xffffffffu;
  return ((a >> 32) * (b >> 32)) << 32 | constant;
}

// (1 + a)(1 + b) - 1: associative and commutative.
std::uint64_t twist(std::uint64_t a, std::uint64_t b) { return a + b + a * b; }

Workload affine_workload(const gallery::Variant& row, Type type, ScanKind kind) {
  Workload workload;
  if (type == Type::u32) {
    workload = test::workload_of(
        row, type, Operator::user("affine16", affine16, Value(std::uint32_t{1} << 16)), kind);
    workload.combine = &compose16;
  } else {
    workload = test::workload_of(
        row, type, Operator::user("affine32", affine32, Value(std::uint64_t{1} << 32)), kind);
    workload.combine = &compose32;
  }
  return workload;
}

std::vector<Run> runs_of(const Workload& workload) {
  const bool scan = workload.row->algorithm == Algorithm::scan;
  std::vector<Run> runs;
  for (std::uint64_t n = 1; n < 400'000; n = n * 5 / 3 + 1) {
    runs.push_back({n, n % 17, scan && n % 3 == 0, n % 2 == 0});
  }
  for (std::uint64_t n = 1000; n < 1200; n += 7) {
    runs.push_back({n, n % 17, scan && n % 3 == 0, n % 2 == 0});
  }
  return runs;
}

}  // namespace

TEST_SUITE_BEGIN("user_operator");

TEST_CASE("scans compose affine maps in index order, on every row") {
  Queue queue(test::device());
  for (const auto& row : gallery::variants()) {
    if (row.algorithm != Algorithm::scan) continue;
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      const Type type = kind == ScanKind::inclusive ? Type::u32 : Type::u64;
      Workload workload = affine_workload(row, type, kind);
      // A scan never reorders: only the device's limits may exclude a row, and that it is written
      // for built-in operators.
      const bool runs_sums =
          !row.requirements.vectors && gallery::supports(test::device(), row, type, plus).supported;
      const auto support = supports(workload);
      CHECK_MESSAGE(support.supported == runs_sums, describe(workload), ": ", support.reason);
      if (!support) continue;
      test::check_runs(queue, workload, runs_of(workload));
      if (kind == ScanKind::inclusive) continue;
      // Another number of lanes combines in the same order.
      workload.tuning = tuning_with_group(workload, 32);
      if (workload.tuning) test::check_runs(queue, workload, runs_of(workload));
    }
  }
}

TEST_CASE("reductions keep index order, or refuse in words") {
  Queue queue(test::device());
  int in_order = 0;
  for (const auto& row : gallery::variants()) {
    if (row.algorithm != Algorithm::reduce) continue;
    if (!gallery::supports(test::device(), row, Type::u32, plus)) continue;
    const Workload workload = affine_workload(row, Type::u32, ScanKind::inclusive);
    const auto support = supports(workload);
    if (row.requirements.commutative) CHECK_FALSE(support.supported);
    if (support) {
      ++in_order;
      test::check_runs(queue, workload, runs_of(workload));
      continue;
    }
    CHECK(support.reason.find("commutative") != std::string::npos);
    const auto failure = failure_of([&] {
      (void)ReducePlan(test::device(), {Type::u32, Type::u32, workload.op, row.name});
    });
    CHECK_MESSAGE(failure.category == ErrorCategory::unsupported, row.name, ": ", failure.what);
    CHECK(failure.mentions("commutative"));
  }
  std::cout << in_order << " reduction rows keep index order\n";
}

TEST_CASE("the default reduction takes a non-commutative operator where any row does") {
  bool possible = false;
  Workload workload = affine_workload(*gallery::find(Algorithm::reduce, "production"), Type::u32,
                                      ScanKind::inclusive);
  for (const auto& row : gallery::variants()) {
    if (row.algorithm != Algorithm::reduce) continue;
    Workload candidate = workload;
    candidate.row = &row;
    possible = possible || supports(candidate).supported;
  }
  const auto support = supports(workload);
  CHECK(support.supported == possible);
  if (!support) return;
  Queue queue(test::device());
  test::check_runs(queue, workload, runs_of(workload));
}

TEST_CASE("an operator declared commutative runs on every reduction kernel") {
  Queue queue(test::device());
  const Operator op =
      Operator::user("twist", "a + b + a * b", Value(std::int32_t{0}), Commutativity::commutative);
  auto rows = test::families_on_device(Algorithm::reduce, Type::i32, plus);
  rows.push_back(gallery::find(Algorithm::scan, "production"));
  for (const auto* row : rows) {
    Workload workload = test::workload_of(*row, Type::i32, op);
    workload.combine = &twist;
    CHECK_MESSAGE(supports(workload).supported, describe(workload));
    test::check_runs(queue, workload, runs_of(workload));
  }
}

TEST_CASE("two operators of one name and different texts do not share a kernel") {
  Queue queue(test::device());
  const auto make = [](const char* text) {
    return Operator::user("same", text, Value(std::int32_t{0}), Commutativity::commutative);
  };
  const std::vector<std::int32_t> host{1, 2, 4};
  auto input = queue.upload(std::span<const std::int32_t>(host));
  CHECK(reduce(queue, input, make("a + b"), 0) == 7);
  CHECK(reduce(queue, input, make("a ^ b ^ 0"), 0) == 7);
  CHECK(reduce(queue, input, make("a + b + a * b"), 0) == 29);
  CHECK(reduce(queue, input, make("a + b"), 0) == 7);
}

TEST_CASE("a user operator meets only the type of its identity") {
  Queue queue(test::device());
  const Operator op = Operator::user("sum", "a + b", Value(std::int32_t{0}));
  auto input = queue.allocate<float>(8);
  auto output = queue.allocate<float>(8);
  const auto failure = failure_of([&] { inclusive_scan(queue, input, output, op); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("sum"));
  CHECK(failure.mentions("f32"));
}

TEST_SUITE_END();

}  // namespace bifold
