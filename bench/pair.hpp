// The widest element that is measured, of 16 bytes: a struct of two i64.
#pragma once

#include <bifold/struct.hpp>
#include <bifold/type.hpp>
#include <cstdint>

// Peers add pairs on GPUs, too.
#ifdef __CUDACC__
#define BIFOLD_BENCH_EVERYWHERE __host__ __device__
#else
#define BIFOLD_BENCH_EVERYWHERE
#endif

namespace bench {

struct Pair {
  std::int64_t first;
  std::int64_t second;

  /// Field by field, modulo 2^64.
  friend BIFOLD_BENCH_EVERYWHERE constexpr Pair operator+(Pair a, Pair b) {
    const auto sum = [](std::int64_t x, std::int64_t y) {
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) +
                                       static_cast<std::uint64_t>(y));
    };
    return {sum(a.first, b.first), sum(a.second, b.second)};
  }
};

}  // namespace bench

BIFOLD_STRUCT_NAMED(bench::Pair, pair, first, second);

namespace bench {

/// Its name, as --type has it, is "pair".
inline bifold::Type pair_type() { return bifold::type_of<Pair>(); }

}  // namespace bench
