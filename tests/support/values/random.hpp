// A small seeded generator, the same on every host.
#pragma once

#include <cstdint>

namespace bifold::test {

/// Steele, Lea and Flood's SplitMix64: a counter through a mixing function.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t word = state_;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return word ^ (word >> 31);
  }

  /// Uniform in [0, bound), as far as a remainder is uniform; bound > 0.
  std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }

  /// Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) noexcept {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }

  /// Uniform in [-1, 1), 53 bits.
  double real() noexcept { return static_cast<double>(next() >> 11) * 0x1p-52 - 1.0; }

  bool one_in(std::uint64_t count) noexcept { return below(count) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace bifold::test
