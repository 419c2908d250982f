/// @file
/// Keys: values beside the elements of an array, by which neighbours belong together.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/map.hpp>
#include <bifold/type.hpp>

namespace bifold {

/// @addtogroup calls
/// @{

/// Keys of the elements that a reduction reads. A run is as many neighbours with equal keys as
/// there are. Each run is reduced as if it were alone, to the bit. Keys need not be sorted; equal
/// keys that lie apart are different runs. `unique` and the results have equally many places, any
/// number; n always suffice. Runs without a place are counted in `runs`, and not stored. Nothing is
/// written behind the last run that is stored.
struct Keys {
  ErasedView keys;    ///< One for each element; may be the input's memory.
  ErasedView unique;  ///< Receives the first key of each run, converted as unique() does.
  /// One u32 or u64, which receives the number of runs, stored or not. A later call takes it as
  /// count_from.
  ErasedView runs;
  /// Not 0 where the key `x` goes on with the run of the key before it, `y`; `i` is the index in
  /// the array. "x == y" without; structs want one.
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
