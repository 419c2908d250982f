// Result maps: what is stored is the text's value of what would have been stored without one.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>
#include <functional>
#include <numeric>

#include "support/cases/affordable.hpp"
#include "support/cases/lines.hpp"
#include "support/cases/rows.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/same_bits.hpp"

namespace app {
/// x -> slope * x + shift.
struct Step {
  float slope;
  float shift;
};
struct Spread {
  std::int64_t low;
  std::int64_t high;
};
struct Mean {
  float sum;
  std::uint32_t count;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Step, Step, slope, shift);
BIFOLD_STRUCT_NAMED(app::Spread, Spread, low, high);
BIFOLD_STRUCT_NAMED(app::Mean, Mean, sum, count);

namespace bifold {

using test::failure_of;

namespace {

using app::Mean;
using app::Spread;
using app::Step;

std::vector<std::int32_t> numbers(std::size_t count) {
  std::vector<std::int32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<std::int32_t>(i * 7919 % 2003) - 1000;
  }
  return values;
}

/// Those of a step for each element, the first one applied first.
Operator steps() {
  return Operator::user("steps", "make_Step(b.slope * a.slope, b.slope * a.shift + b.shift)",
                        Value(Step{1, 0}));
}
const char* const to_step = "make_Step(x < 0.0f ? -0.5f : 0.75f, x)";

/// A step in another type has the bits of this one.
bool same(const Step& left, const Step& right) {
  return test::same_bits(left.slope, right.slope) && test::same_bits(left.shift, right.shift);
}

template <class T>
T first(Queue& queue, Buffer<T>& memory) {
  return queue.download(memory).front();
}

template <class T>
bool all_same(const std::vector<T>& left, const std::vector<T>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const T& a, const T& b) { return test::same_element(a, b); });
}

template <class Out, class Acc, class Made>
std::vector<Out> mapped(const std::vector<Acc>& accumulators, Made made) {
  std::vector<Out> results;
  results.reserve(accumulators.size());
  for (const Acc& one : accumulators) results.push_back(static_cast<Out>(made(one)));
  return results;
}

std::string refusal(const std::function<void()>& call) {
  const test::Failure failure = failure_of(call);
  CHECK(failure.category == ErrorCategory::invalid_argument);
  return failure.what;
}

}  // namespace

TEST_SUITE_BEGIN("result_map");

TEST_CASE("a field of what does not commute, to every floating type") {
  Queue queue(test::device());
  const std::size_t n = test::simulated() ? 9001 : 40'001;
  std::vector<float> host(n);
  for (std::size_t i = 0; i < n; ++i) host[i] = static_cast<float>(i * 31 % 17) - 8.25F;
  const auto data = queue.upload(std::span<const float>(host));
  const Step begin{2, -3};
  for (const bool reverse : {false, true}) {
    const ScanKind kind = reverse ? ScanKind::inclusive : ScanKind::exclusive;
    ScanOptions options;
    options.reverse = reverse;
    auto whole = queue.allocate<Step>(n);
    auto total = queue.allocate<Step>(1);
    options.total = erase(total);
    transform_scan(queue, kind, erase(data), erase(whole), steps(), Value(begin), to_step, options);
    const std::vector<Step> accumulators = queue.download(whole);
    const Step wanted_total = first(queue, total);
    options.result_map = "s.shift * 0.5f";
    const auto check = [&](auto zero) {
      using Out = decltype(zero);
      if (!test::device().supports(type_of<Out>())) return;
      auto out = queue.allocate<Out>(n);
      queue.fill(total, Step{});
      transform_scan(queue, kind, erase(data), erase(out), steps(), Value(begin), to_step, options);
      CHECK_MESSAGE(
          all_same(queue.download(out),
                   mapped<Out>(accumulators, [](const Step& s) { return s.shift * 0.5F; })),
          name_of(type_of<Out>()), reverse ? " in reverse" : "");
      CHECK(same(first(queue, total), wanted_total));
    };
    if (reverse) {
      check(0.0);
      check(bf16(0.0F));
    } else {
      check(0.0F);
      check(f16(0.0F));
    }
  }
  // A reduction of the same.
  const Step all =
      transform_reduce(queue, erase(data), type_of<Step>(), steps(), Value(begin), to_step)
          .as<Step>();
  const auto reduced = [&](Type type, const char* text) {
    ReduceOptions options;
    options.result_map = text;
    return transform_reduce(queue, erase(data), type, steps(), Value(begin), to_step, options);
  };
  CHECK(
      test::same_bits(reduced(Type::f32, "s.slope + s.shift").as<float>(), all.slope + all.shift));
  CHECK(reduced(Type::f16, "s.shift").as<f16>() == f16(all.shift));
  CHECK(same(reduced(type_of<Step>(), "make_Step(s.shift, s.slope)").as<Step>(),
             Step{all.shift, all.slope}));
  CHECK(reduced(type_of<Mean>(), "make_Mean(s.shift, 9)").as<Mean>().count == 9);
}

