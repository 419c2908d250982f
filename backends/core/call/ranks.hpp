// Searches among floating values by ranks: integers, one for each value, in the order of the
// search. They are made once for each element, and compared faster than the values.
#pragma once

#include <bifold/map.hpp>
#include <bifold/op.hpp>
#include <bifold/type.hpp>

namespace bifold::core {

/// What a search reduces by.
struct Search {
  Type accumulator;  ///< A rank and an index.
  Operator op;       ///< The higher rank, of equals the lower index. NaNs are equal.
  Map map;
  ResultMap result_map;  ///< To an Indexed, with the bits of the element.
  ResultMap index;       ///< To the index alone.
};

/// That for the least, or the greatest, among values of f32, f64, f16 or bf16.
const Search& search_by_rank(Type element, bool least);

}  // namespace bifold::core
