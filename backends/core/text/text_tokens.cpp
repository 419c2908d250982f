#include "core/text/text_tokens.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"

namespace bifold::core {

namespace {

bool is_printable(char c) { return c >= ' ' && c <= '~'; }

/// The text, or what of a long one stands about a place.
std::string excerpt(std::string_view text, std::size_t column) {
  constexpr std::size_t before = 40;
  constexpr std::size_t most = 100;
  const std::size_t begin = text.size() <= most ? 0 : column - std::min(column, before);
  std::string shown(text.substr(begin, most));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return !is_printable(c); }, '?');
  const bool ends = begin + shown.size() >= text.size();
  return formatted("{}{}{}", begin > 0 ? "..." : "", shown, ends ? "" : "...");
}

/// A message with at most 60 characters between blanks: it quotes a user's words and numbers, which
/// may be of any length.
std::string with_short_words(std::string_view message) {
  constexpr std::size_t most = 60;
  std::string result;
  std::size_t length = 0;  // Of the word so far.
  for (const char c : message) {
    length = c == ' ' ? 0 : length + 1;
    if (length <= most) result += c;
    if (length == most + 1) result += "...";
  }
  return result;
}

constexpr std::array<std::string_view, 8> pairs{"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};

/// Length of a number as C's preprocessor takes it: what follows a digit without a gap.
std::size_t number_length(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  std::size_t length = 1;
  while (length < text.size()) {
    const char c = text[length];
    const char last = text[length - 1];
    const bool exponent = !hexadecimal && (last == 'e' || last == 'E') && (c == '+' || c == '-');
    if (!is_word(c) && c != '.' && !exponent) break;
    ++length;
  }
  return length;
}

bool is_floating_number(std::string_view number) {
  if (number.starts_with("0x") || number.starts_with("0X")) return false;
  return number.find_first_of(".eE") != std::string_view::npos;
}

class Tokenizer {
 public:
  explicit Tokenizer(const UserText& text) : text_(text) {}

  std::vector<Token> all() {
    for (;;) {
      while (at_ < text_.text.size() && text_.text[at_] == ' ') ++at_;
      if (at_ == text_.text.size()) break;
      tokens_.push_back(next());
      at_ += tokens_.back().text.size();
    }
    if (tokens_.empty()) refuse("the expression is empty");
    tokens_.push_back({TokenKind::end, {}, text_.text.size() + 1});
    return std::move(tokens_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { refuse_text(text_, at_ + 1, why); }

  [[nodiscard]] Token next() const {
    const std::string_view rest = text_.text.substr(at_);
    const char c = rest.front();
    if (!is_printable(c)) refuse("only printable ASCII on one line is allowed");
    const auto token = [&](TokenKind kind, std::size_t length) -> Token {
      return {kind, rest.substr(0, length), at_ + 1};
    };
    if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) {
      const std::size_t length = number_length(rest);
      const bool floating = is_floating_number(rest.substr(0, length));
      return token(floating ? TokenKind::floating : TokenKind::integer, length);
    }
    if (is_word(c)) {
      const auto* const end = std::find_if_not(rest.begin(), rest.end(), is_word);
      return token(TokenKind::word, static_cast<std::size_t>(end - rest.begin()));
    }
    return token(TokenKind::symbol, symbol_length(rest));
  }

  [[nodiscard]] std::size_t symbol_length(std::string_view rest) const {
    for (const std::string_view pair : {"++", "--", "//", "/*", "->", "::"}) {
      if (rest.starts_with(pair)) refuse(formatted("\"{}\" is not allowed in an expression", pair));
    }
    for (const std::string_view pair : pairs) {
      if (rest.starts_with(pair)) return 2;
    }
    if (rest.front() == '=') refuse("it must be an expression without assignments");
    if (std::string_view("+-*/%&|^~!<>?:(),.").find(rest.front()) == std::string_view::npos) {
      refuse(formatted("character '{}' is not allowed in an expression", rest.front()));
    }
    return 1;
  }

  const UserText& text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

void refuse_text(const UserText& text, std::size_t column, const std::string& why) {
  throw Error(ErrorCategory::invalid_argument,
              formatted("{}: \"{}\", column {}: {}", text.subject, excerpt(text.text, column),
                        column, with_short_words(why)));
}

std::vector<Token> tokens_of(const UserText& text) { return Tokenizer(text).all(); }

}  // namespace bifold::core
