// CUDA without a GPU: over a stand-in driver that reports an architecture, every generated kernel
// goes through the real NVRTC. Nothing is executed.
#include <doctest/doctest.h>

#include <array>
#include <bifold/error.hpp>
#include <bifold/gallery.hpp>
#include <bifold/struct.hpp>
#include <iostream>

#include "core/device/state.hpp"
#include "core/group/fold.hpp"
#include "core/probe/bandwidth.hpp"
#include "core/probe/comparison.hpp"
#include "core/shape/layout.hpp"
#include "core/shape/plan_shape.hpp"
#include "core/text/text_functions.hpp"
#include "listed_device.hpp"
#include "support/cases/factors.hpp"
#include "support/cases/hard_names.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/values/packed.hpp"

struct Extent {
  std::int32_t low;
  double high;
};
BIFOLD_STRUCT(Extent, low, high);

// As long, without padding.
struct Whole {
  std::int64_t low;
  double high;
};
BIFOLD_STRUCT(Whole, low, high);

struct Wide {
  double a, b, c, d;
};
BIFOLD_STRUCT(Wide, a, b, c, d);

namespace bifold {

using test::Workload;

namespace {

constexpr std::array<std::string_view, 5> architectures{"sm_75", "sm_80", "sm_90", "sm_100",
                                                        "sm_120"};

/// The share of the pairwise programs that this architecture takes: each goes to one in turn.
std::size_t own_turn() {
  const std::string& own = test::device().capabilities().architecture;
  for (std::size_t i = 0; i < architectures.size(); ++i) {
    if (own == architectures[i]) return i;
  }
  FAIL("no turn for ", own);
  return 0;
}

/// Compiles; the compiler's log is the failure's message.
bool compiles(const Workload& workload) {
  try {
    (void)test::AnyPlan(workload);
    return true;
  } catch (const Error& error) {
    FAIL_CHECK(describe(workload), " on ", test::device().capabilities().architecture, ": ",
               std::string(error.what()), "\n", error.log());
    return false;
  }
}

void compile_in_turn(Algorithm algorithm) {
  const auto workloads = test::Factors(algorithm).pairwise_workloads();
  REQUIRE(workloads.size() >= architectures.size());
  std::size_t compiled = 0;
  for (std::size_t i = own_turn(); i < workloads.size(); i += architectures.size()) {
    compiled += compiles(workloads[i]);
  }
  std::cout << compiled << " of " << workloads.size() << " pairwise programs on "
            << test::device().capabilities().architecture << '\n';
}

void compile_production(Algorithm algorithm, ScanKind kind) {
  const auto workloads = test::production_workloads(algorithm, kind);
  CHECK(workloads.size() == 8 * 9 + 2 * 6);
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    // Every other one, of a scan by turns in either kind, which differ in one define; a neighbour
    // takes what this architecture leaves out.
    const std::size_t turn = (i + own_turn()) % 4;
    const bool own =
        algorithm == Algorithm::reduce ? turn % 2 == 0 : turn == 2 * static_cast<std::size_t>(kind);
    if (!own) continue;
    compiles(workloads[i]);
  }
}

}  // namespace

namespace {

/// Texts that are listed are left out from the first test on.
struct ListTexts : doctest::IReporter {
  explicit ListTexts(const doctest::ContextOptions& /*options*/) {}
  void report_query(const doctest::QueryData& /*data*/) override {}
  void test_run_start() override { test::list_texts(); }
  void test_run_end(const doctest::TestRunStats& /*stats*/) override {}
  void test_case_start(const doctest::TestCaseData& /*data*/) override {}
  void test_case_reenter(const doctest::TestCaseData& /*data*/) override {}
  void test_case_end(const doctest::CurrentTestCaseStats& /*stats*/) override {}
  void test_case_exception(const doctest::TestCaseException& /*exception*/) override {}
  void subcase_start(const doctest::SubcaseSignature& /*signature*/) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData& /*data*/) override {}
  void log_message(const doctest::MessageData& /*data*/) override {}
  void test_case_skipped(const doctest::TestCaseData& /*data*/) override {}
};

DOCTEST_REGISTER_LISTENER("list_texts", 1, ListTexts);

}  // namespace

TEST_SUITE_BEGIN("nvrtc");

TEST_CASE("the list of texts that were compiled is of this compiler, where all are compiled") {
  if (test::wanted_digests() != test::Digests::all) return;
  CHECK_MESSAGE(test::listed_texts().of_this_compiler(), "./run digests compiles and lists them");
}

TEST_CASE("the production reduction compiles on every other legal type and operator") {
  compile_production(Algorithm::reduce, ScanKind::inclusive);
}

