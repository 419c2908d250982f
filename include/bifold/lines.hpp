/// @file
/// Lines: where the elements of many reductions or scans lie in one range of memory.
#pragma once

#include <bifold/export.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace bifold {

/// @addtogroup calls
/// @{

/// Lines of `length` elements each, one for every pair of an outer and an inner index. A call with
/// lines reduces or scans each of them as if it were alone, to the bit. Element k of line (o, i)
/// lies `o * outer_stride + k * stride + i * inner_stride` elements behind element 0 of line
/// (0, 0). The view of a call begins at the lowest element of all lines, which is another one than
/// that where a stride is negative. Line (o, i) is number `o * inner + i`. Lines of several arrays
/// belong together by their numbers. If one stride does not lead from each line to the next one in
/// two of these arrays, both have the same `outer` and `inner`.
struct Lines {
  std::uint64_t outer = 1;        ///< Lines along the slower index.
  std::uint64_t length = 0;       ///< Elements of a line.
  std::uint64_t inner = 1;        ///< Lines along the faster index.
  std::int64_t outer_stride = 0;  ///< Elements from a line to the next one along the slower index.
  std::int64_t stride = 1;        ///< Elements from an element of a line to the next one.
  std::int64_t inner_stride = 0;  ///< Elements from a line to the next one along the faster index.

  /// The rows of a dense matrix of `rows` times `columns` elements that lies row by row.
  static constexpr Lines rows(std::uint64_t rows, std::uint64_t columns) noexcept {
    return {rows, columns, 1, static_cast<std::int64_t>(columns), 1, 0};
  }
  /// The columns of such a matrix.
  static constexpr Lines columns(std::uint64_t rows, std::uint64_t columns) noexcept {
    return {1, rows, columns, 0, static_cast<std::int64_t>(columns), 1};
  }
  /// One element of each of `count` lines, side by side: results, initial values and totals.
  static constexpr Lines values(std::uint64_t count) noexcept { return {1, 1, count, 0, 1, 1}; }
  /// The lines of an array of any number of dimensions along `axes`, which are indices into
  /// `shape`. `strides` are in elements. Neighbouring dimensions are merged. Empty if the axes do
  /// not make one stride, or the other dimensions more than two. Throws invalid_argument for spans
  /// of different lengths, and for an axis that is out of range or named twice.
  [[nodiscard]] BIFOLD_API static std::optional<Lines> fold(std::span<const std::uint64_t> shape,
                                                            std::span<const std::int64_t> strides,
                                                            std::span<const std::size_t> axes);

  /// The first elements of the lines, as lines of one element: results that are given strides of 0
  /// along what is reduced.
  [[nodiscard]] constexpr Lines firsts() const noexcept {
    return {outer, 1, inner, outer_stride, 1, inner_stride};
  }
  /// The number of lines.
  [[nodiscard]] constexpr std::uint64_t count() const noexcept { return outer * inner; }

  /// Whether all members are the same.
  friend constexpr bool operator==(const Lines&, const Lines&) = default;
};

/// Lines of one of several calls, and where they lie in the array.
struct PlacedLines {
  std::uint64_t offset = 0;  ///< Elements from the array's lowest one to the lowest of the lines.
  Lines lines;               ///< Of a view that begins there.
};

/// The calls, mostly one, that serve the lines along `axes` of arrays of one shape, whose `strides`
/// are in elements: for each call the lines of every array. Along what does not fit into one call,
/// there is one for each index of the shortest dimensions. Empty if the axes do not make one stride
/// in every array. Throws invalid_argument as Lines::fold().
[[nodiscard]] BIFOLD_API std::vector<std::vector<PlacedLines>> fold_lines(
    std::span<const std::uint64_t> shape, std::span<const std::vector<std::int64_t>> strides,
    std::span<const std::size_t> axes);

/// @}

}  // namespace bifold
