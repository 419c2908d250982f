// Expressions of operators, maps and result maps as kernel text.
#pragma once

#include <bifold/op.hpp>
#include <bifold/scalar.hpp>
#include <bifold/type.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/text/text_writer.hpp"

namespace bifold::core {

/// Throws invalid_argument for a user's operator on `type` whose text is too long, is not one
/// expression over `a`, `b` and the scalars, or has no value of that type.
void check_operator_text(std::string_view name, std::string_view expression, Type type,
                         std::span<const ScalarType> scalars = {});

/// The kernel text of a user's operator on `type`.
WrittenText user_operator_text(std::string_view name, std::string_view expression, Type type,
                               std::span<const ScalarType> scalars = {});

/// Throws invalid_argument for a map that no types of x and y can make right.
void check_map_text(std::string_view expression, std::span<const ScalarType> scalars = {});

/// What maps name the elements of several arrays.
inline constexpr std::string_view input_names = "xyzw";

/// The kernel text of a map of elements of these arrays. Throws invalid_argument for one that makes
/// no `accumulator` of them.
WrittenText map_text(std::string_view expression, std::span<const Type> inputs, Type accumulator,
                     std::span<const ScalarType> scalars = {});

/// Throws invalid_argument for a result map that no types can make right.
void check_result_text(std::string_view expression, std::span<const ScalarType> scalars = {});

/// The kernel text of a result map of an accumulator, whose value has a type of its own. Throws
/// invalid_argument for one that makes no `output` of it.
WrittenText result_text(std::string_view expression, Type accumulator, Type output,
                        std::span<const ScalarType> scalars = {});

/// Whether the text uses `word` as a name of its own, not as a field's.
bool uses_word(std::string_view expression, std::string_view word);

/// The text with `other` instead of each such `word`.
std::string with_word(std::string_view expression, std::string_view word, std::string_view other);

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
std::string builtin_vector_expression(OperatorKind kind, std::string_view a, std::string_view b);

}  // namespace bifold::core
