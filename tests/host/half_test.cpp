// The 16-bit floating types: every value, and every rounding between two of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/half.hpp>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace bifold {

namespace {

/// How many bits of a format are fraction, and what its exponents are biased by.
template <class T>
struct Format;
template <>
struct Format<f16> {
  static constexpr int fraction = 10;
  static constexpr int bias = 15;
};
template <>
struct Format<bf16> {
  static constexpr int fraction = 7;
  static constexpr int bias = 127;
};

/// The value of a representation by the definition of the format.
template <class T>
double meaning(std::uint32_t bits) {
  constexpr int width = Format<T>::fraction;
  const int exponent = static_cast<int>((bits & 0x7fffU) >> width);
  const int fraction = static_cast<int>(bits & ((1U << width) - 1));
  constexpr int last = (1 << (15 - width)) - 1;
  double magnitude = 0;
  if (exponent == last) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, 1 - Format<T>::bias - width);
  } else {
    magnitude = std::ldexp(fraction + (1 << width), exponent - Format<T>::bias - width);
  }
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}

/// The representation of infinity.
template <class T>
constexpr std::uint16_t infinity_bits() {
  return ((1U << (15 - Format<T>::fraction)) - 1) << Format<T>::fraction;
}

/// Rounds what lies at, just below and just above the middle of neighbours `bits` and `bits` + 1,
/// where infinity counts as the next power of two.
template <class T, class Wide>
bool rounds_between(std::uint16_t bits) {
  const auto low = static_cast<Wide>(meaning<T>(bits));
  const bool last = bits + 1 == infinity_bits<T>();
  const auto high = last ? low + (low - static_cast<Wide>(meaning<T>(bits - 1U)))
                         : static_cast<Wide>(meaning<T>(bits + 1U));
  const Wide middle = low / 2 + high / 2;
  const auto next = static_cast<std::uint16_t>(bits + 1);
  const std::uint16_t even = bits % 2 == 0 ? bits : next;
  const auto is = [](Wide x, std::uint16_t want) {
    return T(x).bits() == want && T(-x).bits() == (want | 0x8000U);
  };
  return is(middle, even) && is(std::nextafter(middle, Wide{0}), bits) &&
         is(std::nextafter(middle, std::numeric_limits<Wide>::max()), next) &&
         is(std::nextafter(low, middle), bits) && (last || is(std::nextafter(high, middle), next));
}

}  // namespace

TEST_SUITE_BEGIN("half");

TEST_CASE_TEMPLATE("a value is two bytes that mean what the format says", T, f16, bf16) {
  static_assert(sizeof(T) == 2);
  static_assert(alignof(T) == 2);
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert(std::is_same_v<decltype(T(1) + T(2)), float>);
  static_assert(T().bits() == 0 && T(1.0F) == 1.0F && T(-2.5) < T(3) &&
                T(0.5).bits() == T(0.5F).bits());
  static_assert(T(1e300).bits() == infinity_bits<T>() && T(0x1p-1000).bits() == 0);
  int wrong = 0;
  for (std::uint32_t bits = 0; bits <= 0xffffU; ++bits) {
    const T value = T::from_bits(static_cast<std::uint16_t>(bits));
    const double want = meaning<T>(bits);
    const float as_float = value;
    const bool same = std::isnan(want)
                          ? std::isnan(as_float)
                          : as_float == want && std::signbit(as_float) == std::signbit(want);
    wrong += !same || value.bits() != bits;
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("every value comes back from float and from double", T, f16, bf16) {
  int wrong = 0;
  for (std::uint32_t bits = 0; bits <= 0xffffU; ++bits) {
    const float value = T::from_bits(static_cast<std::uint16_t>(bits));
    for (const T back : {T(value), T(static_cast<double>(value))}) {
      // A NaN may have become quiet, which leaves its sign.
      const bool same = std::isnan(value) ? std::isnan(static_cast<float>(back)) &&
                                                (back.bits() & 0x8000U) == (bits & 0x8000U)
                                          : back.bits() == bits;
      wrong += !same;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("between any two neighbours, rounding is to the nearest, ties to even", T, f16,
                   bf16) {
  int wrong = 0;
  for (std::uint16_t bits = 0; bits < infinity_bits<T>(); ++bits) {
    // Floats end where the last of these begins to overflow.
    const bool overflows = std::is_same_v<T, bf16> && bits + 1 == infinity_bits<T>();
    wrong += !overflows && !rounds_between<T, float>(bits);
    wrong += !rounds_between<T, double>(bits);
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("what is out of range is infinite, zero or NaN", T, f16, bf16) {
  using Floats = std::numeric_limits<float>;
  using Doubles = std::numeric_limits<double>;
  constexpr std::uint16_t infinite = infinity_bits<T>();
  CHECK(T(Floats::infinity()).bits() == infinite);
  CHECK(T(-Doubles::infinity()).bits() == (infinite | 0x8000U));
  CHECK(T(Floats::max()).bits() == infinite);
  CHECK(T(-Doubles::max()).bits() == (infinite | 0x8000U));
  CHECK(T(Floats::denorm_min()).bits() == 0);
  CHECK(T(-Doubles::denorm_min()).bits() == 0x8000U);
  CHECK(T(-0.0F).bits() == 0x8000U);
  CHECK(T(-0.0).bits() == 0x8000U);
  // NaNs whose upper bits of fraction are clear, too.
  for (const std::uint32_t nan : {0x7f800001U, 0xff800001U, 0x7fc00000U, 0xffffffffU}) {
    const float value = T(std::bit_cast<float>(nan));
    CHECK(std::isnan(value));
  }
  CHECK(std::isnan(static_cast<float>(T(Doubles::quiet_NaN()))));
  CHECK(std::isnan(static_cast<float>(T(-Doubles::signaling_NaN()))));
}

TEST_CASE("the ends of binary16's range") {
  CHECK(f16(65504.0F).bits() == 0x7bffU);
  CHECK(f16(std::nextafter(65520.0F, 0.0F)).bits() == 0x7bffU);
  CHECK(f16(65520.0F).bits() == 0x7c00U);
  CHECK(f16(std::nextafter(65520.0, 0.0)).bits() == 0x7bffU);
  CHECK(f16(0x1p-24F).bits() == 1);
  CHECK(f16(0x1p-25F).bits() == 0);
  CHECK(f16(std::nextafter(0x1p-25F, 1.0F)).bits() == 1);
  CHECK(f16(70000).bits() == 0x7c00U);
  CHECK(f16(std::uint64_t{2049}).bits() == f16(2048.0F).bits());
}

TEST_CASE_TEMPLATE("values compare as numbers", T, f16, bf16) {
  const T nan(std::numeric_limits<float>::quiet_NaN());
  CHECK(T(-0.0F) == T(0.0F));
  CHECK(nan != nan);
  CHECK_FALSE(nan < T(1));
  CHECK(T(1) < T(1.5F));
  CHECK(T(2) >= 2);
  CHECK(std::max(T(-3), T(2)) == 2.0);
}

TEST_SUITE_END();

}  // namespace bifold
