// Floating-point data on which nearly every association rounds otherwise.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "random.hpp"
#include "support/environment.hpp"

namespace bifold::test {

/// Numbers of either sign, of `magnitudes` powers of two about 1.
template <class T>
std::vector<T> numbers(std::size_t count, int magnitudes = 30) {
  Random random(seed());
  std::vector<T> values(count);
  for (T& value : values) {
    const auto exponent = static_cast<int>(random.below(static_cast<std::uint64_t>(magnitudes)));
    value = static_cast<T>(std::ldexp(random.real(), exponent - magnitudes / 2));
  }
  return values;
}

}  // namespace bifold::test
