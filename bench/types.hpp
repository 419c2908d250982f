// Element types by the names that --type has for them.
#pragma once

#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <vector>

#include "pair.hpp"

namespace bench {

/// The built-in ones, those that are stored and not computed with included.
std::vector<bifold::Type> builtin_types();
/// Those and the pair.
std::vector<bifold::Type> known_types();

/// `op` on such a type: of a pair, on both fields.
bifold::Operator operator_on(bifold::Type type, const bifold::Operator& op);

}  // namespace bench
