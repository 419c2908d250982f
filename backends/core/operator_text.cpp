#include "core/operator_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bifold/error.hpp>
#include <cctype>
#include <cstddef>

namespace bifold::core {

namespace {

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, fmt::format("operator \"{}\": {}", name, why));
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

void check_balance(std::string_view name, std::string_view expression) {
  std::string open;
  for (const char c : expression) {
    if (c == '(' || c == '[') open.push_back(c);
    if (c == ')' || c == ']') {
      const char partner = c == ')' ? '(' : '[';
      if (open.empty() || open.back() != partner) {
        refuse(name, fmt::format("unbalanced '{}'", c));
      }
      open.pop_back();
    }
  }
  if (!open.empty()) refuse(name, fmt::format("unbalanced '{}'", open.back()));
}

// An '=' that is not part of a comparison is an assignment.
void check_assignments(std::string_view name, std::string_view expression) {
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] != '=') continue;
    const char before = i > 0 ? expression[i - 1] : ' ';
    const bool doubled = i + 1 < expression.size() && expression[i + 1] == '=';
    const bool shifts =
        i > 1 && (expression.substr(i - 2, 2) == "<<" || expression.substr(i - 2, 2) == ">>");
    if (doubled && before != '<' && before != '>') {
      ++i;
      continue;
    }
    if ((before == '!' || before == '<' || before == '>') && !shifts) continue;
    refuse(name, "an operator is an expression without assignments");
  }
}

}  // namespace

void check_operator_text(std::string_view name, std::string_view expression) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ||
      !std::all_of(name.begin(), name.end(), is_word)) {
    refuse(name, "the name must be an identifier");
  }
  if (std::all_of(expression.begin(), expression.end(), [](char c) { return c == ' '; })) {
    refuse(name, "the expression is empty");
  }
  for (const char c : expression) {
    if (c < ' ' || c > '~') refuse(name, "only printable ASCII on one line is allowed");
    if (std::string_view("#;{}\"'\\`@$").find(c) != std::string_view::npos) {
      refuse(name, fmt::format("character '{}' is not allowed in an expression", c));
    }
  }
  for (const std::string_view pair :
       {"//", "/*", "*/", "??", "%:", "<%", "%>", "<:", ":>", "++", "--"}) {
    if (expression.find(pair) != std::string_view::npos) {
      refuse(name, fmt::format("\"{}\" is not allowed in an expression", pair));
    }
  }
  check_balance(name, expression);
  check_assignments(name, expression);
}

std::string builtin_expression(OperatorKind kind, Type type) {
  const std::string_view name = name_of(type);
  // Arithmetic below 32 bits would promote to int, whose overflow is undefined.
  const std::string_view wrapping = size_of(type) == 8 ? "u64" : "u32";
  const auto arithmetic = [&](const char* symbol) {
    return is_floating(type) ? fmt::format("a {} b", symbol)
                             : fmt::format("({0})a {1} ({0})b", wrapping, symbol);
  };
  switch (kind) {
    case OperatorKind::plus: return arithmetic("+");
    case OperatorKind::multiplies: return arithmetic("*");
    case OperatorKind::minimum:
      return is_floating(type) ? fmt::format("minimum_{}(a, b)", name) : "a < b ? a : b";
    case OperatorKind::maximum:
      return is_floating(type) ? fmt::format("maximum_{}(a, b)", name) : "a > b ? a : b";
    case OperatorKind::bit_and: return "a & b";
    case OperatorKind::bit_or: return "a | b";
    case OperatorKind::bit_xor: return "a ^ b";
    case OperatorKind::logical_and: return "a != 0 && b != 0";
    case OperatorKind::logical_or: return "a != 0 || b != 0";
    case OperatorKind::user: break;
  }
  throw Error(ErrorCategory::invalid_argument, "a user operator brings its own expression");
}

}  // namespace bifold::core
