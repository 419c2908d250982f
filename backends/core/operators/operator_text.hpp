// Operators as kernel text.
#pragma once

#include <bifold/op.hpp>

#include "core/text/expression_text.hpp"

namespace bifold::core {

/// The kernel text of an operator that is defined on `type`.
WrittenText operator_text(const Operator& op, Type type);

}  // namespace bifold::core
