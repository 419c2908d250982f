// The functions whose bits are bifold's own, beside those of the host in more digits.
#include <doctest/doctest.h>

#include <bifold/reference/functions.hpp>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace bifold {

namespace {

// In units in the last place of `exact`, as a T has it.
template <class T, class Exact>
double units_off(T got, Exact exact) {
  if (std::isinf(got) && std::fabs(exact) > static_cast<Exact>(std::numeric_limits<T>::max())) {
    return 0;
  }
  int exponent = 0;
  std::frexp(exact, &exponent);
  const int least = std::numeric_limits<T>::min_exponent;
  const int last = (exponent > least ? exponent : least) - std::numeric_limits<T>::digits;
  return static_cast<double>(std::fabs(static_cast<Exact>(got) - exact) /
                             std::ldexp(Exact{1}, last));
}

/// The largest error over values whose bits lie between `first` and `last`, `step` apart.
template <class T, class Exact, class Bits, class Own, class Of>
double largest_error(Bits first, Bits last, std::type_identity_t<Bits> step, Own own, Of exact) {
  double largest = 0;
  for (Bits bits = first; bits <= last; bits += step) {
    const T x = std::bit_cast<T>(bits);
    const double error = units_off<T, Exact>(own(x), exact(static_cast<Exact>(x)));
    largest = error > largest ? error : largest;
    if (last - bits < step) break;
  }
  return largest;
}

std::uint32_t bits(float x) { return std::bit_cast<std::uint32_t>(x); }
std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

}  // namespace

TEST_SUITE_BEGIN("functions");

TEST_CASE("exp is less than one unit in the last place off") {
  const auto f32 = [](float x) { return reference::exp(x); };
  const auto f64 = [](double x) { return reference::exp(x); };
  const auto exact = [](auto x) { return std::exp(x); };
  CHECK(largest_error<float, double>(bits(1e-9F), bits(88.9F), 3037U, f32, exact) < 1);
  CHECK(largest_error<float, double>(bits(-1e-9F), bits(-104.0F), 3037U, f32, exact) < 1);
  // Where errors are largest: just below odd multiples of ln 2 / 2.
  CHECK(largest_error<float, double>(bits(26.5F), bits(27.0F), 1U, f32, exact) < 1);
  const std::uint64_t step = 792281625142;
  CHECK(largest_error<double, long double>(bits(1e-18), bits(709.9), step, f64, exact) < 1);
  CHECK(largest_error<double, long double>(bits(-1e-18), bits(-745.5), step, f64, exact) < 1);
}

TEST_CASE("log is less than one unit in the last place off") {
  const auto f32 = [](float x) { return reference::log(x); };
  const auto f64 = [](double x) { return reference::log(x); };
  const auto exact = [](auto x) { return std::log(x); };
  const float greatest = std::numeric_limits<float>::max();
  CHECK(largest_error<float, double>(1U, bits(greatest), 4099U, f32, exact) < 1);
  CHECK(largest_error<float, double>(bits(0.7F), bits(1.42F), 61U, f32, exact) < 1);
  const std::uint64_t last = bits(std::numeric_limits<double>::max());
  CHECK(largest_error<double, long double>(std::uint64_t{1}, last, 9223372036854, f64, exact) < 1);
  CHECK(largest_error<double, long double>(bits(0.7), bits(1.42), 4503599627, f64, exact) < 1);
}

TEST_CASE("exp and log of zeros, infinities and NaN") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(reference::exp(0.0F) == 1);
  CHECK(reference::exp(-0.0F) == 1);
  CHECK(reference::exp(infinity) == infinity);
  CHECK(reference::exp(100.0F) == infinity);
  CHECK(bits(reference::exp(-infinity)) == 0);
  CHECK(bits(reference::exp(-110.0F)) == 0);
  CHECK(std::isnan(reference::exp(nan)));
  CHECK(bits(reference::log(1.0F)) == 0);
  CHECK(reference::log(0.0F) == -infinity);
  CHECK(reference::log(-0.0F) == -infinity);
  CHECK(reference::log(infinity) == infinity);
  CHECK(std::isnan(reference::log(-1.0F)));
  CHECK(std::isnan(reference::log(-infinity)));
  CHECK(std::isnan(reference::log(nan)));
  CHECK(reference::exp(0.0) == 1);
  CHECK(std::isinf(reference::exp(710.0)));
  CHECK(bits(reference::exp(-800.0)) == 0);
  CHECK(std::isnan(reference::exp(std::numeric_limits<double>::quiet_NaN())));
  CHECK(reference::log(0.0) == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(reference::log(-2.0)));
  CHECK(std::isinf(reference::log(std::numeric_limits<double>::infinity())));
}

TEST_SUITE_END();

}  // namespace bifold
