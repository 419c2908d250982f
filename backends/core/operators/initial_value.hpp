// Initial values of any type.
#pragma once

#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <bifold/value.hpp>

namespace bifold::core {

/// An initial value as the operator counts it: logical ones count it as 0 or 1, as an element.
Value lift(const Operator& op, const Value& init);

/// A number as one of another type, rounded once.
Value convert(const Value& value, Type to);

/// What the operator counts the initial value as, as an `accumulator`. Throws invalid_argument
/// where that type does not hold it exactly: floating values never become integers, but for logical
/// operators, which count them as 0 or 1. Any NaN is the same.
Value initial_value(const Operator& op, const Value& given, Type accumulator);

}  // namespace bifold::core