TEST_CASE("the production scan compiles on every other legal type and operator") {
  compile_production(Algorithm::scan, ScanKind::inclusive);
  compile_production(Algorithm::scan, ScanKind::exclusive);
}

TEST_CASE("this architecture's share of the pairwise reductions compiles") {
  compile_in_turn(Algorithm::reduce);
}

TEST_CASE("this architecture's share of the pairwise scans compiles") {
  compile_in_turn(Algorithm::scan);
}

TEST_CASE("this architecture's share of the rows compiles with a user operator of 8 bytes") {
  const Operator op = Operator::user(
      "affine32",
      "(((a >> 32) * (b >> 32)) << 32) | (((b >> 32) * (a & 0xffffffffu) + b) & 0xffffffffu)",
      Value(std::uint64_t{1} << 32));
  int rows = 0;
  std::size_t turn = 0;
  for (const auto& row : gallery::variants()) {
    const Workload workload = test::workload_of(row, Type::u64, op);
    if (supports(workload) && turn++ % architectures.size() == own_turn()) {
      rows += compiles(workload);
    }
  }
  CHECK(rows >= 3);
}

TEST_CASE("this architecture's share of the rows compiles, each on another type") {
  std::size_t turn = 0;
  for (const auto& row : gallery::variants()) {
    const Workload workload = test::workload_of(row, all_types[turn % all_types.size()], plus);
    if (supports(workload) && turn++ % architectures.size() == own_turn()) compiles(workload);
  }
  CHECK(turn >= architectures.size());
}

TEST_CASE("this architecture's share of the rows compiles on storage types, each way") {
  std::size_t turn = 0;
  std::size_t compiled = 0;
  for (const auto& row : gallery::variants()) {
    for (const Type type : storage_types) {
      Workload workload = test::workload_of(row, type, plus);
      if (!supports(workload) || turn++ % architectures.size() != own_turn()) continue;
      compiled += compiles(workload);
      workload.accumulator = Type::f64;
      if (supports(workload)) compiled += compiles(workload);
    }
    if (row.algorithm != Algorithm::reduce || row.requirements.backend == "opencl") continue;
    if (row.segments) continue;  // They have a test of their own.
    if (turn % architectures.size() != own_turn()) continue;
    CHECK_NOTHROW((void)ReducePlan(
        test::device(),
        {Type::f16, Type::f32, plus, row.name, "x * x", {}, Order::v1, {}, Type::bf16}));
  }
  CHECK(compiled > 0);
}

TEST_CASE("this architecture's share of the rows compiles on a struct, reductions with a map") {
  const Type pair = type_of<Extent>();
  const Operator op = Operator::fieldwise(pair, {minimum, maximum});
  std::size_t turn = 0;
  std::size_t compiled = 0;
  for (const auto& row : gallery::variants()) {
    const Workload workload = test::workload_of(row, pair, op);
    if (!supports(workload) || turn++ % architectures.size() != own_turn()) continue;
    compiled += compiles(workload);
    if (row.algorithm != Algorithm::reduce) continue;
    try {
      (void)ReducePlan(test::device(), {Type::i16, pair, op, row.name, "make_Extent(x, x)"});
    } catch (const Error& error) {
      FAIL_CHECK(row.name, " with a map: ", std::string(error.what()), "\n", error.log());
    }
  }
  CHECK(compiled > 0);
}

TEST_CASE("a ring has room for what its roles tell each other, or is refused") {
  ScanShape shape{.input = type_of<Extent>(), .output = type_of<Wide>()};
  shape.accumulator = type_of<Wide>();
  shape.op = Operator::fieldwise(type_of<Wide>(), {plus, plus, plus, plus});
  shape.map = Map("make_Wide(x.low, x.high, x.low, x.high)");
  // Longest ring, widest accumulators.
  CHECK(ScanPlan(test::device(), shape).variant(std::uint64_t{1} << 24).name != "order_v1_ring");
  shape.variant = "order_v1_ring";
  const bool has_ring = test::device().capabilities().ring_bytes >= 204'800;
  CHECK_THROWS_WITH_AS(ScanPlan(test::device(), shape),
                       doctest::Contains(has_ring ? "16 bytes" : "200 KiB"), Error);
}

TEST_CASE("a ring stores no results at once that have padding") {
  const auto shape_of = [](Type type) {
    const Operator op = Operator::fieldwise(type, {minimum, maximum});
    return core::PlanShape{type, type, type, ScanKind::inclusive, op};
  };
  CHECK(core::layout_of(shape_of(type_of<Whole>()), {}).spans);
  CHECK_FALSE(core::layout_of(shape_of(type_of<Extent>()), {}).spans);
}

