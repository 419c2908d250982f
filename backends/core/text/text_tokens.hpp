// The words, numbers and symbols of operator and map texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bifold::core {

/// A user's text has at most so many characters. Compilers go down a level for every operator of a
/// chain, and the stack of some ends at tens of KiB of text.
inline constexpr std::size_t max_text_length = 8192;

/// A text and whose it is, as errors say it.
struct UserText {
  std::string_view subject;  ///< "operator NAME" or "map".
  std::string_view text;
};

/// Throws invalid_argument, with the subject, the text about that place and the column, from 1 on.
[[noreturn]] void refuse_text(const UserText& text, std::size_t column, const std::string& why);

enum class TokenKind : std::uint8_t { word, integer, floating, symbol, end };

/// A token; the last one of a text is its end, of no characters.
struct Token {
  TokenKind kind;
  std::string_view text;
  std::size_t column;  ///< Of its first character, from 1 on.
};

/// Takes a text apart. Throws invalid_argument for an empty one, and for what is neither a word nor
/// a number nor a symbol of an expression. A number is only told from what else begins with a
/// digit.
std::vector<Token> tokens_of(const UserText& text);

}  // namespace bifold::core
