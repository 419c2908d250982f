/// @file
/// Keys: values beside the elements of an array, by which neighbours belong together.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/map.hpp>
#include <bifold/type.hpp>

namespace bifold {

/// @addtogroup calls
/// @{

/// Keys of the elements that a reduction reads. Neighbours whose keys are equal are a run, which is
/// reduced as if it were alone, to the bit; keys need not be sorted, and equal ones that lie apart
/// are different runs. The number of runs is not known before: the results and `unique` have as
/// many places as each other, and runs without a place are not stored.
struct Keys {
  ErasedView keys;    ///< As many as elements.
  ErasedView unique;  ///< Receives the first key of each run, converted as unique() does,
  ErasedView runs;    ///< and this, one u32 or u64, how many runs there are.
  /// What is not 0 where `x` goes on with the run of the key before it, `y`; see unique().
  Map equality{};

  /// Those of ranges in device memory.
  template <device_range R, writable_range Unique, writable_range Runs>
  [[nodiscard]] static Keys of(R&& keys, Unique&& unique, Runs&& runs, const Map& equality = {}) {
    return {erase(keys), erase(unique), erase(runs), equality};
  }
};

/// @}
/// @addtogroup plans
/// @{

/// What the keys of a plan's calls are, apart from where they lie.
struct KeyShape {
  Type keys = Type::i32;    ///< Of the keys read,
  Type unique = Type::i32;  ///< of those that are stored,
  Type runs = Type::u64;    ///< and of how many these are: u32 or u64.
  Map equality{};           ///< As that of Keys.
};

/// @}

}  // namespace bifold
