// Searches by ranks: integers, one for each value, in the order of the search. They are made once
// for each element, and compared faster than the values.
#pragma once

#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <cstdint>

namespace bifold::core {

/// What a search reduces by.
struct Search {
  Type accumulator;  ///< A rank and an index, as a struct or in one word.
  Operator op;       ///< The higher rank, of equals the lower index. NaNs are equal.
  Map map;
  ResultMap result_map;  ///< To an Indexed, with the bits of the element.
  ResultMap index;       ///< To the index alone.
};

/// The longest line of which a rank of up to 32 bits and an index are one word.
inline constexpr std::uint64_t most_packed = std::uint64_t{1} << 31U;

/// That for the least, or the greatest, in lines of up to `length` elements of a built-in type.
/// None for integers where no word has their rank and index: they are compared themselves.
const Search* search_by_rank(Type element, bool least, std::uint64_t length);

}  // namespace bifold::core
