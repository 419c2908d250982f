// f16 and bf16: elements that are accumulated in f32, or f64, and rounded once per output.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/reference/v1.hpp>
#include <cmath>
#include <limits>
#include <sstream>

#include "support/cases/affordable.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/values/numbers.hpp"
#include "support/values/same_bits.hpp"

namespace bifold {

using test::Run;
using test::Workload;

namespace {

template <class T>
bool same(T left, T right) {
  const float a = left;
  const float b = right;
  return std::isnan(a) || std::isnan(b) ? std::isnan(a) && std::isnan(b)
                                        : Value(left) == Value(right);
}

/// Of few magnitudes: nearly every other association, and every rounding in between, shows.
template <class T>
std::vector<T> numbers(std::size_t count) {
  return test::numbers<T>(count, 12);
}

template <class T>
std::string difference(std::span<const T> want, std::span<const T> got) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (same(want[i], got[i])) continue;
    std::ostringstream text;
    text << "at " << i << " of " << want.size() << ": " << std::hexfloat << got[i] << " instead of "
         << want[i];
    return text.str();
  }
  return {};
}

std::vector<const gallery::Variant*> order_rows(Algorithm algorithm, Type type,
                                                const Operator& op = plus) {
  std::vector<const gallery::Variant*> rows;
  for (const auto* row : test::rows_on_device(algorithm, type, op)) {
    if (row->order == gallery::Order::v1) rows.push_back(row);
  }
  return rows;
}

/// Every short length, and odd ones beyond a leaf, a tile and a group of either.
std::vector<std::size_t> lengths() {
  std::vector<std::size_t> all(601);
  for (std::size_t n = 0; n < all.size(); ++n) all[n] = n;
  all.insert(all.end(), {4095, 4096, 4097, 8193, 70'001, 300'007});
  return test::affordable(all);
}

/// Runs of every short length and some long ones, at every offset up to 16.
std::vector<Run> runs_of(Algorithm algorithm) {
  std::vector<Run> runs;
  for (const std::size_t n : lengths()) {
    Run run{n, n % 17, false, n % 3 == 0};
    run.in_place = algorithm == Algorithm::scan && n % 5 == 0;
    runs.push_back(run);
  }
  return runs;
}

/// All finite values and infinities, in the order of maximum.
template <class T>
std::vector<T> all_values() {
  std::vector<T> values;
  for (std::uint32_t bits = 0xffff; bits >= 0x8000; --bits) {
    values.push_back(T::from_bits(static_cast<std::uint16_t>(bits)));
  }
  for (std::uint32_t bits = 0; bits < 0x8000; ++bits) {
    values.push_back(T::from_bits(static_cast<std::uint16_t>(bits)));
  }
  std::erase_if(values, [](T x) { return std::isnan(static_cast<float>(x)); });
  return values;
}

/// The running maxima of sorted elements, which are the elements, converted as the kernels do.
template <class Out, class In>
std::vector<Out> converted(const std::vector<In>& sorted, const gallery::Variant& row,
                           std::optional<Type> accumulate = {}) {
  Queue queue(test::device());
  const auto input = queue.upload(std::span<const In>(sorted));
  auto output = queue.allocate<Out>(sorted.size());
  inclusive_scan(queue, input, output, maximum, {.accumulate = accumulate, .variant = row.name});
  return queue.download(output);
}

/// The production row and those of order v1.
std::vector<const gallery::Variant*> own_rows(Algorithm algorithm, Type type,
                                              const Operator& op = plus) {
  auto rows = order_rows(algorithm, type, op);
  rows.push_back(gallery::find(algorithm, "production"));
  return rows;
}

template <class T>
struct Uploaded {
  explicit Uploaded(std::vector<T> values) : host(std::move(values)) {
    data = queue.upload(std::span<const T>(host));
  }
  Queue queue{test::device()};
  std::vector<T> host;
  Buffer<T> data;
};

}  // namespace

TEST_SUITE_BEGIN("half");

TEST_CASE_TEMPLATE("kernels read every value exactly", T, f16, bf16) {
  const std::vector<T> values = all_values<T>();
  const std::vector<float> floats(values.begin(), values.end());
  for (const auto* row : own_rows(Algorithm::scan, type_of<T>(), maximum)) {
    INFO("row " << row->name);
    CHECK(difference(std::span<const float>(floats),
                     std::span<const float>(converted<float>(values, *row))) == "");
    CHECK(difference(std::span<const T>(values), std::span<const T>(converted<T>(values, *row))) ==
          "");
  }
}

