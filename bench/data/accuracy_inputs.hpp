// How exact a sum is: the inputs, their exact sums and the errors of others. In C++17 and without
// bifold, so that a program that measures another library takes the very same inputs.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace bench {

/// Where elements come from. Each is made of random bits by operations that round in one way only,
/// so it is the same on every host.
enum class Family : std::uint8_t {
  positive,     ///< Uniform in [0, 1), in steps of the type's precision.
  signs,        ///< Uniform in [-1, 1).
  magnitudes,   ///< 2^e (1 + r) of random sign, e uniform from -32 to 31, r uniform in [0, 1).
  alternating,  ///< (-1)^i (1 + r / 1024): neighbours nearly cancel, and sums of few are exact.
  pairs,        ///< a, then -a (1 - r / 1024): the same of magnitudes a = 2^e (1 + r), e below 16.
};

inline constexpr std::array<Family, 5> families{Family::positive, Family::signs, Family::magnitudes,
                                                Family::alternating, Family::pairs};

/// As tables name it.
inline const char* name_of(Family family) {
  switch (family) {
    case Family::positive: return "uniform in [0, 1)";
    case Family::signs: return "uniform in [-1, 1)";
    case Family::magnitudes: return "magnitudes 2^-32 to 2^32, random signs";
    case Family::alternating: return "alternating, 1 to 1 + 2^-10";
    case Family::pairs: break;
  }
  return "pairs that nearly cancel, 1 to 2^16";
}

/// Exponents of the numbers of elements, which are powers of two.
inline constexpr std::array<unsigned, 4> accuracy_exponents{10, 16, 20, 24};

/// Inputs of one family and size, from seeds 1, 2, ...
inline constexpr unsigned accuracy_trials = 5;

/// A random word for each index of each seed: the finaliser of splitmix64, twice.
inline std::uint64_t accuracy_word(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed;
  for (const std::uint64_t step : {std::uint64_t{1}, index}) {
    z += step * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
  }
  return z;
}

/// A random number from 0 to 1, 1 left out, in steps of the type's precision: the upper bits.
template <class T>
T accuracy_fraction(std::uint64_t word) {
  constexpr int digits = sizeof(T) == 4 ? 24 : 53;
  return static_cast<T>(std::ldexp(static_cast<double>(word >> (64 - digits)), -digits));
}

/// Element `index` of the input of that seed.
template <class T>
T accuracy_element(Family family, std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t word = accuracy_word(seed, index);
  const auto fraction = accuracy_fraction<T>(word);
  const bool odd = index % 2 == 1;
  switch (family) {
    case Family::positive: return fraction;
    case Family::signs: return 2 * fraction - 1;
    case Family::magnitudes: {
      // Bits that no fraction has.
      const T magnitude = std::ldexp(1 + fraction, static_cast<int>((word >> 1) & 63) - 32);
      return (word & 1) != 0 ? -magnitude : magnitude;
    }
    case Family::alternating: return odd ? -(1 + fraction / 1024) : 1 + fraction / 1024;
    case Family::pairs: break;
  }
  const std::uint64_t first = accuracy_word(seed, index - index % 2);
  const T magnitude =
      std::ldexp(1 + accuracy_fraction<T>(first), static_cast<int>((first >> 1) & 15));
  return odd ? -(magnitude * (1 - fraction / 1024)) : magnitude;
}

/// The input of that seed.
template <class T>
std::vector<T> accuracy_input(Family family, std::uint64_t seed, std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = accuracy_element<T>(family, seed, i);
  return values;
}

/// The sum of any finite f32 and f64 values without rounding: an integer in units of 2^-1074, the
/// least positive f64, which all of them are multiples of.
class ExactSum {
 public:
  void add(double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof(bits));
    const std::uint64_t field = (bits >> 52) & 0x7ff;
    const std::uint64_t hidden = field == 0 ? 0 : std::uint64_t{1} << 52;
    const std::uint64_t significand = (bits & ((std::uint64_t{1} << 52) - 1)) | hidden;
    const std::uint64_t position = field == 0 ? 0 : field - 1;
    const std::uint64_t low = (significand & low_half) << (position % 32);
    const std::uint64_t high = (significand >> 32) << (position % 32);
    const std::int64_t sign = (bits >> 63) != 0 ? -1 : 1;
    std::int64_t* digit = &digits_[position / 32];
    digit[0] += sign * static_cast<std::int64_t>(low & low_half);
    digit[1] += sign * static_cast<std::int64_t>((low >> 32) + (high & low_half));
    digit[2] += sign * static_cast<std::int64_t>(high >> 32);
    // Each addition brings a digit less than 2^33: long before 2^30 of them, they are carried.
    if (++added_ % (1U << 28) == 0) carry();
  }

  /// The sum, to about a unit of the last place of f64.
  [[nodiscard]] double value() const {
    ExactSum sum = *this;
    sum.carry();
    const bool negative = sum.digits_.back() < 0;
    if (negative) {
      for (std::int64_t& digit : sum.digits_) digit = -digit;
      sum.carry();
    }
    double total = 0;
    for (std::size_t i = sum.digits_.size(); i-- > 0;) {
      total += std::ldexp(static_cast<double>(sum.digits_[i]), static_cast<int>(32 * i) - 1074);
    }
    return negative ? -total : total;
  }

 private:
  static constexpr std::uint64_t low_half = 0xffffffff;

  // Leaves every digit but the last from 0 to 2^32 - 1; the last has the sign.
  void carry() {
    for (std::size_t i = 0; i + 1 < digits_.size(); ++i) {
      const std::int64_t rest = digits_[i] & static_cast<std::int64_t>(low_half);
      digits_[i + 1] += (digits_[i] - rest) / (std::int64_t{1} << 32);
      digits_[i] = rest;
    }
  }

  std::array<std::int64_t, 68> digits_{};  // Of 32 bits each, the least significant one first.
  std::uint64_t added_ = 0;
};

/// The sum of all elements.
template <class T>
ExactSum exact_sum(const std::vector<T>& values) {
  ExactSum sum;
  for (const T x : values) sum.add(x);
  return sum;
}

/// |got - exact| / |exact|, where the difference is taken without rounding.
inline double relative_error(const ExactSum& exact, double got) {
  ExactSum difference = exact;
  difference.add(-got);
  return std::abs(difference.value() / exact.value());
}

/// The sum from left to right.
template <class T>
T serial_sum(const std::vector<T>& values) {
  T sum = 0;
  for (const T x : values) sum += x;
  return sum;
}

/// "1.2e-07, 3.4e-07": the median and the worst of the errors of all trials.
inline std::string error_cell(std::vector<double> errors) {
  std::sort(errors.begin(), errors.end());
  std::string cell;
  for (const double error : {errors[errors.size() / 2], errors.back()}) {
    std::array<char, 32> text{'0'};
    if (error != 0) std::snprintf(text.data(), text.size(), "%.1e", error);
    cell += (cell.empty() ? "" : ", ") + std::string(text.data());
  }
  return cell;
}

}  // namespace bench
