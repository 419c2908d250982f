// The reference against definitions written differently.
#include <doctest/doctest.h>

#include <array>
#include <bifold/reference.hpp>
#include <bifold/reference/v1.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "support/values/random.hpp"

namespace bifold {

namespace {

// NOLINTNEXTLINE(modernize-use-using): the other form has no place for __extension__.
__extension__ typedef unsigned __int128 Wide;

/// Sum or product modulo 2^width, by 128-bit arithmetic.
template <class T>
T wrapped(OperatorKind kind, const std::vector<T>& values) {
  const Wide modulus = static_cast<Wide>(1) << (sizeof(T) * 8);
  Wide total = kind == OperatorKind::plus ? 0 : 1;
  for (const T value : values) {
    const auto bits = static_cast<std::make_unsigned_t<T>>(value);
    total = (kind == OperatorKind::plus ? total + bits : total * bits) % modulus;
  }
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(total));
}

template <class T>
std::vector<T> random_values(std::size_t count) {
  test::Random random(99);
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random.next());
  return values;
}

}  // namespace

TEST_SUITE_BEGIN("reference");

TEST_CASE_TEMPLATE("integers wrap around", T, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
  const auto values = random_values<T>(501);
  const std::span<const T> input(values);
  CHECK(reference::reduce(OperatorKind::plus, input, T{0}) == wrapped(OperatorKind::plus, values));
  std::vector<T> odd = values;
  for (T& value : odd) value = static_cast<T>(value | 1);
  CHECK(reference::reduce(OperatorKind::multiplies, std::span<const T>(odd), T{1}) ==
        wrapped(OperatorKind::multiplies, odd));
  // The largest value and one more is the smallest.
  const T top = std::numeric_limits<T>::max();
  CHECK(reference::combine(OperatorKind::plus, top, T{1}) == std::numeric_limits<T>::min());
}

TEST_CASE_TEMPLATE("scans are reductions of prefixes", T, std::int8_t, std::uint32_t, std::int64_t,
                   double) {
  for (const OperatorKind op : {OperatorKind::plus, OperatorKind::minimum, OperatorKind::maximum,
                                OperatorKind::logical_and, OperatorKind::logical_or}) {
    std::vector<T> values(130);
    test::Random random(3);
    for (T& value : values) value = static_cast<T>(random.between(-3, 90));
    const T init = static_cast<T>(5);
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      std::vector<T> output(values.size());
      reference::scan(kind, op, std::span<const T>(values), std::span<T>(output), init);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t taken = kind == ScanKind::inclusive ? i + 1 : i;
        const T want = reference::reduce(op, std::span<const T>(values.data(), taken), init);
        CHECK(output[i] == want);
      }
      std::vector<T> in_place = values;
      reference::scan(kind, op, std::span<const T>(in_place), std::span<T>(in_place), init);
      CHECK(in_place == output);
    }
  }
}

TEST_CASE_TEMPLATE("extrema order NaN, infinities and both zeros", T, float, double) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T inf = std::numeric_limits<T>::infinity();
  const T tiny = std::numeric_limits<T>::denorm_min();
  // Rising, as IEEE 754-2019 orders them.
  const std::array<T, 9> rising{-inf, T{-1}, -tiny, T{-0.0}, T{0.0}, tiny, T{1}, T{2}, inf};
  for (std::size_t i = 0; i < rising.size(); ++i) {
    for (std::size_t j = 0; j < rising.size(); ++j) {
      const T low = reference::combine(OperatorKind::minimum, rising[i], rising[j]);
      const T high = reference::combine(OperatorKind::maximum, rising[i], rising[j]);
      CHECK(Value(low).bits() == Value(rising[std::min(i, j)]).bits());
      CHECK(Value(high).bits() == Value(rising[std::max(i, j)]).bits());
    }
    for (const OperatorKind op : {OperatorKind::minimum, OperatorKind::maximum}) {
      CHECK(std::isnan(reference::combine(op, rising[i], nan)));
      CHECK(std::isnan(reference::combine(op, nan, rising[i])));
    }
  }
}

TEST_CASE("logical operators give 0 or 1, also of one element, and NaN is true") {
  const auto any = [](std::vector<double> values) {
    return reference::reduce(OperatorKind::logical_or, std::span<const double>(values), 0.0);
  };
  const auto all = [](std::vector<double> values) {
    return reference::reduce(OperatorKind::logical_and, std::span<const double>(values), 1.0);
  };
  CHECK(any({}) == 0.0);
  CHECK(any({-7.5}) == 1.0);
  CHECK(any({0.0, -0.0}) == 0.0);
  CHECK(any({0.0, std::nan("")}) == 1.0);
  CHECK(all({}) == 1.0);
  CHECK(all({42.0}) == 1.0);
  CHECK(all({std::nan(""), 3.0}) == 1.0);
  CHECK(all({3.0, -0.0}) == 0.0);
  const std::vector<float> small{0.25f, 0.5f};
  CHECK(reference::reduce<int>(OperatorKind::logical_and, std::span<const float>(small), 1) == 1);
}

TEST_CASE_TEMPLATE("without an initial value, floating sums of nothing are +0", T, float, double) {
  const auto bits = [](T x) { return Value(x).bits(); };
  const std::vector<T> zeros(3, T{-0.0});
  const std::span<const T> input(zeros);
  CHECK(bits(reference::reduce<T>(OperatorKind::plus, input.first(0))) == bits(T{0}));
  CHECK(bits(reference::reduce<T>(OperatorKind::plus, input)) == bits(T{-0.0}));
  CHECK(bits(reference::v1::reduce<T>(OperatorKind::plus, input.first(0))) == bits(T{0}));
  CHECK(bits(reference::v1::reduce<T>(OperatorKind::plus, input)) == bits(T{-0.0}));
  CHECK(reference::reduce<T>(OperatorKind::minimum, input.first(0)) ==
        std::numeric_limits<T>::infinity());
  CHECK(reference::v1::reduce<T>(OperatorKind::multiplies, input.first(0)) == T{1});
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
    const T first = kind == ScanKind::exclusive ? T{0} : T{-0.0};
    std::vector<T> output(3);
    reference::scan<T>(kind, OperatorKind::plus, input, std::span(output));
    CHECK(bits(output[0]) == bits(first));
    CHECK(bits(output[1]) == bits(T{-0.0}));
    output.assign(3, T{9});
    reference::v1::scan<T>(kind, OperatorKind::plus, input, std::span(output));
    CHECK(bits(output[0]) == bits(first));
    CHECK(bits(output[2]) == bits(T{-0.0}));
  }
}

TEST_CASE("the accumulator's type decides where sums wrap") {
  const std::vector<std::uint8_t> values(300, std::uint8_t{255});
  const std::span<const std::uint8_t> input(values);
  CHECK(reference::reduce(OperatorKind::plus, input, std::uint64_t{0}) == 76500);
  CHECK(reference::reduce(OperatorKind::plus, input, std::uint8_t{0}) == 76500 % 256);
  CHECK(reference::reduce(OperatorKind::plus, input, 0.0f) == 76500.0f);
}

TEST_SUITE_END();

}  // namespace bifold
