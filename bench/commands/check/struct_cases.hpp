// Element types of `bifold-bench check` that are structs, one of each size at which kernels differ,
// and their cases.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <vector>

#include "commands/check/cases.hpp"

namespace bench {

/// 3 bytes: less than a word, aligned to nothing.
struct ThreeBytes {
  std::uint8_t r;
  std::uint8_t g;
  std::uint8_t b;
};

/// 8 bytes: x -> factor * x + shift, modulo 2^32.
struct AffineMap {
  std::uint32_t factor;
  std::uint32_t shift;
};

/// 12 bytes: words that no vector holds.
struct ThreeWords {
  std::int32_t x;
  std::int32_t y;
  std::int32_t z;
};

/// 16 bytes: as wide as the widest load.
struct TwoWide {
  std::uint64_t low;
  std::uint64_t high;
};

/// 64 bytes: the widest element.
struct EightWide {
  std::uint64_t a;
  std::uint64_t b;
  std::uint64_t c;
  std::uint64_t d;
  std::uint64_t e;
  std::uint64_t f;
  std::uint64_t g;
  std::uint64_t h;
};

}  // namespace bench

BIFOLD_STRUCT_NAMED(bench::ThreeBytes, three_bytes, r, g, b);
BIFOLD_STRUCT_NAMED(bench::AffineMap, affine_map, factor, shift);
BIFOLD_STRUCT_NAMED(bench::ThreeWords, three_words, x, y, z);
BIFOLD_STRUCT_NAMED(bench::TwoWide, two_wide, low, high);
BIFOLD_STRUCT_NAMED(bench::EightWide, eight_wide, a, b, c, d, e, f, g, h);

namespace bench {

template <>
std::vector<Case<ThreeBytes>> check_cases();
template <>
std::vector<Case<AffineMap>> check_cases();
template <>
std::vector<Case<ThreeWords>> check_cases();
template <>
std::vector<Case<TwoWide>> check_cases();
template <>
std::vector<Case<EightWide>> check_cases();

}  // namespace bench
