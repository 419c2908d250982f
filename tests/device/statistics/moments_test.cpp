// Mean and variance: the bits of order v1, what cancellation leaves, and what is no number.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/statistics/inputs.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/same_bits.hpp"

namespace bifold {

using test::numbers_around;
using test::same_bits;

namespace {

// The sum in f64, in order v1.
template <class T>
double sum_of(const std::vector<T>& x) {
  return reference::v1::reduce<double>(
      std::span<const T>(x), [](T e) { return static_cast<double>(e); },
      [](double a, double b) { return a + b; });
}

template <class T>
double variance_by_sums(const std::vector<T>& x, double ddof) {
  const auto n = static_cast<double>(x.size());
  const auto s = reference::v1::reduce<PowerSums>(
      std::span<const T>(x),
      [](T e) {
        const auto wide = static_cast<double>(e);
        return PowerSums{wide, wide * wide};
      },
      [](PowerSums a, PowerSums b) {
        return PowerSums{a.sum + b.sum, a.squares + b.squares};
      });
  return std::max(s.squares - s.sum * (s.sum / n), 0.0) / std::max(n - ddof, 0.0);
}

template <class Acc, class T>
Moments<Acc> moments_of(const std::vector<T>& x) {
  return reference::v1::reduce<Moments<Acc>>(
      std::span<const T>(x),
      [](T e) {
        return Moments<Acc>{1, static_cast<Acc>(e), 0};
      },
      [](Moments<Acc> a, Moments<Acc> b) {
        const Acc d = b.mean - a.mean;
        const Acc weight = same_bits(a.count, b.count) ? Acc(0.5) : b.count / (a.count + b.count);
        return Moments<Acc>{a.count + b.count, a.mean + d * weight,
                            a.squares + (b.squares + d * d * (a.count * weight))};
      });
}

template <class Acc, class T>
Acc variance_by_moments(const std::vector<T>& x, double ddof) {
  const auto n = static_cast<Acc>(x.size());
  return moments_of<Acc>(x).squares / std::max(n - static_cast<Acc>(ddof), Acc(0));
}

// Two passes in long double.
template <class T>
double exact_variance(const std::vector<T>& x) {
  long double sum = 0;
  for (const T e : x) sum += static_cast<long double>(e);
  const long double mean = sum / static_cast<long double>(x.size());
  long double squares = 0;
  for (const T e : x) {
    const long double off = static_cast<long double>(e) - mean;
    squares += off * off;
  }
  return static_cast<double>(squares / static_cast<long double>(x.size()));
}

template <class T>
void check_bits() {
  Queue queue(test::device());
  for (const std::size_t n : {1U, 2U, 31U, 1000U, 4097U, 40000U}) {
    CAPTURE(name_of(type_of<T>()));
    CAPTURE(n);
    const std::vector<T> x = numbers_around<T>(n, 10, 90);
    const auto input = queue.upload(std::span<const T>(x));
    using Result = mean_t<T>;
    CHECK(same_bits(mean(queue, input), static_cast<Result>(sum_of(x) / static_cast<double>(n))));
    for (const double ddof : {0.0, 1.0}) {
      const double expected = sizeof(T) <= 2 || type_of<T>() == Type::f32
                                  ? variance_by_sums(x, ddof)
                                  : variance_by_moments<double>(x, ddof);
      CHECK(same_bits(variance(queue, input, ddof), static_cast<Result>(expected)));
    }
  }
}

double relative(double got, double expected) { return std::abs(got / expected - 1); }

}  // namespace

TEST_SUITE_BEGIN("moments");

TEST_CASE("mean and variance have the bits of order v1, of every type of numbers") {
  if (!test::device().supports(Type::f64)) return;
  check_bits<std::int8_t>();
  check_bits<std::uint16_t>();
  check_bits<std::int32_t>();
  check_bits<std::uint64_t>();
  check_bits<float>();
  check_bits<double>();
}

TEST_CASE("mean and variance of halves are those of their values") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  const std::vector<float> values = numbers_around<float>(5000, 3, 40);
  std::vector<f16> halves;
  std::vector<float> rounded;
  for (const float x : values) {
    halves.emplace_back(x);
    rounded.push_back(static_cast<float>(halves.back()));
  }
  const auto input = queue.upload(std::span<const f16>(halves));
  CHECK(mean(queue, input) == static_cast<float>(sum_of(rounded) / 5000.0));
  CHECK(variance(queue, input) == static_cast<float>(variance_by_sums(rounded, 0)));
  auto result = queue.allocate<f16>(1);
  mean_into(queue, erase(input), erase(result));
  CHECK(queue.download(result)[0] == f16(mean(queue, input)));
}

