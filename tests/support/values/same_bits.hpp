// Whether two results are the same on every device: bit for bit, but for NaN, which has many.
#pragma once

#include <bifold/value.hpp>
#include <cmath>
#include <concepts>

namespace bifold::test {

/// The same bits, or NaN twice.
template <std::floating_point T>
bool same_bits(T left, T right) {
  if (std::isnan(left) || std::isnan(right)) return std::isnan(left) && std::isnan(right);
  return Value(left).bits() == Value(right).bits();
}

}  // namespace bifold::test