TEST_CASE("integers that widen, narrow, wrap and become structs") {
  Queue queue(test::device());
  const std::size_t n = 5003;
  std::vector<std::uint8_t> host(n);
  for (std::size_t i = 0; i < n; ++i) host[i] = static_cast<std::uint8_t>(i * 37 + 11);
  const auto data = queue.upload(std::span<const std::uint8_t>(host));
  bool scans = true;
  const auto check = [&](auto accumulator, auto zero, const char* text, auto made) {
    using Acc = decltype(accumulator);
    using Out = decltype(zero);
    CAPTURE(text);
    const auto op = [](Acc a, Acc b) { return static_cast<Acc>(a + b); };
    std::vector<Acc> running(n);
    std::partial_sum(host.begin(), host.end(), running.begin(),
                     [&](auto a, auto b) { return op(static_cast<Acc>(a), static_cast<Acc>(b)); });
    Acc sum = 0;
    for (std::size_t i = 0; i < n; ++i) running[i] = sum = op(sum, static_cast<Acc>(host[i]));
    const std::vector<Out> want = mapped<Out>(running, made);
    auto out = queue.allocate<Out>(n);
    ScanOptions options;
    options.accumulate = type_of<Acc>();
    options.result_map = text;
    if (scans) {
      scan(queue, ScanKind::inclusive, erase(data), erase(out), plus, {}, options);
      CHECK(all_same(queue.download(out), want));
    }
    // Its tiles add narrow integers in wider ones, where no result map is to see the sums.
    options.variant = "order_v1_ring";
    const core::PlanShape shape{.input = Type::u8,
                                .accumulator = type_of<Acc>(),
                                .output = type_of<Out>(),
                                .op = plus,
                                .result_map = text};
    const bool narrow = type_of<Out>() == Type::i8;
    if (narrow && test::takes(*gallery::find(Algorithm::scan, options.variant), shape)) {
      scan(queue, ScanKind::inclusive, erase(data), erase(out), plus, {}, options);
      CHECK(all_same(queue.download(out), want));
    }
    scans = !scans;
    ReduceOptions reduction;
    reduction.accumulate = type_of<Acc>();
    reduction.result_map = text;
    reduce_into(queue, erase(data), erase(out.view(0, 1)), plus, {}, reduction);
    CHECK(test::same_element(first(queue, out), want.back()));
  };
  check(std::uint8_t{}, std::uint8_t{}, "s", [](auto s) { return s; });
  check(std::uint8_t{}, std::uint32_t{}, "s * 1000u", [](auto s) { return s * 1000U; });
  check(std::uint8_t{}, std::int8_t{}, "s - 128", [](auto s) { return s - 128; });
  check(std::uint32_t{}, std::uint8_t{}, "s >> 4", [](auto s) { return s >> 4; });
  check(std::uint32_t{}, 0.0F, "s", [](auto s) { return s; });
  check(std::uint32_t{}, Mean{}, "make_Mean((f32)s, s)", [](auto s) {
    return Mean{static_cast<float>(s), s};
  });
  check(0.0F, std::int32_t{}, "s > 1000.0f ? 1000.0f : s",
        [](auto s) { return s > 1000 ? 1000.0F : s; });
  if (test::device().supports(Type::i64)) {
    check(std::uint32_t{}, Spread{}, "make_Spread(-(i64)s, s)", [](auto s) {
      return Spread{-static_cast<std::int64_t>(s), static_cast<std::int64_t>(s)};
    });
  }
}

