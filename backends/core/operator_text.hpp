// Operators as kernel text.
#pragma once

#include <bifold/op.hpp>
#include <bifold/type.hpp>
#include <string>
#include <string_view>

namespace bifold::core {

/// Throws invalid_argument unless `name` is an identifier and `expression` can only be one
/// expression: printable, balanced, without statements, assignments, comments, literals of text or
/// anything the preprocessor could see. What it means is the compiler's to judge.
void check_operator_text(std::string_view name, std::string_view expression);

/// The part of it that concerns the expression; `subject` begins the message.
void check_expression(std::string_view subject, std::string_view expression);

/// Whether the text uses `word` as a name of its own, not as a field's.
bool uses_word(std::string_view expression, std::string_view word);

/// Whether the text does more with values than to hand them on: it has arithmetic, comparisons, or
/// calls of functions other than those that make a struct of its fields.
bool computes(std::string_view expression);

/// Whether the operator counts every operand as 0 or 1.
constexpr bool is_logical(OperatorKind kind) noexcept {
  return kind == OperatorKind::logical_and || kind == OperatorKind::logical_or;
}

/// The expression that combines two values of `type`, spelled `a` and `b`. Signed integers are
/// added and multiplied as unsigned ones, where wrapping around is defined.
std::string builtin_expression(OperatorKind kind, Type type, std::string_view a,
                               std::string_view b);

/// The OpenCL C expression that combines vectors lane by lane: of floating-point values, of
/// unsigned integers, or for minimum and maximum of integers of the elements' own type. Not for
/// logical and users' operators.
std::string builtin_pack_expression(OperatorKind kind, std::string_view a, std::string_view b);

}  // namespace bifold::core
