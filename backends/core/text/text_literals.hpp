// Numbers in operator and map texts.
#pragma once

#include <bifold/type.hpp>
#include <string>

#include "core/text/text_tokens.hpp"

namespace bifold::core {

/// A number, its type, and how both kernel languages write it.
struct Literal {
  Type type;
  std::string text;
};

/// A token that is a number. Its type is that of C with an `int` of 32 bits and a `long` of 64, of
/// i32, u32, i64 and u64, or of f32 with the suffix f and f64 without. Throws invalid_argument for
/// what C calls otherwise, octal and hexadecimal floating numbers included, and for what fits none.
Literal literal_of(const UserText& text, const Token& token);

}  // namespace bifold::core
