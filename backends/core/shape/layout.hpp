// How the values of a shape lie in registers, vectors and local memory: computed once for a plan.
#pragma once

#include <bifold/device.hpp>
#include <bifold/type.hpp>
#include <cstdint>

#include "core/shape/plan_shape.hpp"

namespace bifold::core {

/// How a reduction combines several narrow integers in a 32-bit word at once, so that no order of
/// them shows.
enum class WordOperation : std::uint8_t {
  none,     ///< It combines them one by one.
  sums,     ///< It adds the integers of a word to a 32-bit sum.
  bits,     ///< It combines the bits of words.
  extrema,  ///< It takes the minimum or maximum of each integer of two words.
};

/// What a plan's kernels need to know of its shape. `layout_of` makes it.
struct Layout {
  /// Vectors combine elements of one type as values do, lane by lane: integers by built-in
  /// operators but the logical ones, and sums and products of floating values.
  bool combines_vectors = false;
  WordOperation words = WordOperation::none;
  [[nodiscard]] bool combines_words() const noexcept { return words != WordOperation::none; }
  /// The result is a sum of integers of at most 32 bits, which an atomic operation adds.
  bool atomic_sums = false;

  // What follows is for the ring in local memory.

  /// Its elements come in runs of 16 bytes, folded twice: integers of 1 and 2 bytes by built-in
  /// operators, for which neither the association nor the accumulator's width decides about bits.
  bool long_runs = false;
  /// A lane has neighbouring elements of a warp tile: those of 16 bytes, whose exchange between
  /// lanes takes longest, by operators for which no association decides about bits. Results are as
  /// long and have no padding, as they are stored at once.
  bool spans = false;
  /// An element is a struct of 12 bytes that lies where words do. No vector holds it.
  bool three_words = false;
  /// Results leave through local memory: structs of three words. They have no padding, as they are
  /// stored as words.
  bool gathers_results = false;
  /// These are sums that are as wide as the elements: several are added in a word.
  bool packed_sums = false;
  /// The first tile may begin in front of the elements, where a vector does, with the identity
  /// there: packed sums, and integers of 4 bytes that stay what they are. No order of them shows.
  /// Nor does it of 8 bytes, whose warp tiles are stored off alignment as quickly.
  bool aligns_tiles = false;
  /// It looks back through totals of groups of tiles, not of tiles: of tiles it reads more words
  /// than there is time for where a total takes more than one, or a tile has half as many bytes.
  bool looks_back_by_groups = false;

  std::uint32_t run = 0;        ///< Elements of a run: those of order v1, or 16 bytes in long runs.
  std::uint32_t run_bytes = 0;  ///< A ring takes runs of 8 and 16 bytes, and elements of 12.
  /// Runs that a lane has of a warp tile: one of each row, or neighbours in spans.
  std::uint32_t warp_tile_rows = 0;
  Type accumulator = Type::i32;  ///< Of its kernel: of 4 bytes in long runs, else the shape's.
};

/// The layout of values of that shape on a device of these capabilities.
Layout layout_of(const PlanShape& shape, const Capabilities& capabilities);

}  // namespace bifold::core
