// Reductions over the ranks of a group in one process: the bits of one device's call, whatever the
// split.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/group/distributed.hpp>
#include <bifold/reference/v1.hpp>
#include <complex>
#include <limits>

#include "group/cuts.hpp"
#include "support/errors.hpp"
#include "support/values/arithmetic.hpp"
#include "support/values/numbers.hpp"

namespace bifold {

namespace {

using test::Offsets;
using test::Sliced;

Value over(const std::vector<Slice>& slices, Type result, const Operator& op,
           const std::optional<Value>& init, const Map& map = {}, Order order = Order::v1) {
  Group group = Group::in_process(static_cast<std::uint32_t>(slices.size()));
  return transform_reduce(group, slices, result, op, init, map, {.order = order});
}

// Every split gives the bits of the whole array, with an initial value and without.
template <class T>
void check_splits(const std::vector<T>& host, std::uint64_t unit, Type result, const Operator& op,
                  const Value& init, int turns, const Map& map = {}) {
  Sliced<T> data(host);
  for (const std::optional<Value>& start : {std::optional<Value>(), std::optional<Value>(init)}) {
    const Value want = transform_reduce(data.queue(0), erase(data.input()), result, op, start, map);
    for (const Offsets& offsets : test::cuts(host.size(), unit, turns)) {
      CAPTURE(test::text_of(offsets));
      CHECK(over(data.slices(offsets), result, op, start, map) == want);
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("group_reduce");

TEST_CASE("a sum over a group has the bits of one device's, whatever the split") {
  const auto f32 = test::drawn(test::sums<float>(), 41'234);
  check_splits(f32, 4096, Type::f32, plus, 0.5F, 12);
  check_splits(test::drawn(test::products<double>(), 17'000), 2048, Type::f64, multiplies, 1.5, 8);
  // What is accumulated in another type.
  check_splits(f32, 2048, Type::f64, plus, 0.1, 3, "x * x");
}

TEST_CASE("the bits are those of the reference") {
  const auto host = test::drawn(test::sums<float>(), 20'001);
  Sliced<float> data(host);
  const auto want =
      reference::v1::reduce<float>(OperatorKind::plus, std::span<const float>(host), -3.5F);
  for (const Offsets& offsets : test::cuts(host.size(), 4096, 3)) {
    CHECK(over(data.slices(offsets), Type::f32, plus, -3.5F) == Value(want));
  }
}

TEST_CASE("halves are summed as floats over a group, and rounded once") {
  std::vector<f16> host;
  for (const float x : test::numbers<float>(30'000, 8)) host.emplace_back(x);
  check_splits(host, 4096, Type::f16, plus, f16(0.25F), 5);
}

TEST_CASE("an operator that does not commute keeps index order over a group") {
  const auto maps = test::maps<app::Map32>();
  check_splits(test::drawn(maps, 19'000), 4096, type_of<app::Map32>(), maps.op, maps.init, 6);
}

TEST_CASE("an operator without identity over a group") {
  const Operator op = Operator::user("least_sum", "a + b < a ? a + b : a + b + 0.25f", Type::f32);
  check_splits(test::drawn(test::sums<float>(), 19'000), 8192, Type::f32, op, 0.5F, 3);
}

TEST_CASE("complex numbers are summed and multiplied over a group") {
  std::vector<std::complex<float>> host;
  const auto parts = test::drawn(test::products<float>(), 18'000);
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    host.emplace_back(parts[i], parts[i + 1] / 1024);
  }
  const Value init = std::complex<float>(1.5F, -0.25F);
  check_splits(host, 4096, Type::complex64, plus, init, 2);
  check_splits(host, 4096, Type::complex64, multiplies, init, 2);
  Sliced<std::complex<float>> data(host);
  const auto none = data.slices({0, 0, 0});
  CHECK(over(none, Type::complex64, multiplies, {}) == Value(std::complex<float>(1, 0)));
}

TEST_CASE("a struct of sums has the bits of one device's over a group") {
  const auto host = test::drawn(test::sums<float>(), 20'000);
  Sliced<float> data(host);
  const std::vector<Reduction> wanted{
      {plus, Type::f32}, {maximum, Type::f32}, {plus, Type::f64, "x * x", Value(2.0)}};
  const std::vector<Value> want = reduce_many(data.queue(0), erase(data.input()), wanted);
  for (const Offsets& offsets : test::cuts(host.size(), 2048, 3)) {
    CAPTURE(test::text_of(offsets));
    Group group = Group::in_process(static_cast<std::uint32_t>(offsets.size() - 1));
    CHECK(reduce_many(group, data.slices(offsets), wanted) == want);
  }
}

TEST_CASE("exact operators, extremes with global indices and counts over a group") {
  std::vector<std::int32_t> host(5000);
  test::Random random(test::seed());
  for (auto& x : host) x = static_cast<std::int32_t>(random.between(-50, 50));
  Sliced<std::int32_t> data(host);
  const ErasedView all = erase(data.input());
  Queue& queue = data.queue(0);
  for (const Offsets& offsets : test::cuts(host.size(), 700, 4)) {
    CAPTURE(test::text_of(offsets));
    const auto slices = data.slices(offsets);
    Group group = Group::in_process(static_cast<std::uint32_t>(slices.size()));
    for (const Operator& op : {Operator(plus), Operator(bit_xor), Operator(minimum)}) {
      const Value init = std::int32_t{7};
      CHECK(reduce(group, slices, op, init) == reduce(queue, all, op, init));
    }
    // The bytes between a value and its index say nothing.
    using Found = Indexed<std::int32_t>;
    CHECK(argmin(group, slices).as<Found>() == argmin(queue, all).as<Found>());
    CHECK(argmax(group, slices).as<Found>() == argmax(queue, all).as<Found>());
    CHECK(minmax(group, slices) == minmax(queue, all));
    CHECK(count_if(group, slices, "x > 3") == count_if(queue, all, "x > 3"));
  }
}

TEST_CASE("extremes of floats over a group have global indices, and NaN wins") {
  auto host = test::drawn(test::sums<float>(), 9'000);
  host[7'001] = host[3] = 1e30F;  // The first of equals.
  Sliced<float> data(host);
  const ErasedView all = erase(data.input());
  for (const bool with_nan : {false, true}) {
    if (with_nan) {
      const auto nan = std::numeric_limits<float>::quiet_NaN();
      data.queue(0).upload(std::span(&nan, 1), data.input().view(6'000, 1));
    }
    for (const Offsets& offsets : test::cuts(host.size(), 2048, 4)) {
      CAPTURE(test::text_of(offsets));
      const auto slices = data.slices(offsets);
      Group group = Group::in_process(static_cast<std::uint32_t>(slices.size()));
      CHECK(argmin(group, slices).as<Indexed<float>>().index ==
            argmin(data.queue(0), all).as<Indexed<float>>().index);
      CHECK(argmax(group, slices).as<Indexed<float>>().index == (with_nan ? 6'000U : 3U));
      CHECK(argmax(group, slices).as<Indexed<float>>().index == (with_nan ? 6'000U : 3U));
    }
  }
}

TEST_CASE("two arrays over a group") {
  const auto x = test::drawn(test::sums<float>(), 20'000);
  std::vector<double> y(x.begin(), x.end());
  std::reverse(y.begin(), y.end());
  Sliced<float> first(x);
  Sliced<double> second(y);
  const Map map = "x * y + x";
  const Value want = transform_reduce(first.queue(0), erase(first.input()), erase(second.input()),
                                      Type::f64, plus, {}, map);
  for (const Offsets& offsets : test::cuts(x.size(), 2048, 3)) {
    auto slices = first.slices(offsets);
    const auto others = second.slices(offsets);
    for (std::size_t rank = 0; rank < slices.size(); ++rank) {
      slices[rank].second = others[rank].input;
    }
    CAPTURE(test::text_of(offsets));
    CHECK(over(slices, Type::f64, plus, {}, map) == want);
  }
}

TEST_CASE("a group reduces nothing as one device does") {
  Sliced<float> data(std::vector<float>(4));
  const auto none = data.slices({0, 0, 0});
  CHECK(over(none, Type::f32, plus, {}) == Value(0.0F));
  CHECK(over(none, Type::f32, plus, -0.0F) == Value(-0.0F));
  Group group = Group::in_process(2);
  CHECK(argmin(group, none).as<Indexed<float>>().index == no_index);
  const Operator first = Operator::user("first", "a", Type::f32);
  const auto failure =
      test::failure_of([&] { static_cast<void>(over(none, Type::f32, first, {})); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
}

TEST_CASE("in any order a group sums what there is") {
  std::vector<float> host(10'000, 1.0F);
  Sliced<float> data(host);
  for (const Offsets& offsets : test::cuts(host.size(), 4096, 2)) {
    CHECK(over(data.slices(offsets), Type::f32, plus, 0.5F, {}, Order::any) == Value(10'000.5F));
  }
}

TEST_CASE("the typed calls over a group") {
  const auto host = test::drawn(test::sums<float>(), 9000);
  Sliced<float> data(host);
  Buffer<float> a = data.queue(0).upload(std::span(host).first(5000));
  Buffer<float> b = data.queue(0).upload(std::span(host).last(4000));
  const float want = reduce(data.queue(0), data.input(), plus, 0.25F);
  CHECK(reduce({{data.queue(1), a}, {data.queue(2), b}}, plus, 0.25F) == want);
  Group alone = Group::in_process(1);
  CHECK(reduce(data.queue(0), alone, data.input(), plus, 0.25F) == want);
  CHECK(reduce(data.queue(0), alone, data.input(), plus) ==
        reduce(data.queue(0), data.input(), plus));
  // One rank's index is the array's.
  CHECK(transform_reduce(data.queue(0), alone, data.input(), plus, 0.0F, "x * (f32)i") ==
        transform_reduce(data.queue(0), data.input(), plus, 0.0F, "x * (f32)i"));
}

TEST_CASE("values go with what ranks say first, where counts are those of the last call") {
  constexpr std::uint64_t leaf = 4096;
  const auto host = test::drawn(test::sums<float>(), 8 * leaf);
  Sliced<float> data(host);
  Group group = Group::in_process(2);
  const Value want = reduce(data.queue(0), erase(data.input()), plus, 0.0F);
  const Offsets even{0, 4 * leaf, 8 * leaf};
  const Offsets odd{0, leaf + 1, 8 * leaf};
  for (const Offsets& offsets : {even, even, odd, odd, even, even}) {
    CHECK(reduce(group, data.slices(offsets), plus, 0.0F) == want);
  }
  // Other counts with the same sum, and another type of as many elements.
  CHECK(reduce(group, data.slices({0, 8 * leaf, 8 * leaf}), plus, 0.0F) == want);
  CHECK(transform_reduce(group, data.slices(even), Type::f64, plus, {}, {}) ==
        transform_reduce(data.queue(0), erase(data.input()), Type::f64, plus, {}, {}));
}

TEST_CASE("what a group cannot do is refused, and the queue goes on") {
  Sliced<float> data(std::vector<float>(5000, 1.0F));
  const auto slices = data.slices({0, 100, 5000});
  Group group = Group::in_process(2);
  const auto refusal = [&](const auto& call) { return test::failure_of(call); };
  const auto index = refusal([&] {
    static_cast<void>(transform_reduce(group, slices, Type::f32, plus, {}, "x + (f32)i"));
  });
  CHECK(index.category == ErrorCategory::unsupported);
  CHECK(index.mentions("rank 0: a map that names i"));
  const Map scaled("x * k", {{"k", Type::f32}});
  const auto scalars = refusal(
      [&] { static_cast<void>(transform_reduce(group, slices, Type::f32, plus, {}, scaled)); });
  CHECK(scalars.category == ErrorCategory::unsupported);
  CHECK(scalars.mentions("a text with scalars, over a group"));
  const auto few = refusal([&] { static_cast<void>(reduce(group, {slices[0]}, plus, 0.0F)); });
  CHECK(few.category == ErrorCategory::invalid_argument);
  CHECK(few.mentions("slices of 1 ranks"));
  Buffer<std::int32_t> other(data.queue(0).device(), 10);
  const auto types = refusal([&] {
    static_cast<void>(reduce(group, {slices[0], {data.queue(1), other}}, plus, 0.0F));
  });
  CHECK(types.category == ErrorCategory::invalid_argument);
  CHECK(types.mentions("the elements' type differs between rank 0 and rank 1"));
  const auto kinds = refusal([&] { static_cast<void>(reduce(group, slices, bit_and, 0.0F)); });
  CHECK(kinds.category == ErrorCategory::invalid_argument);
  Slice twice = data.slice({0, 5000}, 0);
  twice.second = twice.input;
  Group one = Group::in_process(1);
  const std::vector<Reduction> sums{{plus, Type::f32}};
  const auto alone = refusal([&] { static_cast<void>(reduce_many(one, {twice}, sums)); });
  CHECK(alone.mentions("reduce_many: a slice has a second array"));
  const auto both = refusal([&] { static_cast<void>(reduce_many(group, {twice, twice}, sums)); });
  CHECK(both.mentions("reduce_many: a slice has a second array"));
  const DistributedOptions wide{.accumulate = Type::f64};
  for (Group* const over : {&one, &group}) {
    const auto all = over == &one ? std::vector{twice} : slices;
    const auto accumulates = [&](const auto& call) {
      const auto failure = refusal([&] { static_cast<void>(call()); });
      CHECK(failure.category == ErrorCategory::invalid_argument);
      CHECK(failure.mentions("accumulate"));
    };
    accumulates([&] { return reduce(*over, all, plus, 0.0F, wide); });
    accumulates([&] { return argmin(*over, all, wide); });
    accumulates([&] { return argmax(*over, all, wide); });
    accumulates([&] { return minmax(*over, all, wide); });
    accumulates([&] { return count_if(*over, all, "x > 0", wide); });
    accumulates([&] { return reduce_many(*over, all, sums, wide); });
  }
  CHECK(reduce(group, slices, plus, 0.0F) == Value(5000.0F));
  CHECK_THROWS_AS(Group(nullptr), Error);
  CHECK_THROWS_AS(static_cast<void>(Group::in_process(0)), Error);
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("group_splits");

TEST_CASE("reductions of many splits of every kind of element") {
  check_splits(test::drawn(test::sums<float>(), 300'001), 4096, Type::f32, plus, 0.5F, 200);
  check_splits(test::drawn(test::sums<double>(), 100'001), 2048, Type::f64, plus, 0.5, 150);
  const auto maps = test::maps<app::Map32>();
  check_splits(test::drawn(maps, 90'001), 4096, type_of<app::Map32>(), maps.op, maps.init, 80);
  const auto wide = test::maps<app::Map64>();
  check_splits(test::drawn(wide, 50'001), 2048, type_of<app::Map64>(), wide.op, wide.init, 60);
  std::vector<bf16> halves;
  for (const float x : test::numbers<float>(70'000, 8)) halves.emplace_back(x);
  check_splits(halves, 4096, Type::bf16, plus, bf16(0.25F), 60);
  check_splits(std::vector<std::uint8_t>(9'000, 3), 100, Type::u64, plus, std::uint64_t{1}, 20);
}

TEST_SUITE_END();

}  // namespace bifold