TEST_CASE_TEMPLATE("kernels round to the nearest, ties to even, between any two values", T, f16,
                   bf16) {
  const std::vector<T> values = all_values<T>();
  const auto check = [&]<class Wide>(Wide) {
    std::vector<Wide> between;
    for (std::size_t i = 1; i + 2 < values.size(); ++i) {
      const Wide low = static_cast<float>(values[i]);
      const Wide high = static_cast<float>(values[i + 1]);
      const Wide middle = low / 2 + high / 2;
      for (const Wide x :
           {low, std::nextafter(middle, low), middle, std::nextafter(middle, high)}) {
        between.push_back(x);
      }
    }
    // Around the first that overflow, and what is less than any value.
    for (const Wide x : {Wide{65519}, Wide{65520}, std::numeric_limits<Wide>::max(),
                         std::numeric_limits<Wide>::denorm_min()}) {
      between.insert(between.end(), {x, -x});
    }
    std::sort(between.begin(), between.end(), [](Wide a, Wide b) {
      return a < b || (a == b && std::signbit(a) && !std::signbit(b));
    });
    std::vector<T> want;
    want.reserve(between.size());
    for (const Wide x : between) want.push_back(T(x));
    for (const auto* row : own_rows(Algorithm::scan, type_of<T>(), maximum)) {
      INFO("row " << row->name << " from " << name_of(type_of<Wide>()));
      CHECK(difference(std::span<const T>(want),
                       std::span<const T>(converted<T>(between, *row, type_of<Wide>()))) == "");
    }
  };
  check(float{});
  if (test::device().supports(Type::f64)) check(double{});
}

