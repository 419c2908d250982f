/// @file
/// Segments: parts of an array that device memory tells, each of any length.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/export.hpp>
#include <bifold/type.hpp>
#include <optional>

namespace bifold {

/// @addtogroup calls
/// @{

/// Segments of the input of a reduction, each of which is reduced as if it were alone, to the bit.
/// Segment s has the elements from index `begins[s]` up to, without, `ends[s]`. Both are u32
/// or u64 of one type, and read when the call runs. An end before its begin counts as the begin,
/// and an end behind the input as the input's. So nothing outside is read, whatever the bounds are.
struct Segments {
  ErasedView begins;  ///< The index of the first element of each segment,
  ErasedView ends;    ///< and that behind the last one; as many.
  /// One u64 in device memory, which the call sets to the number of segments whose end lies before
  /// their begin or behind the input.
  std::optional<ErasedView> faults{};

  /// The segments between s + 1 offsets. Throws invalid_argument if there is no offset.
  [[nodiscard]] BIFOLD_API static Segments of_offsets(const ErasedView& offsets);
  /// The same of a range in device memory.
  template <device_range R>
  [[nodiscard]] static Segments of_offsets(R&& offsets) {
    return of_offsets(erase(offsets));
  }
  /// Segments that need not lie one behind the other.
  template <device_range R, device_range S>
  [[nodiscard]] static Segments of_bounds(R&& begins, S&& ends) {
    return {erase(begins), erase(ends)};
  }
};

/// @}
/// @addtogroup plans
/// @{

/// What the segments of a plan's calls are, apart from where they lie.
struct SegmentShape {
  Type bounds = Type::u64;  ///< Of begins and ends: u32 or u64.
  bool faults = false;      ///< Whether calls count faulty segments.

  /// Whether they are the same.
  friend bool operator==(const SegmentShape&, const SegmentShape&) = default;
};

/// @}

}  // namespace bifold
