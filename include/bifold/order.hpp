/// @file
/// The constants of order v1: the association of floating-point results that is the same on every
/// device. docs/order.md has the formulas, reference_v1.hpp the same in C++.
#pragma once

#include <bifold/type.hpp>
#include <cstddef>
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

/// Consecutive elements of a scan that are folded from left to right, for an accumulator of
/// `accumulator_bytes` bytes (at least 1).
constexpr std::uint32_t scan_run(std::size_t accumulator_bytes) noexcept {
  if (accumulator_bytes <= 4) return 4;
  return accumulator_bytes <= 8 ? 2 : 1;
}

/// Runs of a row, whose totals are combined by a Kogge-Stone prefix.
inline constexpr std::uint32_t scan_row_runs = 32;

/// Rows of a strip, whose totals are folded from left to right.
inline constexpr std::uint32_t scan_strip_rows = 8;

/// Strips of a tile, whose totals are folded from left to right.
inline constexpr std::uint32_t scan_tile_strips = 8;

/// Tiles of a group, whose totals are combined by a Kogge-Stone prefix. Totals of groups are folded
/// from left to right, from the initial value on.
inline constexpr std::uint32_t scan_group_tiles = 32;

/// Elements of a tile, for an accumulator of `accumulator_bytes` bytes.
constexpr std::uint32_t scan_tile(std::size_t accumulator_bytes) noexcept {
  return scan_run(accumulator_bytes) * scan_row_runs * scan_strip_rows * scan_tile_strips;
}

/// @}

}  // namespace bifold::order_v1