// Rows that have no maximum convert elsewhere. Four elements are a run, whose sums are exact in f32
// and which sums up to zero: so the running sums of order v1 are those within the run.
TEST_CASE_TEMPLATE("running sums read every finite value and round to the nearest, ties to even", T,
                   f16, bf16) {
  constexpr int fraction_bits = std::is_same_v<T, f16> ? 10 : 7;
  std::vector<T> parts;
  std::vector<T> want;
  for (const T value : all_values<T>()) {
    const float x = value;
    if (!std::isfinite(x)) continue;
    const float ulp = std::ldexp(1.0F, std::ilogb(x == 0 ? 1.0F : x) - fraction_bits);
    for (const float part : {0.25F, 0.5F, 0.75F, -0.25F}) {
      const T rest = T(part * ulp);
      // What is no element itself would have been rounded here.
      if (static_cast<float>(rest) != part * ulp) continue;
      const float sum = x + part * ulp;
      parts.insert(parts.end(), {value, rest, T(-x), T(-part * ulp)});
      want.insert(want.end(), {T(0.0F + x), T(sum), rest, T(0.0F)});
    }
  }
  REQUIRE(parts.size() > 500'000);
  Queue queue(test::device());
  const auto input = queue.upload(std::span<const T>(parts));
  for (const auto* row : own_rows(Algorithm::scan, type_of<T>())) {
    INFO("row " << row->name);
    auto output = queue.allocate<T>(parts.size());
    inclusive_scan(queue, input, output, plus, {.variant = row->name});
    CHECK(difference(std::span<const T>(want), std::span<const T>(queue.download(output))) == "");
  }
}

TEST_CASE_TEMPLATE("reductions in order v1 have the bits of the reference, rounded once", T, f16,
                   bf16) {
  const auto all = lengths();
  Uploaded<T> input(numbers<T>(all.back() + 32));
  auto narrow = input.queue.template allocate<T>(1);
  auto wide = input.queue.template allocate<float>(1);
  const auto rows = order_rows(Algorithm::reduce, type_of<T>());
  CHECK(!rows.empty());
  for (const auto* row : rows) {
    const ReducePlan rounds(
        test::device(),
        {type_of<T>(), Type::f32, plus, row->name, {}, {}, Order::v1, {}, type_of<T>()});
    const ReducePlan keeps(test::device(), {type_of<T>(), Type::f32, plus, row->name});
    for (const std::size_t n : all) {
      const std::size_t offset = n % 17;
      const float init = n % 3 == 0 ? 0.1F : -0.0F;
      const auto part = std::span<const T>(input.host).subspan(offset, n);
      const auto lift = [](T x) -> float { return x; };
      const float sum = keeps.variant().requirements.commutative
                            ? reference::v1::reduce(part, init, lift, std::plus<>())
                            : reference::v1::reduce_in_order(part, init, lift, std::plus<>());
      const auto from = erase(std::as_const(input.data).view(offset, n));
      rounds.run(input.queue, from, erase(narrow), Value(init));
      keeps.run(input.queue, from, erase(wide), Value(init));
      const T rounded = input.queue.download(narrow)[0];
      const float kept = input.queue.download(wide)[0];
      CHECK_MESSAGE(same(rounded, T(sum)), row->name, ", n ", n, ": ", rounded, " not ", T(sum));
      CHECK_MESSAGE(test::same_bits(kept, sum), row->name, ", n ", n, ": ", kept, " not ", sum);
    }
  }
}

TEST_CASE_TEMPLATE("scans in order v1 have the bits of the reference, rounded once", T, f16, bf16) {
  const auto all = lengths();
  Uploaded<T> input(numbers<T>(all.back() + 32));
  auto output = input.queue.template allocate<T>(all.back() + 32);
  const auto rows = order_rows(Algorithm::scan, type_of<T>());
  std::size_t checked = 0;
  const auto check = [&]<class Acc>(Acc, ScanKind kind) {
    const auto init = static_cast<Acc>(0.1F);
    for (const auto* row : rows) {
      Workload workload = test::workload_of(*row, type_of<T>(), plus, kind);
      workload.accumulator = type_of<Acc>();
      if (!test::supports(workload)) continue;
      ++checked;
      const ScanPlan plan(test::device(),
                          {type_of<T>(), type_of<T>(), type_of<Acc>(), kind, plus, row->name});
      for (const std::size_t n : all) {
        // Every third one from a multiple of a pack's bytes.
        const std::size_t offset = n % 3 == 0 ? n % 2 * 8 : n % 17;
        const bool in_place =
            n % 5 == 0 && (test::device().capabilities().acquire_release || !test::publishes(*row));
        const auto part = std::span<const T>(input.host).subspan(offset, n);
        std::vector<T> want(n);
        reference::v1::scan(
            kind, part, std::span(want), init, [](T x) { return static_cast<Acc>(x); },
            std::plus<>());
        const auto from = std::as_const(input.data).view(offset, n);
        const auto to = output.view(in_place ? offset : (offset * 7 + 3) % 24, n);
        if (in_place) input.queue.copy(from, to);
        plan.run(input.queue, in_place ? erase(to) : erase(from), erase(to), Value(init));
        const auto got = input.queue.download(to);
        const auto problem = difference(std::span<const T>(want), std::span<const T>(got));
        CHECK_MESSAGE(problem.empty(), row->name, " in ", name_of(type_of<Acc>()), ", ",
                      name_of(kind), ", n ", n, ", offset ", offset, ": ", problem);
      }
    }
  };
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) check(float{}, kind);
  CHECK(checked == 2 * rows.size());
  if (test::device().supports(Type::f64)) {
    checked = 0;
    check(double{}, ScanKind::exclusive);
    CHECK(checked > 0);
  }
}

TEST_CASE_TEMPLATE("a scan that every group takes many tiles of is rounded once", T, f16, bf16) {
  const std::size_t n = test::device().info().kind == DeviceKind::cpu ? 1'000'003 : 14'680'067;
  Uploaded<T> input(numbers<T>(n));
  auto output = input.queue.template allocate<T>(n);
  std::vector<T> want(n);
  reference::v1::scan(
      ScanKind::inclusive, std::span<const T>(input.host), std::span(want), 0.0F,
      [](T x) -> float { return x; }, std::plus<>());
  for (const auto* row : order_rows(Algorithm::scan, type_of<T>())) {
    const ScanPlan plan(test::device(), {type_of<T>(), type_of<T>(), Type::f32, ScanKind::inclusive,
                                         plus, row->name});
    plan.run(input.queue, erase(std::as_const(input.data)), erase(output), Value(0.0F));
    const auto got = input.queue.download(output);
    const auto problem = difference(std::span<const T>(want), std::span<const T>(got));
    CHECK_MESSAGE(problem.empty(), row->name, ": ", problem);
  }
}

TEST_CASE("every kind of row, on data whose sums are exact in f32 and not in 16 bits") {
  Queue queue(test::device());
  for (const Type type : storage_types) {
    for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
      // The types differ in how they are converted only, so every file once is enough.
      const bool all = type == Type::f16;
      std::size_t kind = all ? 0 : 1;
      for (const auto* row : all ? test::files_on_device(algorithm, type, plus, 0)
                                 : test::rows_in_turn(algorithm, type, plus, 1)) {
        const Workload workload =
            test::workload_of(*row, type, plus, static_cast<ScanKind>(++kind % 2));
        check_runs(queue, workload, runs_of(algorithm));
      }
    }
  }
}

