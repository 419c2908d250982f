#include "core/text/text_literals.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"

namespace bifold::core {

namespace {

std::size_t digits_at(std::string_view text) {
  const auto* const end = std::find_if_not(text.begin(), text.end(), is_digit);
  return static_cast<std::size_t>(end - text.begin());
}

struct Suffix {
  bool is_unsigned;
  bool is_long;
};

/// Whether it is one of C's, in any case: u, l, ll, and u with either on any side.
bool read_suffix(std::string_view suffix, Suffix& read) {
  std::string lower;
  for (const char c : suffix) lower += c == 'U' ? 'u' : c == 'L' ? 'l' : c;
  for (const std::string_view known : {"", "u", "l", "ul", "lu", "ll", "ull", "llu"}) {
    if (lower != known) continue;
    read.is_unsigned = known.find('u') != std::string_view::npos;
    read.is_long = known.find('l') != std::string_view::npos;
    return true;
  }
  return false;
}

Literal integer(const UserText& text, const Token& token) {
  const auto refuse = [&](const std::string& why) { refuse_text(text, token.column, why); };
  std::string_view rest = token.text;
  const bool hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
  if (hexadecimal) rest.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(rest.data(), rest.data() + rest.size(), value, hexadecimal ? 16 : 10);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  Suffix suffix{};
  if (digits == 0 || !read_suffix(rest.substr(digits), suffix)) {
    refuse(
        formatted("\"{}\" is no number: integers are decimal or begin with 0x and may end in u "
                  "or l, others have a point or an exponent",
                  token.text));
  }
  if (!hexadecimal && digits > 1 && rest.front() == '0') {
    refuse(formatted("{} would be octal, which texts do not know", token.text));
  }
  const bool either_sign = suffix.is_unsigned || hexadecimal;
  const std::string written((hexadecimal ? "0x" : "") + std::string(rest.substr(0, digits)));
  if (error == std::errc()) {
    if (!suffix.is_long) {
      const bool fits = value <= std::uint64_t{std::numeric_limits<std::int32_t>::max()};
      if (!suffix.is_unsigned && fits) return {Type::i32, written};
      if (either_sign && value <= std::numeric_limits<std::uint32_t>::max()) {
        return {Type::u32, written + "u"};
      }
    }
    const bool fits = value <= std::uint64_t{std::numeric_limits<std::int64_t>::max()};
    if (!suffix.is_unsigned && fits) return {Type::i64, formatted("((i64){})", written)};
    if (either_sign) return {Type::u64, formatted("((u64){}u)", written)};
  }
  refuse(formatted("{} fits no {}", token.text, either_sign ? "u64" : "i64, and has no u"));
  return {};
}

/// Whether `T` holds a decimal number, which rounding may make zero.
template <class T>
bool fits(std::string_view number) {
  T value{};
  return std::from_chars(number.data(), number.data() + number.size(), value).ec == std::errc{};
}

Literal floating(const UserText& text, const Token& token) {
  std::string_view number = token.text;
  const bool is_f32 = number.ends_with('f') || number.ends_with('F');
  if (is_f32) number.remove_suffix(1);
  std::string_view rest = number;
  const std::size_t before = digits_at(rest);
  rest.remove_prefix(before);
  std::size_t after = 0;
  if (rest.starts_with('.')) {
    after = digits_at(rest.substr(1));
    rest.remove_prefix(1 + after);
  }
  bool well_formed = before + after > 0;
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
    const std::size_t exponent = digits_at(rest);
    well_formed = well_formed && exponent > 0;
    rest.remove_prefix(exponent);
  }
  if (!well_formed || !rest.empty()) {
    refuse_text(
        text, token.column,
        formatted("\"{}\" is no number: such a one is an f32 with the suffix f and an f64 without",
                  token.text));
  }
  if (is_f32 ? !fits<float>(number) : !fits<double>(number)) {
    refuse_text(text, token.column, formatted("{} fits no {}", token.text, is_f32 ? "f32" : "f64"));
  }
  return {is_f32 ? Type::f32 : Type::f64, std::string(token.text)};
}

}  // namespace

Literal literal_of(const UserText& text, const Token& token) {
  return token.kind == TokenKind::integer ? integer(text, token) : floating(text, token);
}

}  // namespace bifold::core