TEST_CASE("in f32, for devices without f64, both have the bits of order v1 too") {
  Queue queue(test::device());
  const std::vector<float> x = numbers_around<float>(4097, 10, 90);
  const auto input = queue.upload(std::span<const float>(x));
  const ReduceOptions narrow{.accumulate = Type::f32};
  const auto sum = reference::v1::reduce<float>(
      std::span<const float>(x), [](float e) { return e; }, [](float a, float b) { return a + b; });
  CHECK(same_bits(mean(queue, input, narrow), sum / 4097.0F));
  CHECK(same_bits(variance(queue, input, 1, narrow), variance_by_moments<float>(x, 1)));
}

TEST_CASE("variance loses little where numbers are far from 0") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  const auto of = [&](const auto& x) { return variance(queue, queue.upload(std::span(x))); };
  const std::vector<float> floats = numbers_around<float>(30000, 1e4, 1);
  CHECK(relative(of(floats), exact_variance(floats)) < 1e-6);
  const std::vector<double> doubles = numbers_around<double>(30000, 1e9, 1);
  CHECK(relative(of(doubles), exact_variance(doubles)) < 1e-6);
  const std::vector<std::int64_t> integers = numbers_around<std::int64_t>(30000, 1e12, 1000);
  CHECK(relative(of(integers), exact_variance(integers)) < 1e-6);
  CHECK(of(std::vector<double>(1000, 0.1)) == 0);
  CHECK(of(std::vector<float>(1000, 0.1F)) < 1e-16F);
}

TEST_CASE("mean and variance of nothing, one element, infinities and NaN") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  const auto check = [&]<class T>(T) {
    const auto up = [&](std::vector<T> x) { return queue.upload(std::span<const T>(x)); };
    const T huge = std::numeric_limits<T>::infinity();
    CHECK(std::isnan(mean(queue, up({}))));
    CHECK(std::isnan(variance(queue, up({}))));
    CHECK(mean(queue, up({3})) == 3);
    CHECK(variance(queue, up({3})) == 0);
    CHECK(std::isnan(variance(queue, up({3}), 1)));
    CHECK(variance(queue, up({3, 5}), 1) == 2);
    CHECK(variance(queue, up({3, 5}), 2) == huge);
    CHECK(variance(queue, up({3, 5}), 9) == huge);
    CHECK(mean(queue, up({1, huge, 2})) == huge);
    CHECK(std::isnan(mean(queue, up({-huge, huge, 2}))));
    CHECK(std::isnan(variance(queue, up({1, huge, 2}))));
    CHECK(std::isnan(variance(queue, up({huge}))));
    CHECK(std::isnan(mean(queue, up({1, std::numeric_limits<T>::quiet_NaN()}))));
    CHECK(std::isnan(variance(queue, up({1, std::numeric_limits<T>::quiet_NaN(), 2}))));
  };
  check(1.0F);
  check(1.0);
}

TEST_CASE("the mean of floats neither overflows nor loses small summands") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  const std::vector<float> big(1000, 3e38F);
  CHECK(mean(queue, queue.upload(std::span<const float>(big))) == 3e38F);
  std::vector<float> small(100000, 1e-3F);
  small[0] = 1e8F;
  const double expected = (1e8 + 99999 * static_cast<double>(1e-3F)) / 1e5;
  CHECK(mean(queue, queue.upload(std::span<const float>(small))) == static_cast<float>(expected));
}

