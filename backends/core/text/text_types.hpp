// The types of the expressions in operator and map texts: those of C, where `int` is i32.
#pragma once

#include <bifold/type.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace bifold::core {

/// Part of a text, as it is written anew.
struct Operand {
  std::string text;
  std::optional<Type> type{};  ///< None where types are not known.
  std::size_t column = 0;
};

/// That of an operand or a text where types are known.
inline Type known_type(const std::optional<Type>& type) {
  return type.value();  // NOLINT(bugprone-unchecked-optional-access): it is checked.
}

/// The type in which a number is computed with: i32 for integers of 1 and 2 bytes.
Type promoted(Type type);

/// The one type in which two numbers are computed with.
Type common_type(Type left, Type right);

/// How strongly a symbol binds as a binary operator, from 1 on; 0 for what is none.
unsigned strength_of(std::string_view symbol);

/// Whether an operator takes integers only.
bool is_of_integers(std::string_view symbol);

/// The type of that name to which a text may cast; none when there is none.
std::optional<Type> cast_type(std::string_view word);

/// What to write instead of a word of C or of one of the kernel languages; empty when that is not
/// known.
std::string_view word_instead(std::string_view word);

}  // namespace bifold::core
