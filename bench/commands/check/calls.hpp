// One row of the gallery on one case: many lengths and places, every element compared.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "commands/check/cases.hpp"

namespace bench {

/// Whether T's bits are the same, or both are NaN, which has many.
template <class T>
bool same_result(T left, T right);

/// A value to the last bit.
template <class T>
std::string exact_text(T value);

/// Whether results of the row can be compared bit for bit: on data that are exact in any
/// association, or in order v1.
bool can_judge(const bifold::gallery::Variant& row, bool exact_data);

/// What lies before each element and behind the last, as that row has to compute it, before it is
/// rounded to elements: exclusive results are all but the last value, inclusive ones all but the
/// first. `lifted` is what a map made of the elements.
template <class T>
std::vector<bifold::accumulator_t<T>> expected_prefixes(
    const bifold::gallery::Variant& row, Combine<T> combine,
    std::span<const bifold::accumulator_t<T>> lifted, bifold::accumulator_t<T> init);

/// The reduction of what a map made of elements, as that row has to compute it.
template <class T>
bifold::accumulator_t<T> expected_reduction(const bifold::gallery::Variant& row,
                                            const Case<T>& what, bool exact,
                                            std::span<const bifold::accumulator_t<T>> lifted,
                                            bifold::accumulator_t<T> init);

/// What surrounds inputs and outputs: it would show in any result that it got into.
template <class T>
T foreign();

/// The plan of a row, whichever algorithm it is of.
class RowPlan {
 public:
  /// Of two arrays where the map takes pairs; of `groups` groups at most, where the row has a limit
  /// and it is not 0.
  RowPlan(const bifold::Device& device, const bifold::gallery::Variant& row, bifold::Type type,
          const bifold::Operator& op, const bifold::Map& map, bifold::ScanKind kind,
          bool pairs = false, std::uint32_t groups = 0);

  /// The second of two arrays.
  void run_pairs(bifold::Queue& queue, const bifold::ErasedView& input,
                 const bifold::ErasedView& second, const bifold::ErasedView& output,
                 const bifold::Value& init) const;
  /// The workspace may be null.
  void run(bifold::Queue& queue, const bifold::ErasedView& input, const bifold::ErasedView& output,
           const bifold::Value& init, const bifold::Workspace* workspace = nullptr) const;
  [[nodiscard]] std::uint64_t workspace_bytes(std::uint64_t n) const;

 private:
  std::variant<bifold::ReducePlan, bifold::ScanPlan> plan_;
};

/// Blocks. Runs the row on the case's samples, adds the calls to `calls`, and says what was wrong
/// first; nothing when all was right. Throws what the library throws.
template <class T>
std::string check_case(bifold::Queue& queue, const bifold::gallery::Variant& row,
                       const Case<T>& what, bifold::ScanKind kind, std::uint64_t& calls);

}  // namespace bench
