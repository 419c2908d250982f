// Scalars that texts name: other values compile nothing, and give what constants would.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/same_bits.hpp"

namespace app {
/// A band of values.
struct Band {
  float low;
  float high;
};
/// x -> slope * x + shift, modulo 2^32.
struct Line {
  std::uint32_t slope;
  std::uint32_t shift;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Band, Band, low, high);
BIFOLD_STRUCT_NAMED(app::Line, Line, slope, shift);

namespace bifold {

using test::failure_of;

namespace {

std::vector<float> numbers(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 37 % 101) - 20.0F;
  return values;
}

std::uint64_t compiled() { return test::device().cache_statistics().compiled; }

std::uint64_t above(const std::vector<float>& values, float limit) {
  return static_cast<std::uint64_t>(
      std::count_if(values.begin(), values.end(), [limit](float x) { return x > limit; }));
}

void refuses(const std::function<void()>& call, std::initializer_list<const char*> words,
             ErrorCategory category = ErrorCategory::invalid_argument) {
  const auto failure = failure_of(call);
  CHECK_MESSAGE(failure.category == category, failure.what);
  for (const char* word : words) {
    CHECK_MESSAGE(failure.mentions(word), "no '", std::string(word), "' in: ", failure.what);
  }
}

}  // namespace

TEST_SUITE_BEGIN("scalars");

TEST_CASE("ten thousand values of a threshold, one compilation") {
  Queue queue(test::device());
  const std::vector<float> host = numbers(1000);
  const auto data = queue.upload(std::span<const float>(host));
  const Map map("x > limit ? 1 : 0", {{"limit", Type::f32}});
  auto count = queue.allocate<std::uint32_t>(1);
  const auto run = [&](float limit) {
    transform_reduce_into(queue, erase(data), erase(count), plus, {}, map,
                          {.scalars = {{"limit", limit}}});
  };
  run(0);
  const std::uint64_t before = compiled();
  for (int i = 0; i < 10'000; ++i) {
    const float limit = static_cast<float>(i % 150) - 30.5F;
    run(limit);
    if (i % 997 == 0) CHECK(queue.download(count)[0] == above(host, limit));
  }
  queue.finish();
  CHECK(compiled() == before);
}

TEST_CASE("scalars of every type") {
  Queue queue(test::device());
  const std::vector<float> host = numbers(3000);
  const auto data = queue.upload(std::span<const float>(host));
  std::vector<Type> types(all_types.begin(), all_types.end());
  types.insert(types.end(), storage_types.begin(), storage_types.end());
  for (const Type type : types) {
    if (!test::device().supports(type)) continue;
    CAPTURE(std::string(name_of(type)));
    const Map map("x > (f32)limit ? 1 : 0", {{"limit", type}});
    visit_scalar_type(type, [&](auto zero) {
      using T = decltype(zero);
      for (const float limit : {3.0F, 41.0F, 79.0F}) {
        const T value = static_cast<T>(limit);
        CHECK(transform_reduce(queue, data, plus, std::uint64_t{0}, map,
                               {.scalars = {{"limit", value}}}) == above(host, limit));
        const auto cell = queue.upload(std::span<const T>(&value, 1));
        CHECK(transform_reduce(queue, data, plus, std::uint64_t{0}, map,
                               {.scalars = {{"limit", cell}}}) == above(host, limit));
      }
    });
  }
  const Map in_band("band.low < x && x < band.high ? 1 : 0", {{"band", type_of<app::Band>()}});
  const auto within = [&](float low, float high) {
    return transform_reduce(queue, data, plus, std::uint64_t{0}, in_band,
                            {.scalars = {{"band", app::Band{low, high}}}});
  };
  CHECK(within(-3, 8) == above(host, -3) - above(host, 7));
  CHECK(within(20, 30) == above(host, 20) - above(host, 29));
}

TEST_CASE("the widest and narrowest types lie where kernels look for them") {
  Queue queue(test::device());
  if (!test::device().supports(Type::f64)) return;
  const std::vector<std::int32_t> host{1, 2, 3, 4};
  const auto data = queue.upload(std::span<const std::int32_t>(host));
  const Map map("f64_ + x * a8 + b64 + c16 * x + d32 + e8 + h", {{"a8", Type::i8},
                                                                 {"b64", Type::i64},
                                                                 {"c16", Type::u16},
                                                                 {"d32", Type::f32},
                                                                 {"e8", Type::u8},
                                                                 {"f64_", Type::f64},
                                                                 {"h", Type::f16}});
  const double sum = transform_reduce(queue, data, plus, 0.0, map,
                                      {.scalars = {{"h", f16(0.5F)},
                                                   {"f64_", 0.25},
                                                   {"e8", std::uint8_t{200}},
                                                   {"d32", 2.0F},
                                                   {"c16", std::uint16_t{60'000}},
                                                   {"b64", std::int64_t{1} << 33},
                                                   {"a8", std::int8_t{-100}}}});
  CHECK(sum == 10 * -100.0 + 4.0 * 8589934592.0 + 10 * 60'000.0 + 4 * (2 + 200 + 0.25 + 0.5));
}

TEST_CASE("scans, both maps and the operator share a call's scalars") {
  Queue queue(test::device());
  std::vector<std::uint32_t> host(20'000);
  std::iota(host.begin(), host.end(), 1U);
  const auto data = queue.upload(std::span<const std::uint32_t>(host));
  auto out = queue.allocate<std::uint32_t>(host.size());
  // Composition of maps x -> slope * x + shift, then times k: associative for every k.
  const Operator op =
      Operator::user("affine", "make_Line(a.slope * b.slope * k, a.shift * b.slope * k + b.shift)",
                     type_of<app::Line>(), Commutativity::non_commutative, {{"k", Type::u32}});
  const Map map("make_Line(x | m, x + k)", {{"m", Type::u32}, {"k", Type::u32}});
  const ResultMap result("s.slope ^ s.shift + m", {{"m", Type::u32}});
  std::uint64_t before = 0;
  for (const std::uint32_t k : {1U, 3U, 5U}) {
    const std::uint32_t m = k * 77 + 1;
    for (const bool reverse : {false, true}) {
      transform_inclusive_scan(queue, data, out, op, map,
                               {.accumulate = type_of<app::Line>(),
                                .reverse = reverse,
                                .result_map = result,
                                .scalars = {{"k", k}, {"m", m}}});
      std::vector<std::uint32_t> want(host.size());
      app::Line sum{};
      for (std::size_t at = 0; at < host.size(); ++at) {
        const std::size_t i = reverse ? host.size() - 1 - at : at;
        const app::Line x{host[i] | m, host[i] + k};
        const app::Line a = reverse ? x : sum;
        const app::Line b = reverse ? sum : x;
        sum = at == 0 ? x : app::Line{a.slope * b.slope * k, a.shift * b.slope * k + b.shift};
        want[i] = sum.slope ^ (sum.shift + m);
      }
      CHECK(queue.download(out) == want);
    }
    if (k == 1) before = compiled();
  }
  CHECK(compiled() == before);
}

TEST_CASE("lines, counts, several reductions") {
  Queue queue(test::device());
  const std::vector<float> host = numbers(60 * 70);
  const auto data = queue.upload(std::span<const float>(host));
  for (const bool columns : {false, true}) {
    const Lines lines = columns ? Lines::columns(60, 70) : Lines::rows(60, 70);
    auto out = queue.allocate<std::uint32_t>(lines.count());
    for (const float limit : {2.5F, 30.5F}) {
      transform_reduce_into(queue, erase(data), erase(out), plus, {},
                            Map("x > limit", {{"limit", Type::f32}}),
                            {.lines = lines, .scalars = {{"limit", limit}}});
      const auto got = queue.download(out);
      CHECK(std::accumulate(got.begin(), got.end(), std::uint64_t{0}) == above(host, limit));
    }
  }
  const Map over("x > limit", {{"limit", Type::f32}});
  CHECK(count_if(queue, data, over, {.scalars = {{"limit", 11.5F}}}) == above(host, 11.5F));
  const std::vector<Value> both = reduce_many(
      queue, erase(data),
      {{plus, Type::u64, over}, {plus, Type::u32, Map("x > low", {{"low", Type::f32}})}},
      {.scalars = {{"low", 1.5F}, {"limit", 70.5F}}});
  CHECK(both[0].as<std::uint64_t>() == above(host, 70.5F));
  CHECK(both[1].as<std::uint32_t>() == above(host, 1.5F));
}

TEST_CASE("a plan reads what device memory holds when it runs") {
  Queue queue(test::device());
  const std::vector<float> host = numbers(5000);
  const auto data = queue.upload(std::span<const float>(host));
  auto cells = queue.upload(std::span<const float>(std::vector<float>{0, 10.5F, 0}));
  auto count = queue.allocate<std::uint32_t>(1);
  const ReduceShape shape{
      .input = Type::f32,
      .accumulator = Type::u32,
      .map = Map("x > limit ? weight : 0", {{"limit", Type::f32}, {"weight", Type::u32}}),
      .on_device = {.scalars = 1}};
  const ReducePlan plan(test::device(), shape);
  for (const float limit : {10.5F, -4.5F}) {
    queue.fill(cells.view(1, 1), limit);
    plan.run(queue, erase(data), erase(count), {},
             {.scalars = {{"weight", 3U}, {"limit", cells.view(1, 1)}}});
    CHECK(queue.download(count)[0] == 3 * above(host, limit));
  }
  refuses(
      [&] {
        plan.run(queue, erase(data), erase(count), {}, {.scalars = {{"limit", 1.0F}}});
      },
      {"\"limit\"", "device memory"});
  refuses(
      [&] {
        plan.run(queue, erase(data), erase(cells.view(0, 1)), {},
                 {.scalars = {{"weight", 3U}, {"limit", cells.view(0, 1)}}});
      },
      {"types"});
}

TEST_CASE("what is no declaration is refused") {
  const auto refused = [](std::vector<ScalarType> scalars, std::initializer_list<const char*> why) {
    refuses([&] { const Map map("x", scalars); }, why);
  };
  refused({{"x", Type::f32}}, {"map", "\"x\"", "operand"});
  refused({{"y", Type::f32}}, {"operand"});
  refused({{"i", Type::f32}}, {"operand"});
  refused({{"max", Type::f32}}, {"function"});
  refused({{"f16", Type::f32}}, {"type"});
  refused({{"true", Type::f32}}, {"number"});
  refused({{"make_Band", Type::f32}}, {"structs"});
  refused({{"", Type::f32}}, {"identifier"});
  refused({{"1st", Type::f32}}, {"identifier"});
  refused({{"a b", Type::f32}}, {"identifier"});
  refused({{"same", Type::f32}, {"same", Type::f32}}, {"two"});
  refused(std::vector<ScalarType>(9, {"many", Type::u8}), {"9 scalars", "8"});
  refuses([] { const ResultMap map("s", {{"s", Type::f32}}); }, {"result map", "operand"});
  refuses([] { Operator::user("op", "a", Value(0), {}, {{"b", Type::i32}}); }, {"op", "operand"});
  refuses([] { const Map map("x > limit", {{"low", Type::f32}}); }, {"limit", "low"});
  // Each text has its own operands.
  CHECK(Map("x + s", {{"s", Type::f32}}).scalars().size() == 1);
  CHECK(ResultMap("s + x", {{"x", Type::f32}}).scalars()[0].name == "x");
  const Map one("x + k", {{"k", Type::f32}});
  const Map other("x + k", {{"k", Type::f64}});
  CHECK(one == Map("x + k", {{"k", Type::f32}}));
  CHECK_FALSE(one == other);
  CHECK(one.id() != other.id());
}

TEST_CASE("a call gives each scalar once, of its type") {
  Queue queue(test::device());
  const std::vector<float> host = numbers(100);
  const auto data = queue.upload(std::span<const float>(host));
  auto out = queue.allocate<float>(4);
  queue.fill(out, 7.0F);
  const Map map("x * k", {{"k", Type::f32}});
  const auto refused = [&](const Map& of, const ReduceOptions& options,
                           std::initializer_list<const char*> why) {
    refuses(
        [&] {
          transform_reduce_into(queue, erase(data), erase(out.view(0, 1)), plus, {}, of, options);
        },
        why);
  };
  refused(map, {}, {"\"k\"", "no value"});
  refused(map, {.scalars = {{"k", 1.0}}}, {"\"k\"", "f64", "f32"});
  refused(map, {.scalars = {{"k", out.view(1, 2)}}}, {"\"k\"", "1 element"});
  refused(map, {.scalars = {{"k", out.view(0, 1)}}}, {"\"k\"", "overlaps the output"});
  refused(map, {.scalars = {{"k", 1.0F}, {"k", 1.0F}}}, {"\"k\"", "twice"});
  refused(map, {.scalars = {{"k", 1.0F}, {"q", 1.0F}}}, {"\"q\"", "no text"});
  refused("x", {.scalars = {{"q", 1.0F}}}, {"\"q\"", "no text"});
  refused(map, {.result_map = {"s * k", {{"k", Type::i32}}}, .scalars = {{"k", 1.0F}}},
          {"\"k\"", "f32", "i32"});
  const ReduceShape shape{.input = Type::f32, .accumulator = Type::f32, .map = map};
  refuses([&] { ReduceAccumulation sums(queue, shape, {}); }, {"scalars"},
          ErrorCategory::unsupported);
  CHECK(queue.download(out) == std::vector<float>(4, 7.0F));
}

TEST_SUITE_END();

}  // namespace bifold
