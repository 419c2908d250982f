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
  bifold::accumulator_t<T> init;
  /// Every association gives the same bits; otherwise only rows in order v1 can be judged.
  bool exact;
};

/// An operator on the host, and a map: on what elements are computed with as. A map takes an
/// element of a second array, where there is one, and the index.
template <class T>
using Combine = bifold::accumulator_t<T> (*)(bifold::accumulator_t<T> earlier,
                                             bifold::accumulator_t<T> later);
template <class T>
using Lift = bifold::accumulator_t<T> (*)(bifold::accumulator_t<T> x, bifold::accumulator_t<T> y,
                                          std::uint64_t i);

/// For which rows a case is: some things only those in order v1 do, and the others have another
/// case for the same elements.
enum class CaseRows : std::uint8_t { all, order_v1, others };

/// One operator on one type of elements.
template <class T>
struct Case {
  std::string_view name;
  bifold::Operator op;
  bifold::Map map{};
  Combine<T> combine;
  Lift<T> lift;
  std::vector<bifold::ScanKind> kinds;  ///< Of the scans.
  std::vector<Sample<T>> samples;       ///< The first with many lengths, the others with a few.
  CaseRows rows = CaseRows::all;
  /// Bytes of an input, up to which the first sample is tried beyond every far border; 0: none.
  std::uint64_t far_bytes = 0;
  /// The map of reductions takes a second array: the same elements, one further on.
  bool pairs = false;
};

/// The cases of one type; struct_cases.hpp has more.
template <class T>
std::vector<Case<T>> check_cases();

template <>
std::vector<Case<std::int32_t>> check_cases();
template <>
std::vector<Case<std::uint32_t>> check_cases();
template <>
std::vector<Case<std::uint8_t>> check_cases();
template <>
std::vector<Case<std::int64_t>> check_cases();
template <>
std::vector<Case<float>> check_cases();
template <>
std::vector<Case<double>> check_cases();
template <>
std::vector<Case<bifold::f16>> check_cases();
template <>
std::vector<Case<bifold::bf16>> check_cases();

}  // namespace bench