TEST_CASE("every row that takes values from device memory compiles with all of them") {
  std::size_t rows = 0;
  std::size_t turn = own_turn();
  for (const auto& row : gallery::variants()) {
    if (!row.device_values) continue;
    ++turn;
    // The next type in turn of which the row takes such values.
    for (std::size_t i = 0; i < all_types.size(); ++i) {
      Workload workload = test::workload_of(row, all_types[(turn + i) % all_types.size()], plus);
      workload.on_device.count = turn % 2 == 0 ? Type::u32 : Type::u64;
      workload.on_device.init = true;
      workload.on_device.total = row.algorithm == Algorithm::scan;
      if (!supports(workload)) continue;
      rows += compiles(workload);
      break;
    }
  }
  CHECK(rows >= 20);
}

TEST_CASE("production takes each value alone from device memory, structs and truths as well") {
  const Type pair = type_of<Extent>();
  const std::pair<Type, Operator> cases[] = {{Type::f32, logical_or},
                                             {pair, Operator::fieldwise(pair, {minimum, maximum})}};
  for (const auto& [type, op] : cases) {
    for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
      Workload workload = test::workload_of(*gallery::find(algorithm, "production"), type, op);
      for (const DeviceValues& values :
           {DeviceValues{Type::u64}, DeviceValues{{}, true}, DeviceValues{{}, false, true}}) {
        if (values.total && algorithm == Algorithm::reduce) continue;
        workload.on_device = values;
        compiles(workload);
      }
    }
  }
}

TEST_CASE("a struct that the kernel compiler lays out otherwise is a build failure") {
  try {
    test::build_packed(test::device());
    FAIL_CHECK("it was built");
  } catch (const Error& error) {
    CHECK(error.category() == ErrorCategory::build_failure);
    CHECK(error.log().find("userlayout_Packed") != std::string::npos);
  }
}

TEST_CASE("names that mean something to compilers or kernels are those of structs and fields") {
  if (own_turn() != 2) return;  // One architecture tells of the language.
  CHECK_NOTHROW(
      (void)test::device().state()->backend->build(test::source_with_hard_names(test::device())));
}

TEST_CASE("every function of texts compiles, of every type that it takes") {
  if (own_turn() != 2) return;
  for (const Type type : {Type::i32, Type::u32, Type::i64, Type::u64, Type::f32, Type::f64}) {
    std::string sum = "x";
    for (const core::TextFunction& function : core::text_functions()) {
      if ((is_floating(type) ? function.floating_name : function.integer_name).empty()) continue;
      sum += " + " + std::string(function.word) + "(";
      const char* argument = function.only == Type::u32   ? "1u"
                             : function.only == Type::u64 ? "(u64)1"
                                                          : "x";
      for (int i = 0; i < function.arguments; ++i)
        sum += (i > 0 ? ", " : "") + std::string(argument);
      sum += ")";
    }
    ReduceShape shape{.input = type, .accumulator = type};
    shape.map = Map(sum);
    shape.variant = "catanzaro";  // Which has them once.
    CHECK_NOTHROW((void)ReducePlan(test::device(), shape));
  }
}

TEST_CASE("the kernels outside the gallery compile") {
  Queue queue(test::device());
  CHECK_NOTHROW((void)core::BandwidthProbe(test::device()));
  for (const Type type : {Type::u8, Type::i16, Type::f32, Type::f64}) {
    CHECK_NOTHROW((void)core::Comparison(queue, type));
  }
  const std::string first = "make_Extent(a.low + b.low, a.high)";
  const Type type = type_of<Extent>();
  for (const Operator& op : {Operator::user("first", first, type),
                             Operator::user("first", first, Value(Extent{0, 0}))}) {
    const core::FoldSteps steps{{0}, {0}, {0}};
    CHECK_NOTHROW((void)core::DeviceFold(queue, op, type, steps));
  }
}

TEST_CASE("rows without CUDA kernels say so, and no others are missing") {
  for (const auto& row : gallery::variants()) {
    const auto support = gallery::supports(test::device(), row, Type::i32, plus);
    INFO("row " << row.name << ": " << support.reason);
    const bool has_kernels = row.requirements.backend.empty() || row.requirements.backend == "cuda";
    const bool has_ring = row.requirements.ring_bytes <= test::device().capabilities().ring_bytes;
    // What takes segments takes no array without.
    CHECK(support.supported == (has_kernels && has_ring && !row.segments));
  }
}

TEST_SUITE_END();

}  // namespace bifold
