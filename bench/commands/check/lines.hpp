// One row of the gallery on lines: rows and columns with gaps, each compared with the line alone.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <string>

#include "commands/check/cases.hpp"

namespace bench {

/// Blocks. Runs the row, which takes lines, on the case's first sample that it can be judged by,
/// adds the calls to `calls`, and says what was wrong first; nothing when all was right. Throws
/// what the library throws.
template <class T>
std::string check_lines(bifold::Queue& queue, const bifold::gallery::Variant& row,
                        const Case<T>& what, bifold::ScanKind kind, std::uint64_t& calls);

}  // namespace bench
