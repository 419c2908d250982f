// Several reductions in one, whose accumulator has a field for each.
#pragma once

#include <bifold/reductions.hpp>
#include <vector>

#include "core/call/reduce.hpp"

namespace bifold::core {

/// An operator on a struct, what it begins with, and the map from elements to that struct.
struct Joined {
  Operator op;
  Beginning beginning;
  Map map;
};

/// A struct with a field for each of the accumulators, "r0", "r1" and so on. Throws
/// invalid_argument for none or too many.
Type joined_type(const std::vector<Reduction>& reductions);

/// Throws invalid_argument unless that is a struct with such fields, by whatever names.
void check_fields(Type result, const std::vector<Reduction>& reductions);

/// The reductions of elements of type `input`, into fields of that struct.
Joined join(Type input, Type type, const std::vector<Reduction>& reductions);

}  // namespace bifold::core
