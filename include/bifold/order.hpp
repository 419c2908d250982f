/// @file
/// Order v1: the association of floating-point results that is the same on every device.
/// docs/order.md has the formulas, reference/v1.hpp the same in C++.
#pragma once

#include <algorithm>
#include <bifold/export.hpp>
#include <bifold/type.hpp>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bifold {

/// @addtogroup calls
/// @{

/// How the operands of a call are associated, where that decides about the bits of its result
/// (Operator::exact()). "production" keeps to it; a row asked for by name has an order of its own.
enum class Order : std::uint8_t {
  v1,   ///< Order v1: the same bits on every device, whatever the launch shape.
  any,  ///< What is fastest. Also devices that flush denormals or round in another way then run.
};

/// "v1" or "any".
BIFOLD_API std::string_view name_of(Order order) noexcept;

/// @}

}  // namespace bifold

/// The constants of order v1.
namespace bifold::order_v1 {

/// @addtogroup oracle
/// @{

/// Rows of a leaf of a reduction.
inline constexpr std::uint32_t leaf_rows = 32;

/// Columns of a leaf of a reduction, for accumulators of that type: 64 of 8 bytes, 128 of less; of
/// a struct as of its widest field. So the sum in a struct has the bits of the sum alone.
constexpr std::uint32_t leaf_columns(Type accumulator) noexcept {
  std::size_t widest = accumulator.is_struct() ? 1 : size_of(accumulator);
  if (accumulator.is_struct()) {
    for (const StructField& field : accumulator.structure()->fields) {
      widest = (std::max)(widest, size_of(field.type));
    }
  }
  return widest > 4 ? 64 : 128;
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

/// Rows of a warp tile, whose totals are folded from left to right.
inline constexpr std::uint32_t scan_warp_tile_rows = 8;

/// Warp tiles of a tile, whose totals are folded from left to right.
inline constexpr std::uint32_t scan_warp_tiles = 8;

/// Tiles of a group, whose totals are combined by a Kogge-Stone prefix. Totals of groups are folded
/// from left to right, from the initial value on.
inline constexpr std::uint32_t scan_group_tiles = 32;

/// Elements of a tile, for an accumulator of `accumulator_bytes` bytes.
constexpr std::uint32_t scan_tile(std::size_t accumulator_bytes) noexcept {
  return scan_run(accumulator_bytes) * scan_row_runs * scan_warp_tile_rows * scan_warp_tiles;
}

/// @}

}  // namespace bifold::order_v1
