// Extremes with their places, counts, products of two arrays, compensated sums, several results.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/random.hpp"
#include "support/values/same_bits.hpp"

namespace bifold {

namespace {

constexpr std::size_t lengths[] = {1,   2,    3,    5,    31,   33,     127,
                                   129, 2047, 2049, 4097, 8193, 50'001, 262'145};

/// Few different values, so that extremes are met again and again; NaN and zeros of both signs.
template <class T>
std::vector<T> values_with_ties(std::size_t count) {
  test::Random random(test::seed());
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random.between(-50, 50));
  return values;
}

template <class T>
bool before(T a, T b, bool least) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
    if (a == b)
      return least ? std::signbit(a) && !std::signbit(b) : !std::signbit(a) && std::signbit(b);
  }
  return least ? a < b : b < a;
}

template <class T>
Indexed<T> first_of(std::span<const T> values, bool least) {
  Indexed<T> best{values[0], 0};
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (before(values[i], best.value, least)) best = {values[i], i};
  }
  return best;
}

template <class T>
bool same(T left, T right) {
  if constexpr (std::is_floating_point_v<T>) {
    return test::same_bits(left, right);
  } else {
    return left == right;
  }
}

template <class T>
void check_extremes(Queue& queue, const std::vector<T>& host, std::size_t offset, std::size_t n) {
  const auto data = queue.upload(std::span<const T>(host));
  const auto part = std::span<const T>(host).subspan(offset, n);
  CAPTURE(name_of(type_of<T>()));
  CAPTURE(n);
  CAPTURE(offset);
  const Indexed<T> least = first_of(part, true);
  const Indexed<T> greatest = first_of(part, false);
  const Indexed<T> low = argmin(queue, data.view(offset, n));
  const Indexed<T> high = argmax(queue, data.view(offset, n));
  CHECK(low.index == least.index);
  CHECK(same(low.value, least.value));
  CHECK(high.index == greatest.index);
  CHECK(same(high.value, greatest.value));
  const MinMax<T> both = minmax(queue, data.view(offset, n));
  CHECK(same(both.minimum, least.value));
  CHECK(same(both.maximum, greatest.value));
}

template <class T>
void check_type() {
  if (!test::device().supports(type_of<T>())) return;
  Queue queue(test::device());
  const auto host = values_with_ties<T>(262'160);
  for (const std::size_t n : lengths) check_extremes(queue, host, n % 7, n);
}

}  // namespace

TEST_SUITE_BEGIN("reductions");

TEST_CASE("argmin, argmax and minmax of every type") {
  check_type<std::int8_t>();
  check_type<std::uint16_t>();
  check_type<std::int32_t>();
  check_type<std::uint64_t>();
  check_type<float>();
  check_type<double>();
}

