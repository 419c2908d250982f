// Initial values of any type.
#pragma once

#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <bifold/value.hpp>

namespace bifold::core {

/// What the operator counts the initial value as, as an `accumulator`. Throws invalid_argument
/// where that type does not hold it exactly: floating values never become integers, but for logical
/// operators, which count them as 0 or 1. Any NaN is the same.
Value initial_value(const Operator& op, const Value& given, Type accumulator);

}  // namespace bifold::core
