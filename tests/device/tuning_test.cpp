// Forced tunings: results do not depend on launch shapes, spin limits or epochs.
#include <doctest/doctest.h>

#include <bifold/error.hpp>

#include "core/call/reduce.hpp"
#include "core/tuning/parameters.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/errors.hpp"
#include "support/values/random.hpp"

namespace bifold {

using test::AnyPlan;
using test::Run;
using test::Workload;

namespace {

std::vector<Run> mixed_runs(bool scan) {
  std::vector<Run> runs;
  for (const std::uint64_t n :
       {std::uint64_t{1}, std::uint64_t{63}, std::uint64_t{1000}, std::uint64_t{4097},
        std::uint64_t{70'001}, std::uint64_t{1'000'003}}) {
    runs.push_back({n, n % 17, scan && n % 2 == 0, true});
    runs.push_back({n + 1, n % 5, scan, false});
  }
  return runs;
}

/// Sets a value of the row's default tuning, where the row has it, and checks the results.
void check_forced(Algorithm algorithm, Type type, core::TuningMember member,
                  std::initializer_list<std::uint32_t> values) {
  Queue queue(test::device());
  int rows = 0;
  for (const auto* row : test::families_on_device(algorithm, type, plus)) {
    Workload workload = test::workload_of(*row, type, plus, ScanKind::exclusive);
    const core::Tuning tuning = test::default_tuning_of(workload);
    if (!(tuning.*member)) continue;
    ++rows;
    for (const std::uint32_t value : values) {
      workload.tuning = tuning;
      *workload.tuning.*member = value;
      test::check_runs(queue, workload, mixed_runs(algorithm == Algorithm::scan));
    }
  }
  MESSAGE(rows, " rows have ", std::string(core::parameter_of(member).name));
}

/// Rows whose groups publish words to one another, with that forced.
std::vector<Workload> lookback_workloads(Type type, const Operator& op,
                                         const core::TestHooks& hooks) {
  std::vector<Workload> workloads;
  for (const auto* row : test::families_on_device(Algorithm::scan, type, op)) {
    if (!test::publishes(*row)) continue;
    Workload workload = test::workload_of(*row, type, op);
    workload.hooks = hooks;
    workloads.push_back(workload);
  }
  return workloads;
}

}  // namespace

TEST_SUITE_BEGIN("tuning");

TEST_CASE("few and many groups give the same sums") {
  check_forced(Algorithm::reduce, Type::i32, &core::Tuning::groups_per_unit, {1, 64});
  check_forced(Algorithm::scan, Type::i32, &core::Tuning::groups_per_unit, {1, 64});
}

TEST_CASE("little and much work per item gives the same sums") {
  check_forced(Algorithm::reduce, Type::i64, &core::Tuning::unroll, {1, 2, 16});
  check_forced(Algorithm::scan, Type::u16, &core::Tuning::rows, {1, 7});
}

TEST_CASE("a tuning without the family's values is refused") {
  const auto* row = gallery::find(Algorithm::reduce, "catanzaro");
  REQUIRE(row != nullptr);
  const test::Failure failure = test::failure_of([&] {
    (void)core::make_plan(test::device(), ReduceShape{.variant = row->name}, core::Tuning{});
  });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.what == "the tuning of catanzaro has no GROUP_SIZE");
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("lookback");

TEST_CASE("a spin limit of 0 or 1 takes the fallback, in place too, and is right") {
  Queue queue(test::device());
  const std::pair<Type, std::uint32_t> cases[] = {{Type::u8, 0}, {Type::i32, 1}, {Type::u64, 0}};
  for (const auto& [type, limit] : cases) {
    for (const Workload& workload : lookback_workloads(type, plus, {.spin_limit = limit})) {
      for (int repetition = 0; repetition < 3; ++repetition) {
        test::check_runs(queue, workload, mixed_runs(true));
      }
    }
  }
}

TEST_CASE("epochs wrap without a trace in earlier or later scans") {
  test::Random random(test::seed());
  for (const std::uint32_t limit : {2u, 7u}) {
    for (const Workload& workload : lookback_workloads(Type::i32, plus, {.epoch_limit = limit})) {
      Queue queue(test::device());  // Its scratch is this test's alone.
      std::vector<Run> runs;
      for (int call = 0; call < 60; ++call) {
        const std::uint64_t n = 1 + random.below(call % 7 == 0 ? 200'000 : 30'000);
        runs.push_back({n, n % 9, call % 3 == 0, call % 2 == 0});
      }
      test::check_runs(queue, workload, runs);
    }
  }
}

TEST_CASE("hundreds of scans of varying length reuse one queue's scratch") {
  test::Random random(test::seed() + 1);
  for (const auto* row : test::families_on_device(Algorithm::scan, Type::i32, plus)) {
    if (!test::publishes(*row)) continue;
    Queue queue(test::device());
    std::vector<Run> runs;
    runs.reserve(300);
    for (int call = 0; call < 300; ++call) {
      runs.push_back({random.below(call % 10 == 0 ? 300'000 : 20'000), 0, false, call % 2 == 0});
    }
    test::check_runs(queue, test::workload_of(*row, Type::i32, plus), runs);
  }
}

TEST_CASE("programs of different widths and rows alternate in one queue's scratch") {
  Queue queue(test::device());
  std::vector<std::pair<Workload, AnyPlan>> plans;
  for (const Type type : {Type::u8, Type::i32, Type::u64}) {
    for (const auto* row : test::families_on_device(Algorithm::scan, type, plus)) {
      const Workload workload = test::workload_of(*row, type, plus);
      plans.emplace_back(workload, AnyPlan(workload));
    }
  }
  test::Random random(test::seed() + 2);
  for (int round = 0; round < 20; ++round) {
    for (const auto& [workload, plan] : plans) {
      const Run runs[] = {{1 + random.below(40'000), random.below(9), round % 2 == 0, true}};
      test::check_runs(queue, plan, workload, runs);
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
