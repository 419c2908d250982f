// The Euclidean norm: the bits of order v1, and magnitudes whose squares fit into no number.
#include <doctest/doctest.h>

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

// In f64, in order v1.
template <class T>
double root_of_squares(const std::vector<T>& x) {
  return std::sqrt(reference::v1::reduce<double>(
      std::span<const T>(x), [](T e) { return static_cast<double>(e) * static_cast<double>(e); },
      [](double a, double b) { return a + b; }));
}

// In extended precision, whose exponents have room for all squares.
template <class T>
double exact(const std::vector<T>& x) {
  long double squares = 0;
  for (const T e : x) squares += static_cast<long double>(e) * static_cast<long double>(e);
  return static_cast<double>(std::sqrt(squares));
}

template <class T>
auto of(Queue& queue, const std::vector<T>& x, const ReduceOptions& options = {}) {
  return norm(queue, queue.upload(std::span<const T>(x)), options);
}

double relative(double got, double expected) { return std::abs(got / expected - 1); }

}  // namespace

TEST_SUITE_BEGIN("norm");

TEST_CASE("the norm has the bits of order v1 in f64") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  for (const std::size_t n : {1U, 31U, 4097U, 40000U}) {
    CAPTURE(n);
    const auto floats = numbers_around<float>(n, 0, 1e30);
    CHECK(same_bits(of(queue, floats), static_cast<float>(root_of_squares(floats))));
    const auto bytes = numbers_around<std::int8_t>(n, 0, 127);
    CHECK(same_bits(of(queue, bytes), root_of_squares(bytes)));
    const auto integers = numbers_around<std::int64_t>(n, 0, 9e18);
    CHECK(same_bits(of(queue, integers), root_of_squares(integers)));
  }
}

TEST_CASE("the norm of f64 neither overflows nor underflows, from the least to the greatest") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  for (int exponent = -1050; exponent <= 1000; exponent += 50) {
    CAPTURE(exponent);
    std::vector<double> x = numbers_around<double>(3000, 0, 4);
    for (double& e : x) e = std::ldexp(e, exponent);
    CHECK(relative(of(queue, x), exact(x)) < (exponent < -1022 ? 1e-6 : 1e-13));
  }
  // Two magnitudes in one array, at each limit.
  for (const int exponent : {-530, -511, -480, 480, 486, 500}) {
    CAPTURE(exponent);
    const std::vector<double> x{std::ldexp(1.5, exponent - 1), std::ldexp(1.25, exponent),
                                std::ldexp(1.75, exponent + 1), 0};
    CHECK(relative(of(queue, x), exact(x)) < 1e-15);
  }
  CHECK(of(queue, std::vector<double>{1e300, 1e-300, 1}) == 1e300);
  CHECK(of(queue, std::vector<double>{1e-300, 1e-300, 1}) == 1);
  constexpr double most = std::numeric_limits<double>::max();
  CHECK(of(queue, std::vector<double>{most}) == most);
  CHECK(of(queue, std::vector<double>{most, most}) == std::numeric_limits<double>::infinity());
}

TEST_CASE("in f32, for devices without f64, it keeps within its range too") {
  Queue queue(test::device());
  const ReduceOptions narrow{.accumulate = Type::f32};
  for (int exponent = -120; exponent <= 120; exponent += 10) {
    CAPTURE(exponent);
    std::vector<float> x = numbers_around<float>(3000, 0, 4);
    for (float& e : x) e = std::ldexp(e, exponent);
    CHECK(relative(of(queue, x, narrow), exact(x)) < 1e-5);
  }
}

TEST_CASE("the norm of nothing, infinities and NaN") {
  Queue queue(test::device());
  const auto check = [&]<class T>(T) {
    const ReduceOptions options{.accumulate = type_of<T>()};
    constexpr T infinity = std::numeric_limits<T>::infinity();
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    CHECK(of(queue, std::vector<T>{}, options) == 0);
    CHECK(of(queue, std::vector<T>{0, -T{0}}, options) == 0);
    CHECK(of(queue, std::vector<T>{-3}, options) == 3);
    CHECK(of(queue, std::vector<T>{1, -infinity}, options) == infinity);
    CHECK(std::isnan(of(queue, std::vector<T>{1, nan}, options)));
    CHECK(std::isnan(of(queue, std::vector<T>{infinity, nan}, options)));
    CHECK(std::isnan(of(queue, std::vector<T>{std::numeric_limits<T>::min(), nan}, options)));
  };
  check(1.0F);
  if (test::device().supports(Type::f64)) check(1.0);
}

TEST_CASE("the norm of complex numbers is that of their parts") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  CHECK(of(queue, std::vector<std::complex<float>>{{3, 0}, {0, -4}}) == 5);
  CHECK(of(queue, std::vector<std::complex<double>>{{3e200, 0}, {0, -4e200}}) ==
        doctest::Approx(5e200));
  CHECK(of(queue, std::vector<std::complex<double>>{{3, 4}}, {.accumulate = Type::f32}) == 5);
}

TEST_CASE("the norm of lines, and into a narrower type") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  constexpr std::uint64_t rows = 37;
  constexpr std::uint64_t columns = 211;
  const std::vector<double> x = numbers_around<double>(rows * columns, 0, 30);
  const auto input = queue.upload(std::span<const double>(x));
  auto result = queue.allocate<float>(rows);
  norm_into(queue, erase(input), erase(result), {.lines = Lines::rows(rows, columns)});
  const std::vector<float> got = queue.download(result);
  for (std::uint64_t row = 0; row < rows; ++row) {
    const std::vector<double> alone = test::line_of(x, columns, true, row);
    CHECK(same_bits(got[row], static_cast<float>(of(queue, alone))));
  }
}

TEST_CASE("the norm refuses what it cannot mean") {
  Queue queue(test::device());
  const std::vector<float> x{1, 2, 3};
  const auto input = queue.upload(std::span<const float>(x));
  auto integer = queue.allocate<std::int32_t>(1);
  const auto refused = [&](const char* word, auto call) {
    const auto failure = test::failure_of(call);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions(word));
  };
  refused("floating", [&] { norm_into(queue, erase(input), erase(integer)); });
  refused("i64", [&] { (void)norm(queue, input, {.accumulate = Type::i64}); });
  refused("result map", [&] { (void)norm(queue, input, {.result_map = ResultMap("s")}); });
}

TEST_SUITE_END();

}  // namespace bifold
