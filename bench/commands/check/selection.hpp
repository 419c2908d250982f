// One row of the gallery on selections: many lengths, every element compared.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <string>

#include "commands/check/cases.hpp"

namespace bench {

/// Blocks. Runs the row, which selects, on elements of the sample, over and over on a few lengths,
/// adds the calls to `calls`, and says what was wrong first; nothing when all was right. Throws
/// what the library throws.
template <class T>
std::string check_selection(bifold::Queue& queue, const bifold::gallery::Variant& row,
                            const Sample<T>& sample, std::uint64_t& calls);

}  // namespace bench