TEST_CASE("an f64 is rounded to 16 bits once") {
  Queue queue(test::device());
  if (!test::device().supports(Type::f64)) return;
  // Rounded to f32 first, it would lie between two halves, and be the even one.
  const std::vector<double> host{0x1.002p0, 0x1p-40};
  const auto data = queue.upload(std::span<const double>(host));
  ReduceOptions options;
  options.accumulate = Type::f64;
  options.result_map = "s * 1.0";
  const Value sum = transform_reduce(queue, erase(data), Type::f16, plus, {}, {}, options);
  CHECK(sum.as<f16>() == f16(0x1.004p0F));
}

TEST_CASE("lines along rows and columns") {
  Queue queue(test::device());
  for (const Lines& lines : {Lines::rows(5, 3), Lines::rows(3, 4097), Lines::columns(40, 37),
                             Lines::columns(4097, 3), Lines::columns(0, 4), Lines::rows(4, 0)}) {
    CAPTURE(lines.length);
    CAPTURE(lines.inner);
    std::vector<float> host(std::max<std::size_t>(lines.count() * lines.length, 1));
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<float>(i * 31 % 23) - 11.5F;
    const auto data = queue.upload(std::span<const float>(host));
    const ErasedView input = erase(data.view(0, lines.count() * lines.length));
    auto whole = queue.allocate<Step>(lines.count());
    auto out = queue.allocate<float>(lines.count());
    ReduceOptions options;
    options.lines = lines;
    transform_reduce_into(queue, input, erase(whole), steps(), Value(Step{2, 1}), to_step, options);
    options.result_map = "s.shift - s.slope";
    transform_reduce_into(queue, input, erase(out), steps(), Value(Step{2, 1}), to_step, options);
    const auto made = [](const Step& s) { return s.shift - s.slope; };
    CHECK(all_same(queue.download(out), mapped<float>(queue.download(whole), made)));
    {
      auto steps_of = queue.allocate<Step>(input.count);
      auto results = queue.allocate<float>(input.count);
      ScanOptions scanning;
      scanning.lines = lines;
      scanning.reverse = lines.inner > 1;
      transform_scan(queue, ScanKind::exclusive, input, erase(steps_of), steps(), {}, to_step,
                     scanning);
      scanning.result_map = "s.shift - s.slope";
      transform_scan(queue, ScanKind::exclusive, input, erase(results), steps(), {}, to_step,
                     scanning);
      CHECK(all_same(queue.download(results), mapped<float>(queue.download(steps_of), made)));
    }
  }
}

TEST_CASE("of nothing it is made of the initial value, or of the empty result") {
  Queue queue(test::device());
  const Buffer<float> none(test::device(), 0);
  const auto of_nothing = [&](const std::optional<Value>& init) {
    ReduceOptions options;
    options.result_map = "1.0f / s";
    return transform_reduce(queue, erase(none), Type::f32, plus, init, {}, options).as<float>();
  };
  // Of -0, the identity, it would be the other infinity.
  CHECK(of_nothing({}) == std::numeric_limits<float>::infinity());
  CHECK(of_nothing(Value(-0.0F)) == -std::numeric_limits<float>::infinity());
  CHECK(of_nothing(Value(4.0F)) == 0.25F);
  const Operator last = Operator::user("last", "b", Type::f32);
  ReduceOptions options;
  options.result_map = "s + 1.0f";
  const auto call = [&](const std::optional<Value>& init) {
    return transform_reduce(queue, erase(none), Type::f32, last, init, {}, options).as<float>();
  };
  CHECK(call(Value(3.0F)) == 4);
  CHECK(refusal([&] { call({}); }).find("no identity") != std::string::npos);
  // A scan of nothing writes a total alone, which is an accumulator.
  auto total = queue.allocate<float>(1);
  ScanOptions scanning;
  scanning.result_map = "s + 1.0f";
  scanning.total = erase(total);
  exclusive_scan(queue, none, queue.allocate<float>(0), plus, 2.5F, scanning);
  CHECK(first(queue, total) == 2.5F);
}

