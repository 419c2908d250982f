// Operators of both worlds, whose results tell another association apart, and how results differ.
#pragma once

#include <bifold/bifold.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "support/environment.hpp"
#include "support/values/random.hpp"
#include "support/values/same_bits.hpp"

namespace app {
// An affine map x -> factor * x + offset: maps in index order do not commute.
template <class T>
struct Map {
  T factor;
  T offset;
};
using Map32 = Map<float>;
using Map64 = Map<double>;
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Map32, Map32, factor, offset);
BIFOLD_STRUCT_NAMED(app::Map64, Map64, factor, offset);

namespace bifold::test {

/// An operator of both worlds, and data on which another association shows.
template <class T>
struct Arithmetic {
  Operator op;
  T (*combine)(T, T);
  T (*draw)(Random&);
  T init;
};

template <class T>
T any_real(Random& random) {
  return static_cast<T>(std::ldexp(random.real(), static_cast<int>(random.below(16)) - 8));
}

template <class T>
Arithmetic<T> sums() {
  return {plus, [](T a, T b) { return a + b; }, any_real<T>, static_cast<T>(-3.7)};
}

template <class T>
Arithmetic<T> products() {
  // Near one, of either sign, so that products of many stay away from the ends of the range.
  return {multiplies, [](T a, T b) { return a * b; },
          [](Random& random) {
            const T x = static_cast<T>(1 + random.real() / 1024);
            return random.one_in(2) ? x : -x;
          },
          static_cast<T>(1.3)};
}

template <class Map>
Arithmetic<Map> maps() {
  using T = decltype(Map::factor);
  const std::string name(name_of(type_of<Map>()));
  return {Operator::user("after",
                         "make_" + name + "(a.factor * b.factor, a.offset * b.factor + b.offset)",
                         Value(Map{T{1}, T{-0.0}})),
          [](Map a, Map b) {
            return Map{a.factor * b.factor, a.offset * b.factor + b.offset};
          },
          [](Random& random) {
            return Map{products<T>().draw(random), any_real<T>(random)};
          },
          Map{static_cast<T>(0.9), static_cast<T>(2.2)}};
}

template <class T>
std::vector<T> drawn(const Arithmetic<T>& arithmetic, std::uint64_t count) {
  Random random(seed());
  std::vector<T> values(count);
  for (T& value : values) value = arithmetic.draw(random);
  return values;
}

template <class T>
bool same(const T& left, const T& right) {
  if constexpr (std::is_floating_point_v<T>) {
    return same_bits(left, right);
  } else {
    return same(left.factor, right.factor) && same(left.offset, right.offset);
  }
}

/// How one result differs from what it has to be, or nothing.
template <class T>
std::string difference(std::span<const T> want, std::span<const T> got) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (same(want[i], got[i])) continue;
    const auto wrong = [&] {
      std::size_t count = 0;
      for (std::size_t j = i; j < want.size(); ++j) count += !same(want[j], got[j]);
      return count;
    }();
    std::ostringstream text;
    text << wrong << " of " << want.size() << " wrong, the first at " << i;
    if constexpr (std::is_floating_point_v<T>) {
      text << ": " << std::hexfloat << got[i] << " instead of " << want[i];
    }
    return text.str();
  }
  return {};
}

}  // namespace bifold::test
