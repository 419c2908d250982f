// One row of the gallery on segments of any length, each compared with the segment alone.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <string>

#include "commands/check/cases.hpp"

namespace bench {

/// Whether the row, which takes segments, can reduce those of the type.
bifold::gallery::Support supports_segments(const bifold::Device& device,
                                           const bifold::gallery::Variant& row, bifold::Type type,
                                           const bifold::Operator& op);

/// Blocks. Runs the row, which takes segments, on the case's first sample that it can be judged by,
/// adds the calls to `calls`, and says what was wrong first; nothing when all was right. Throws
/// what the library throws.
template <class T>
std::string check_segments(bifold::Queue& queue, const bifold::gallery::Variant& row,
                           const Case<T>& what, std::uint64_t& calls);

}  // namespace bench
