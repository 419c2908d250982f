// Ways to feed an array in chunks that are hard for what continues behind them.
#pragma once

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "group/cuts.hpp"

namespace bifold::test {

/// The splits of a group, and one of many chunks, small ones and empty ones among them.
inline std::vector<Offsets> chunks(std::uint64_t n, std::uint64_t unit, int turns) {
  std::vector<Offsets> all = cuts(n, unit, turns);
  Random random(seed() + n);
  Offsets many{0};
  while (many.back() < n) {
    const std::uint64_t count = random.one_in(3) ? random.below(3) : random.below(unit);
    many.push_back(std::min(many.back() + count, n));
  }
  all.push_back(std::move(many));
  return all;
}

template <class T>
std::span<const T> chunk_of(const std::vector<T>& host, const Offsets& offsets, std::size_t chunk) {
  return std::span(host).subspan(offsets[chunk], offsets[chunk + 1] - offsets[chunk]);
}

template <class T>
ErasedView chunk_of(Buffer<T>& buffer, const Offsets& offsets, std::size_t chunk) {
  return buffer.view(offsets[chunk], offsets[chunk + 1] - offsets[chunk]);
}

}  // namespace bifold::test