TEST_CASE("values in device memory are accumulators") {
  Queue queue(test::device());
  const auto host = numbers(1000);
  const auto data = queue.upload(std::span<const std::int32_t>(host));
  const auto init = queue.upload(std::span<const std::int32_t>(std::vector{100}));
  auto out = queue.allocate<float>(1);
  for (const std::uint32_t n : {0U, 1U, 999U}) {
    const auto count = queue.upload(std::span<const std::uint32_t>(std::vector{n}));
    ReduceOptions options;
    options.accumulate = Type::i32;
    options.init_from = erase(init);
    options.count_from = erase(count);
    options.result_map = "(f32)s / 8.0f";
    reduce_into(queue, erase(data), erase(out), plus, {}, options);
    const int sum = std::accumulate(host.begin(), host.begin() + n, 100);
    CHECK(first(queue, out) == static_cast<float>(sum) / 8);
  }
  // What it makes is no initial value of the next call.
  auto both = queue.allocate<std::int32_t>(1);
  ReduceOptions options;
  options.init_from = erase(both);
  reduce_into(queue, erase(data), erase(both), plus, {}, options);
  options.result_map = "s / 2";
  CHECK(refusal([&] {
          reduce_into(queue, erase(data), erase(both), plus, {}, options);
        }).find("init_from overlaps the output") != std::string::npos);
}

TEST_CASE("plans, and calls of one shape by several result maps") {
  Queue queue(test::device());
  const auto host = numbers(3000);
  const auto data = queue.upload(std::span<const std::int32_t>(host));
  const int sum = std::accumulate(host.begin(), host.end(), 0);
  auto out = queue.allocate<std::int32_t>(1);
  const auto call = [&](const ResultMap& map) {
    ReduceOptions options;
    options.result_map = map;
    reduce_into(queue, erase(data), erase(out), plus, {}, options);
    return first(queue, out);
  };
  for (int turn = 0; turn < 2; ++turn) {
    CHECK(call("s + 1") == sum + 1);
    CHECK(call({}) == sum);
    CHECK(call("s + 2") == sum + 2);
  }
  const ReducePlan plan(test::device(), {.input = Type::i32,
                                         .accumulator = Type::i32,
                                         .result = Type::f32,
                                         .result_map = "(f32)s * 0.5f"});
  auto half = queue.allocate<float>(1);
  plan.run(queue, erase(data), erase(half), Value(2));
  CHECK(first(queue, half) == static_cast<float>(sum + 2) * 0.5F);
  const ScanPlan scanning(test::device(), {.input = Type::i32,
                                           .output = Type::f32,
                                           .accumulator = Type::i32,
                                           .result_map = "(f32)s * 0.5f"});
  auto halves = queue.allocate<float>(3000);
  scanning.run(queue, erase(data), erase(halves), Value(2));
  CHECK(queue.download(halves).back() == static_cast<float>(sum + 2) * 0.5F);
}

TEST_CASE("a text that does not fit is refused with its word and column") {
  Queue queue(test::device());
  Buffer<float> some(test::device(), 4);
  const auto made = [](const char* text) {
    return refusal([text] { static_cast<void>(ResultMap(text)); });
  };
  CHECK(made("s + x") ==
        "result map: \"s + x\", column 5: \"x\" is no word of texts, which know s, fields, "
        "functions, casts and make_ with a struct's name");
  CHECK(made("s +").find("column 4") != std::string::npos);
  CHECK(made(std::string(9000, 's').c_str()).find("at most 8192") != std::string::npos);
  const auto called = [&](Type type, const char* text) {
    ReduceOptions options;
    options.accumulate = Type::f32;
    options.result_map = text;
    return refusal([&] { transform_reduce(queue, erase(some), type, plus, {}, {}, options); });
  };
  CHECK(called(Type::f32, "s.value").find("column 3: \"value\" would be a field") !=
        std::string::npos);
  CHECK(called(Type::f32, "s % 2").find("column 3") != std::string::npos);
  CHECK(called(type_of<Step>(), "s").find("its value is of f32 where Step is wanted") !=
        std::string::npos);
  CHECK(called(Type::f32, "make_Step(s, s)").find("column 1") != std::string::npos);
  CHECK(called(Type::f16, "(i32)s").find("f16 is rounded from f32 or f64") != std::string::npos);
  CHECK(called(Type::f32, "make_Spread(1, 2).low").find("\"make_Spread\" makes no struct") !=
        std::string::npos);
}

TEST_SUITE_END();

}  // namespace bifold
