// The structs that are measured: some fields of one type each, which are added one by one.
#pragma once

#include <array>
#include <bifold/struct.hpp>
#include <bifold/type.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <type_traits>

// Peers add structs on GPUs, too.
#ifdef __CUDACC__
#define BIFOLD_BENCH_EVERYWHERE __host__ __device__
#else
#define BIFOLD_BENCH_EVERYWHERE
#endif

namespace bench {

/// A complex number. It is aligned as CUDA's cuComplex is, so that peers may load it at once.
struct alignas(8) Complex {
  using Field = float;
  float re;
  float im;

  friend BIFOLD_BENCH_EVERYWHERE constexpr Complex operator+(Complex a, Complex b) {
    return {a.re + b.re, a.im + b.im};
  }
};

/// A vector of three coordinates, whose 12 bytes are no power of two.
struct Triple {
  using Field = float;
  float x;
  float y;
  float z;

  friend BIFOLD_BENCH_EVERYWHERE constexpr Triple operator+(Triple a, Triple b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
};

/// The widest element that is measured, of 16 bytes.
struct Pair {
  using Field = std::int64_t;
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

// The names are those that --type has.
BIFOLD_STRUCT_NAMED(bench::Complex, complex, re, im);
BIFOLD_STRUCT_NAMED(bench::Triple, triple, x, y, z);
BIFOLD_STRUCT_NAMED(bench::Pair, pair, first, second);

namespace bench {

/// All of them, by size. Whatever is done for each is done for those that stand here.
using Structs = std::tuple<Complex, Triple, Pair>;

inline constexpr std::array struct_types =
    []<class... Struct>(std::type_identity<std::tuple<Struct...>> /*all*/) {
      return std::array{bifold::type_of<Struct>()...};
    }(std::type_identity<Structs>{});

/// Calls `use` with a zero of the struct that the type is.
template <std::size_t First = 0, class Use>
auto visit_struct(bifold::Type type, Use use) {
  using Struct = std::tuple_element_t<First, Structs>;
  if (type == bifold::type_of<Struct>()) return use(Struct{});
  if constexpr (First + 1 < std::tuple_size_v<Structs>) return visit_struct<First + 1>(type, use);
  throw std::logic_error("a struct that is not measured");
}

/// What all fields of such a struct are; any other type itself.
constexpr bifold::Type field_type(bifold::Type type) {
  return type.is_struct() ? type.structure()->fields.front().type : type;
}

template <class Struct>
using Fields = std::array<typename Struct::Field, sizeof(Struct) / sizeof(typename Struct::Field)>;

template <bifold::struct_element Struct>
constexpr Fields<Struct> fields_of(const Struct& value) {
  return std::bit_cast<Fields<Struct>>(value);
}

}  // namespace bench
