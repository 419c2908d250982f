// Several reductions in one pass, as Luitjens interleaves them: the sum of all elements, the
// smallest and the largest.
#pragma once

#include <bifold/bifold.hpp>
#include <optional>

#include "data/host_data.hpp"

namespace bench {

/// How many they are.
inline constexpr unsigned together_count = 3;

/// Enqueues the three reductions of `input`, of i32 elements, into one element at the start of
/// `result`, by a row that takes struct elements.
void reduce_together(bifold::Queue& queue, const bifold::ErasedView& input,
                     const bifold::Buffer<std::uint8_t>& result, std::string_view variant);

/// Sets `result` to what it cannot become.
void poison_together(bifold::Queue& queue, bifold::Buffer<std::uint8_t>& result);

/// Blocks. Compares the result for the first `n` elements; the mismatch's index is the field's.
std::optional<Mismatch> check_together(bifold::Queue& queue, bifold::Buffer<std::uint8_t>& result,
                                       const HostData& data, std::uint64_t n);

}  // namespace bench
