// Element types by the names that --type has for them.
#pragma once

#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <vector>

#include "data/structs.hpp"

namespace bench {

/// The built-in ones, those that are stored and not computed with included.
std::vector<bifold::Type> builtin_types();
/// Those and the structs.
std::vector<bifold::Type> known_types();

/// Whether elements of the type, or their fields, can be combined so.
bool can_combine(bifold::Type type, const bifold::Operator& op);
/// `op` on such a type: of a struct, on each field.
bifold::Operator operator_on(bifold::Type type, const bifold::Operator& op);

}  // namespace bench