TEST_CASE("every operator that is defined on floats") {
  Queue queue(test::device());
  for (const Type type : storage_types) {
    for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
      const auto* row = gallery::find(algorithm, "production");
      for (const Operator& op : builtin_operators()) {
        if (!op.supports(accumulator_of(type))) continue;
        const Workload workload = test::workload_of(*row, type, op, ScanKind::exclusive);
        check_runs(queue, workload, runs_of(algorithm));
      }
    }
  }
}

TEST_CASE("sums that leave the range of 16 bits on their way come back") {
  const std::vector<f16> host{f16(60000), f16(60000), f16(-60000), f16(-59968), f16(-0.0F)};
  for (const auto* row : own_rows(Algorithm::scan, Type::f16)) {
    INFO("row " << row->name);
    Uploaded<f16> input(host);
    auto output = input.queue.allocate<f16>(host.size());
    inclusive_scan(input.queue, input.data, output, plus, {.variant = row->name});
    const std::vector<f16> want{f16(60000), f16(120000), f16(60000), f16(32), f16(32)};
    CHECK(std::isinf(static_cast<float>(want[1])));
    CHECK(difference(std::span<const f16>(want),
                     std::span<const f16>(input.queue.download(output))) == "");
  }
  for (const auto* row : own_rows(Algorithm::reduce, Type::f16)) {
    INFO("row " << row->name);
    Uploaded<f16> input(host);
    const ReduceOptions options{.variant = row->name};
    CHECK(reduce(input.queue, input.data, plus, options) == 32);
    CHECK(reduce(input.queue, std::as_const(input.data).view(0, 2), plus, 0.0F, options) == 120000);
    CHECK(std::isinf(static_cast<float>(
        reduce(input.queue, std::as_const(input.data).view(0, 2), plus, options))));
  }
}

TEST_CASE_TEMPLATE("extrema of zeros, denormals, infinities and NaN", T, f16, bf16) {
  const float least = T::from_bits(1);
  const float infinite = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::vector<float>> inputs{
      {0.0F, -0.0F, 0.0F},    {-0.0F}, {-least, least, 0.0F}, {1.0F, infinite, -infinite, 2.0F},
      {1.0F, nan, -infinite}, {-nan}};
  for (const auto& values : inputs) {
    Uploaded<T> input(std::vector<T>(values.begin(), values.end()));
    auto output = input.queue.template allocate<T>(values.size());
    for (const OperatorKind kind : {OperatorKind::minimum, OperatorKind::maximum}) {
      const Operator op(kind);
      const auto identity = op.identity(Type::f32).template as<float>();
      std::vector<T> want(values.size());
      reference::scan(ScanKind::inclusive, kind, std::span<const T>(input.host), std::span(want),
                      identity);
      inclusive_scan(input.queue, input.data, output, op);
      const auto got = input.queue.download(output);
      const auto problem = difference(std::span<const T>(want), std::span<const T>(got));
      CHECK_MESSAGE(problem.empty(), op.name(), ": ", problem);
      const T total = reduce(input.queue, input.data, op);
      CHECK_MESSAGE(same(total, want.back()), op.name(), ": ", total);
    }
  }
}

TEST_CASE("NaNs of every kind stay NaN through a kernel") {
  for (const std::uint32_t bits : {0x7c01U, 0x7dffU, 0x7e00U, 0xfc01U, 0xffffU}) {
    Uploaded<f16> input({f16::from_bits(static_cast<std::uint16_t>(bits))});
    CHECK(std::isnan(static_cast<float>(reduce(input.queue, input.data, maximum))));
    CHECK(std::isnan(reduce(input.queue, input.data, plus, 0.0F)));
  }
  for (const std::uint32_t bits : {0x7f800001U, 0x7fbfffffU, 0xff800001U, 0xffffffffU}) {
    Uploaded<float> input({std::bit_cast<float>(bits)});
    for (const Type type : storage_types) {
      const Value got = transform_reduce(input.queue, erase(input.data), type, maximum, {}, {});
      visit_scalar_type(type, [&]<class T>(T) {
        if constexpr (storage_element<T>) CHECK(std::isnan(static_cast<float>(got.as<T>())));
      });
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