TEST_CASE("extremes of NaN, zeros and infinities") {
  Queue queue(test::device());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<std::vector<float>> inputs{
      {0.0F, -0.0F, 0.0F, -0.0F}, {-0.0F, 0.0F, -0.0F},         {1.0F, nan, -5.0F, nan},
      {infinity, infinity},       {-infinity, 3.0F, -infinity}, {nan},
  };
  for (const auto& input : inputs) check_extremes(queue, input, 0, input.size());
  auto late = std::vector<float>(20'000, 1.0F);
  late[19'999] = nan;
  late[12'345] = nan;
  check_extremes(queue, late, 0, late.size());
}

TEST_CASE("extremes of nothing") {
  Queue queue(test::device());
  const Buffer<std::int32_t> none(test::device(), 0);
  CHECK(argmin(queue, none) ==
        Indexed<std::int32_t>{std::numeric_limits<std::int32_t>::max(), no_index});
  CHECK(argmax(queue, none) ==
        Indexed<std::int32_t>{std::numeric_limits<std::int32_t>::lowest(), no_index});
  CHECK(minmax(queue, none) == MinMax<std::int32_t>{std::numeric_limits<std::int32_t>::max(),
                                                    std::numeric_limits<std::int32_t>::lowest()});
}

TEST_CASE("results that stay on the device") {
  Queue queue(test::device());
  const std::vector<std::int32_t> host{4, -2, 9, -2};
  const auto data = queue.upload(std::span<const std::int32_t>(host));
  auto place = queue.allocate<Indexed<std::int32_t>>(2);
  auto both = queue.allocate<MinMax<std::int32_t>>(1);
  auto count = queue.allocate<std::uint64_t>(1);
  argmin_into(queue, erase(data), erase(place.view(0, 1)));
  argmax_into(queue, erase(data), erase(place.view(1, 1)));
  minmax_into(queue, erase(data), erase(both));
  count_if_into(queue, erase(data), erase(count), "x < 0");
  CHECK(queue.download(place) == std::vector<Indexed<std::int32_t>>{{-2, 1}, {9, 2}});
  CHECK(queue.download(both)[0] == MinMax<std::int32_t>{-2, 9});
  CHECK(queue.download(count)[0] == 2);
  // A number is no place for both, unless a map makes one of them.
  auto number = queue.allocate<std::int32_t>(1);
  const auto failure = test::failure_of([&] { minmax_into(queue, erase(data), erase(number)); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("minmax leaves MinMax_i32, not i32"));
}

TEST_CASE("count_if") {
  Queue queue(test::device());
  const auto host = values_with_ties<float>(262'160);
  const auto data = queue.upload(std::span<const float>(host));
  for (const std::size_t n : lengths) {
    std::uint64_t positive = 0;
    std::uint64_t odd = 0;
    for (std::size_t i = 0; i < n; ++i) {
      positive += host[i] > 0.5F;
      odd += i % 2 == 1 && host[i] > 0.5F;
    }
    CHECK(count_if(queue, data.view(0, n), "x > 0.5f") == positive);
    CHECK(count_if(queue, data.view(0, n), "i % 2 == 1 && x > 0.5f") == odd);
  }
  CHECK(count_if(queue, data.view(0, 0), "x > 0.5f") == 0);
}

TEST_CASE("inner products: the bits of order v1, integers that wrap") {
  Queue queue(test::device());
  test::Random random(test::seed());
  std::vector<float> x(262'160);
  std::vector<float> y(262'160);
  for (float& value : x) value = static_cast<float>(random.real());
  for (float& value : y) value = static_cast<float>(random.real() * 1000);
  const auto first = queue.upload(std::span<const float>(x));
  const auto second = queue.upload(std::span<const float>(y));
  for (const std::size_t n : lengths) {
    for (const auto& [at, and_at] : {std::pair{0UL, 0UL}, {0, 1}, {3, 2}}) {
      std::vector<float> products(n);
      for (std::size_t i = 0; i < n; ++i) products[i] = x[at + i] * y[and_at + i];
      const float want = reference::v1::reduce(
          std::span<const float>(products), 1.5F, [](float p) { return p; }, std::plus<>());
      CHECK(test::same_bits(inner_product(queue, first.view(at, n), second.view(and_at, n), 1.5F),
                            want));
    }
  }
  const std::vector<std::int32_t> large(1000, 123'456'789);
  const auto data = queue.upload(std::span<const std::int32_t>(large));
  std::uint32_t wrapped = 7;
  for (const std::int32_t v : large)
    wrapped += static_cast<std::uint32_t>(v) * static_cast<std::uint32_t>(v);
  CHECK(inner_product(queue, data, data, 7) == static_cast<std::int32_t>(wrapped));
  std::int64_t wide = 7;
  for (const std::int32_t v : large) wide += std::int64_t{v} * v;
  CHECK(inner_product(queue, data, data, std::int64_t{7}) == wide);
  const std::vector<std::int32_t> signs{-1, 3, -5};
  const std::vector<std::int32_t> ones(3, 2);
  CHECK(inner_product(queue, queue.upload(std::span<const std::int32_t>(signs)),
                      queue.upload(std::span<const std::int32_t>(ones)), 0.5F) == -5.5F);
  CHECK_THROWS_AS(static_cast<void>(inner_product(queue, first, second, 0)), Error);
}

TEST_CASE("inputs about as large as a cache, and the elements before another kernel's") {
  Queue queue(test::device());
  test::Random random(test::seed());
  std::vector<float> host((std::size_t{100} << 20) / sizeof(float));
  for (float& value : host) value = static_cast<float>(random.real());
  const auto data = queue.upload(std::span<const float>(host));
  // From 50 to 96 MiB GPUs of sm_90 have a kernel of their own.
  for (const std::size_t mib : {50UL, 70UL, 96UL}) {
    for (const std::size_t less : {0UL, 1UL, 4097UL}) {
      const std::size_t n = (mib << 20) / sizeof(float) - less;
      const std::size_t at = less % 4;
      CAPTURE(n);
      const auto want = reference::v1::reduce(
          std::span<const float>(host).subspan(at, n), 1.5F, [](float x) { return x; },
          std::plus<>());
      CHECK(test::same_bits(reduce(queue, data.view(at, n), plus, 1.5F), want));
    }
    // Of two arrays, both count.
    const std::size_t half = (mib << 20) / sizeof(float) / 2 - 4;
    std::vector<float> products(half);
    for (std::size_t i = 0; i < half; ++i) products[i] = host[i] * host[half + i];
    const float want = reference::v1::reduce(
        std::span<const float>(products), 0.0F, [](float p) { return p; }, std::plus<>());
    CAPTURE(mib);
    CHECK(test::same_bits(inner_product(queue, data.view(0, half), data.view(half, half), 0.0F),
                          want));
  }
}

TEST_CASE("sums of bytes about as large as a cache") {
  Queue queue(test::device());
  test::Random random(test::seed());
  std::vector<std::uint8_t> host(std::size_t{97} << 20);
  for (std::uint8_t& value : host) value = static_cast<std::uint8_t>(random.below(256));
  const auto data = queue.upload(std::span<const std::uint8_t>(host));
  std::uint32_t sum = 0;
  std::size_t added = 0;
  for (const std::size_t mib : {24UL, 60UL, 96UL}) {
    for (const std::size_t n : {(mib << 20) - 1, mib << 20}) {
      CAPTURE(n);
      for (; added < n; ++added) sum += host[added];
      CHECK(reduce(queue, data.view(0, n), plus, std::uint32_t{0}) == sum);
      CHECK(reduce(queue, data.view(0, n), plus, std::uint8_t{0}) ==
            static_cast<std::uint8_t>(sum));
    }
  }
}

TEST_CASE("what is reduced was written by the call in front") {
  Queue queue(test::device());
  constexpr std::size_t n = (std::size_t{52} << 20) / sizeof(std::uint32_t);
  constexpr std::size_t turns = 6;
  Buffer<std::uint32_t> ones(test::device(), n);
  Buffer<std::uint32_t> running(test::device(), n);
  Buffer<std::uint32_t> sums(test::device(), turns);
  queue.fill(ones, 1U);
  queue.finish();
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    inclusive_scan(queue, ones, running, plus, turn * 1000U);
    reduce_into(queue, running, sums.view(turn, 1), plus);
  }
  const auto found = queue.download(sums);
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    const std::uint64_t want = std::uint64_t{n} * (n + 1) / 2 + std::uint64_t{n} * turn * 1000U;
    CHECK(found[turn] == static_cast<std::uint32_t>(want));
  }
}

TEST_CASE("a compensated sum has the same bits everywhere and loses next to nothing") {
  Queue queue(test::device());
  using Sum = CompensatedSum<float>;
  const auto combine = [](Sum a, Sum b) {
    const float sum = a.sum + b.sum;
    const float rest = sum - a.sum;
    return Sum{sum, (a.error + b.error) + ((a.sum - (sum - rest)) + (b.sum - rest))};
  };
  test::Random random(test::seed());
  std::vector<float> host(262'160);
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] =
        static_cast<float>(std::ldexp(random.real(), static_cast<int>(random.below(40)) - 20));
    // What was added is taken away later, so that a plain sum is mostly rounding errors.
    if (i % 2 == 1) host[i] = -host[i - 1] * (random.one_in(3) ? 0.999F : 1.0F);
  }
  const auto data = queue.upload(std::span<const float>(host));
  for (const std::size_t n : lengths) {
    const Sum want = reference::v1::reduce(
        std::span<const float>(host).first(n), Sum{0.5F, 0.0F},
        [](float x) {
          return Sum{x, 0.0F};
        },
        combine);
    const float got = sum_compensated(queue, data.view(0, n), 0.5F);
    CHECK_MESSAGE(test::same_bits(got, want.value()), "n ", n, ": ", got, " not ", want.value());
    long double exact = 0.5L;
    for (std::size_t i = 0; i < n; ++i) exact += host[i];
    CHECK(std::abs(got - exact) <= std::abs(exact) * 1e-6L);
  }
  const std::vector<float> huge{1e30F, std::numeric_limits<float>::infinity(), 1.0F};
  CHECK(sum_compensated(queue, queue.upload(std::span<const float>(huge)), 0.0F) == huge[1]);
  const std::vector<float> zeros(3000, -0.0F);
  CHECK(std::signbit(sum_compensated(queue, queue.upload(std::span<const float>(zeros)), -0.0F)));
}

TEST_CASE("several reductions from one reading are each what they are alone") {
  Queue queue(test::device());
  test::Random random(test::seed());
  std::vector<float> host(262'160);
  for (float& x : host)
    x = static_cast<float>(std::ldexp(random.real(), static_cast<int>(random.below(9))));
  const auto data = queue.upload(std::span<const float>(host));
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    const auto part = data.view(n % 5, n);
    const auto [sum, low, high, any] = reduce_many(queue, part, plus, minimum, maximum, logical_or);
    CHECK(test::same_bits(sum, reduce(queue, part, plus)));
    CHECK(low == reduce(queue, part, minimum));
    CHECK(high == reduce(queue, part, maximum));
    CHECK(any == 1.0F);
    const std::vector<Value> mixed = reduce_many(queue, erase(part),
                                                 {{plus, Type::f32, "x * x", Value(2.0F)},
                                                  {plus, Type::u32, "x > 0 ? 1 : 0", {}},
                                                  {maximum, Type::f32, "x < 0 ? -x : x", {}}});
    CHECK(
        test::same_bits(mixed[0].as<float>(), transform_reduce(queue, part, plus, 2.0F, "x * x")));
    CHECK(mixed[1].as<std::uint32_t>() == count_if(queue, part, "x > 0"));
    CHECK(mixed[2].as<float>() == transform_reduce(queue, part, maximum, 0.0F, "x < 0 ? -x : x"));
  }
}

TEST_CASE("what several reductions cannot be") {
  Queue queue(test::device());
  Buffer<float> data(test::device(), 3);
  const auto refused = [&](const std::vector<Reduction>& reductions) {
    try {
      static_cast<void>(reduce_many(queue, erase(data), reductions));
    } catch (const Error& error) {
      return error.category() == ErrorCategory::invalid_argument;
    }
    return false;
  };
  CHECK(refused({}));
  CHECK(refused(std::vector<Reduction>(9, {plus, Type::f32})));
  CHECK(refused({{Operator::user("mine", "a + b", Value(0.0F)), Type::f32}}));
  CHECK(refused({{plus, Type::i32}}));
  CHECK(refused({{plus, Type::f32, {}, Value(0.1)}}));
  CHECK(refused({{bit_and, Type::f32}}));
}

TEST_SUITE_END();

}  // namespace bifold
