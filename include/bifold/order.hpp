/// @file
/// The constants of order v1: the association of floating-point results that is the same on every
/// device. docs/order.md has the formulas, reference_v1.hpp the same in C++.
#pragma once

#include <bifold/type.hpp>
#include <cstdint>

/// Order v1.
namespace bifold::order_v1 {

/// @addtogroup oracle
/// @{

/// Rows of a leaf of a reduction.
inline constexpr std::uint32_t leaf_rows = 32;

/// Columns of a leaf of a reduction, for accumulators of that type: 512 bytes of a built-in type,
/// at most 128; 32 of a struct.
constexpr std::uint32_t leaf_columns(Type accumulator) noexcept {
  if (accumulator.is_struct()) return 32;
  return size_of(accumulator) > 4 ? 64 : 128;
}

/// Elements of a leaf.
constexpr std::uint32_t leaf_elements(Type accumulator) noexcept {
  return leaf_rows * leaf_columns(accumulator);
}

/// @}

}  // namespace bifold::order_v1
