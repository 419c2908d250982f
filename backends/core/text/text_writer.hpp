// From a user's text to kernel text: parsed, given types, and written anew word by word.
#pragma once

#include <bifold/type.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/text_tokens.hpp"

namespace bifold::core {

/// Brackets, calls, prefix operators, casts and branches of `?:` may stand in each other to this
/// depth. Compilers bound theirs, clang at 256; what is written has at most three for one of these.
inline constexpr unsigned max_text_nesting = 64;

/// What a text may name, beside functions and types.
struct TextScope {
  struct Name {
    std::string_view word;
    std::optional<Type> type;  ///< None where it is not known yet; then nothing is said of types.
    std::string written{};     ///< What kernels call it; empty: the same.
  };
  std::vector<Name> names;
  std::vector<Type> structs;  ///< That it may make, by make_NAME; any where types are not known.
  bool has_types = true;
  unsigned nesting = max_text_nesting;
};

/// A text in the words that both kernel languages share.
struct WrittenText {
  std::string text;
  std::optional<Type> type;  ///< Of its value; none where types are not known.
  /// Which files of functions it needs.
  bool integer_functions = false;
  bool f32_functions = false;
  bool f64_functions = false;
  bool has_f64 = false;      ///< Whether some value in it is an f64.
  bool divides_f32 = false;  ///< Whether it divides values of f32 or takes a square root of one.
};

/// Throws invalid_argument, with word and column, for all that is no expression over the words in
/// scope, the functions of texts and the built-in types one computes with.
WrittenText write_text(const UserText& text, const TextScope& scope);

}  // namespace bifold::core
