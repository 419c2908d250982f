// What `bifold-bench check` computes: operators with their counterparts on the host, and elements
// on which mistakes show.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

/// An endless sequence of elements.
template <class T>
struct Sample {
  std::string_view name;
  T (*at)(std::uint64_t index);
  T init;
  /// Every association gives the same bits; otherwise only rows in order v1 can be judged.
  bool exact;
};

/// One operator on one type.
template <class T>
struct Case {
  std::string_view name;
  bifold::Operator op;
  bifold::Map map;
  T (*combine)(T earlier, T later);     ///< The operator on the host,
  T (*lift)(T x);                       ///< and the map.
  std::vector<bifold::ScanKind> kinds;  ///< Of the scans.
  std::vector<Sample<T>> samples;       ///< The first with many lengths, the others with a few.
};

/// The cases of i32, u32, u8, i64, f32 or f64.
template <class T>
std::vector<Case<T>> check_cases();

}  // namespace bench