TEST_CASE("means of complex numbers are complex, and their variance is refused") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  const std::vector<std::complex<float>> x{{1, 2}, {3, -5}, {-1, 9}};
  const auto input = queue.upload(std::span<const std::complex<float>>(x));
  CHECK(mean(queue, input) == std::complex<float>(1, 2));
  CHECK(mean(queue, input, {.accumulate = Type::complex64}) == std::complex<float>(1, 2));
  auto wide = queue.allocate<std::complex<double>>(1);
  mean_into(queue, erase(input), erase(wide));
  CHECK(queue.download(wide)[0] == std::complex<double>(1, 2));
  const auto failure = test::failure_of([&] { (void)variance(queue, erase(input), 0); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("real numbers"));
}

TEST_CASE("of lines each has its own, and variance and mean come from one reading") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  constexpr std::uint64_t rows = 37;
  constexpr std::uint64_t columns = 211;
  const std::vector<float> x = numbers_around<float>(rows * columns, 5, 30);
  const auto input = queue.upload(std::span<const float>(x));
  for (const bool along_rows : {true, false}) {
    CAPTURE(along_rows);
    const std::uint64_t count = along_rows ? rows : columns;
    const std::uint64_t length = along_rows ? columns : rows;
    auto variances = queue.allocate<float>(count);
    auto means = queue.allocate<double>(count);
    variance_mean_into(
        queue, erase(input), erase(variances), erase(means), 1,
        {.lines = along_rows ? Lines::rows(rows, columns) : Lines::columns(rows, columns)});
    const std::vector<float> got = queue.download(variances);
    const std::vector<double> got_means = queue.download(means);
    std::size_t wrong = 0;
    for (std::uint64_t line = 0; line < count; ++line) {
      const std::vector<float> alone = test::line_of(x, columns, along_rows, line);
      const auto expected = static_cast<float>(variance_by_sums(alone, 1));
      wrong += same_bits(got[line], expected) ? 0U : 1U;
      const double mean_of_line = sum_of(alone) / static_cast<double>(length);
      // A struct's leaves have other columns than a number's.
      wrong += relative(got_means[line], mean_of_line) < 1e-12 ? 0U : 1U;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("n may lie in device memory, where a larger one counts as the view's") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  const std::vector<double> x = numbers_around<double>(3000, 5, 30);
  const auto input = queue.upload(std::span<const double>(x));
  const auto check = [&]<class Count>(Count) {
    for (const std::uint64_t n : {std::uint64_t{0}, std::uint64_t{1000}, std::uint64_t{5000}}) {
      CAPTURE(n);
      const std::vector<Count> counts{static_cast<Count>(n)};
      const auto count = queue.upload(std::span<const Count>(counts));
      const ReduceOptions options{.count_from = erase(count)};
      const std::vector<double> first(
          x.begin(), x.begin() + static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(n, 3000)));
      const auto alone = queue.upload(std::span<const double>(first));
      CHECK(same_bits(mean(queue, input, options), mean(queue, alone)));
      CHECK(same_bits(variance(queue, input, 1, options), variance(queue, alone, 1)));
    }
  };
  check(std::uint32_t{});
  check(std::uint64_t{});
}

TEST_CASE("mean and variance refuse what they cannot mean") {
  Queue queue(test::device());
  const std::vector<float> x{1, 2, 3};
  const auto input = queue.upload(std::span<const float>(x));
  auto result = queue.allocate<float>(1);
  auto integer = queue.allocate<std::int32_t>(1);
  const auto refused = [&](const char* word, auto call) {
    const auto failure = test::failure_of(call);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions(word));
  };
  refused("floating", [&] { mean_into(queue, erase(input), erase(integer)); });
  refused("floating", [&] { variance_into(queue, erase(input), erase(integer), 0); });
  refused("floating",
          [&] { variance_mean_into(queue, erase(input), erase(result), erase(integer), 0); });
  refused("i32", [&] { (void)mean(queue, input, {.accumulate = Type::i32}); });
  refused("complex64", [&] { (void)mean(queue, input, {.accumulate = Type::complex64}); });
  refused("result map", [&] { (void)mean(queue, input, {.result_map = ResultMap("s")}); });
  refused("initial value", [&] { (void)mean(queue, input, {.init_from = erase(input)}); });
  const std::vector<LogSum<float>> structs(3);
  const auto of_structs = queue.upload(std::span<const LogSum<float>>(structs));
  refused("numbers", [&] { (void)mean(queue, erase(of_structs)); });
}

TEST_SUITE_END();

}  // namespace bifold
