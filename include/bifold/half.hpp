/// @file
/// The 16-bit floating types: stored, and computed with as float.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>

namespace bifold {

namespace detail {

// Comparisons that mean exactly this, and of which no compiler warns.
template <class T>
constexpr bool is_zero(T x) noexcept {
  if constexpr (std::integral<T>) {
    return x == T{0};
  } else {
    return x <= T{0} && x >= T{0};
  }
}
template <class T>
constexpr bool is_nan(T x) noexcept {
  if constexpr (std::integral<T>) {
    return false;
  } else {
    return !(x <= T{0}) && !(x >= T{0});
  }
}

/// `x` as a float of which the last bit tells whether something was lost: rounded once more, to
/// half as many bits or less, it gives what rounding `x` at once would.
constexpr float to_odd(double x) noexcept {
  constexpr float most = (std::numeric_limits<float>::max)();
  const double magnitude = x < 0 ? -x : x;
  if (magnitude > static_cast<double>(most) && magnitude <= (std::numeric_limits<double>::max)()) {
    return x < 0 ? -most : most;
  }
  const auto nearest = static_cast<float>(x);
  const auto rounded = static_cast<double>(nearest);
  // The same, or NaN.
  if (!(rounded < x) && !(rounded > x)) return nearest;
  const bool away = x < 0 ? rounded < x : rounded > x;
  const std::uint32_t towards_zero = std::bit_cast<std::uint32_t>(nearest) - (away ? 1U : 0U);
  return std::bit_cast<float>(towards_zero | 1U);
}

/// `value` without its last `count` bits, 1 to 31 of them, rounded to the nearest, ties to even.
constexpr std::uint32_t drop_bits(std::uint32_t value, std::uint32_t count) noexcept {
  const std::uint32_t below_half = (std::uint32_t{1} << (count - 1)) - 1;
  return (value + below_half + (value >> count & 1U)) >> count;
}

}  // namespace detail

/// @addtogroup types
/// @{

/// IEEE 754 binary16: 1 sign bit, 5 of exponent, 10 of fraction. A value to store: it converts to
/// float, exactly, wherever it is computed with or compared.
class f16 {  // NOLINT(readability-identifier-naming): as float is.
 public:
  /// +0.
  constexpr f16() noexcept = default;
  /// Rounded to the nearest, ties to even: infinity from 65520 on; NaN stays NaN.
  constexpr explicit f16(float x) noexcept : bits_(rounded(std::bit_cast<std::uint32_t>(x))) {}
  /// The same, rounded once.
  constexpr explicit f16(double x) noexcept : f16(detail::to_odd(x)) {}
  /// The same of an integer as a double.
  template <std::integral T>
  constexpr explicit f16(T x) noexcept : f16(static_cast<double>(x)) {}

  /// The value with that representation.
  static constexpr f16 from_bits(std::uint16_t bits) noexcept {
    f16 value;
    value.bits_ = bits;
    return value;
  }
  /// Its representation.
  [[nodiscard]] constexpr std::uint16_t bits() const noexcept { return bits_; }

  /// The same value.
  constexpr operator float() const noexcept {  // NOLINT(google-explicit-constructor)
    const std::uint32_t sign = (bits_ & 0x8000U) << 16U;
    const std::uint32_t magnitude = bits_ & 0x7fffU;
    // Below the least normal number, a multiple of the least denormal one.
    if (magnitude < 0x400U) {
      const float value = static_cast<float>(magnitude) * 0x1p-24F;
      return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) | sign);
    }
    const std::uint32_t exponents = magnitude < 0x7c00U ? 0x1c000U : 0x38000U;
    return std::bit_cast<float>((magnitude + exponents) << 13U | sign);
  }

 private:
  static constexpr std::uint16_t rounded(std::uint32_t x) noexcept {
    const std::uint32_t sign = x >> 16U & 0x8000U;
    const std::uint32_t magnitude = x & 0x7fffffffU;
    return static_cast<std::uint16_t>(sign | rounded_magnitude(magnitude));
  }
  static constexpr std::uint32_t rounded_magnitude(std::uint32_t x) noexcept {
    if (x > 0x7f800000U) return 0x7e00U | (x >> 13U & 0x1ffU);
    if (x >= 0x47800000U) return 0x7c00U;
    if (x >= 0x38800000U) return detail::drop_bits(x - 0x38000000U, 13);
    // A multiple of the least denormal number, 2^-24; what has no half of it is nothing.
    const std::uint32_t shift = 126U - (x >> 23U);
    return shift > 24 ? 0U : detail::drop_bits((x & 0x7fffffU) | 0x800000U, shift);
  }

  std::uint16_t bits_ = 0;
};

/// bfloat16: the upper half of a float, with 1 sign bit, 8 of exponent and 7 of fraction. A value
/// to store, as f16.
class bf16 {  // NOLINT(readability-identifier-naming)
 public:
  /// +0.
  constexpr bf16() noexcept = default;
  /// Rounded to the nearest, ties to even, to infinity beyond the range; NaN stays NaN.
  constexpr explicit bf16(float x) noexcept : bits_(rounded(std::bit_cast<std::uint32_t>(x))) {}
  /// The same, rounded once.
  constexpr explicit bf16(double x) noexcept : bf16(detail::to_odd(x)) {}
  /// The same of an integer as a double.
  template <std::integral T>
  constexpr explicit bf16(T x) noexcept : bf16(static_cast<double>(x)) {}

  /// The value with that representation.
  static constexpr bf16 from_bits(std::uint16_t bits) noexcept {
    bf16 value;
    value.bits_ = bits;
    return value;
  }
  /// Its representation.
  [[nodiscard]] constexpr std::uint16_t bits() const noexcept { return bits_; }

  /// The same value.
  constexpr operator float() const noexcept {  // NOLINT(google-explicit-constructor)
    return std::bit_cast<float>(std::uint32_t{bits_} << 16U);
  }

 private:
  static constexpr std::uint16_t rounded(std::uint32_t x) noexcept {
    const bool nan = (x & 0x7fffffffU) > 0x7f800000U;
    return static_cast<std::uint16_t>(nan ? x >> 16U | 0x40U : detail::drop_bits(x, 16));
  }

  std::uint16_t bits_ = 0;
};

/// @}

}  // namespace bifold
