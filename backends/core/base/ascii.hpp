// Letters, digits and blanks of ASCII alone. The C library's functions ask the locale that the
// application has set, and in a Turkish one the small letter of I is not i.
#pragma once

#include <string>
#include <string_view>

namespace bifold::core {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_upper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
constexpr char to_lower(char c) noexcept {
  return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr bool is_letter(char c) noexcept { return to_lower(c) >= 'a' && to_lower(c) <= 'z'; }
/// Of a name in C.
constexpr bool is_word(char c) noexcept { return is_letter(c) || is_digit(c) || c == '_'; }
constexpr bool is_blank(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The text in small letters.
inline std::string lowered(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = to_lower(c);
  return result;
}

}  // namespace bifold::core
