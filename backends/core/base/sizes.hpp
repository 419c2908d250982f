// Numbers of elements that a plan is for.
#pragma once

#include <cstdint>

namespace bifold::core {

/// From the first to the last.
struct Sizes {
  std::uint64_t first = 0;
  std::uint64_t last = ~std::uint64_t{0};

  static constexpr Sizes of(std::uint64_t n) noexcept { return {n, n}; }
  [[nodiscard]] constexpr bool contains(const Sizes& other) const noexcept {
    return first <= other.first && other.last <= last;
  }
  [[nodiscard]] constexpr bool meets(const Sizes& other) const noexcept {
    return first <= other.last && other.first <= last;
  }
  /// Sizes of both, which meet.
  [[nodiscard]] constexpr Sizes within(const Sizes& other) const noexcept {
    return {first > other.first ? first : other.first, last < other.last ? last : other.last};
  }
};

}  // namespace bifold::core
