#include "core/operator_text.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <cstddef>

#include "core/ascii.hpp"
#include "core/format.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(std::string_view subject, const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, formatted("{}: {}", subject, why));
}

void check_balance(std::string_view subject, std::string_view expression) {
  std::string open;
  for (const char c : expression) {
    if (c == '(' || c == '[') open.push_back(c);
    if (c == ')' || c == ']') {
      const char partner = c == ')' ? '(' : '[';
      if (open.empty() || open.back() != partner) {
        refuse(subject, formatted("unbalanced '{}'", c));
      }
      open.pop_back();
    }
  }
  if (!open.empty()) refuse(subject, formatted("unbalanced '{}'", open.back()));
}

// An '=' that is not part of a comparison is an assignment.
void check_assignments(std::string_view subject, std::string_view expression) {
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
    refuse(subject, "it must be an expression without assignments");
  }
}

}  // namespace

void check_operator_text(std::string_view name, std::string_view expression) {
  const std::string subject = formatted("operator \"{}\"", name);
  if (name.empty() || is_digit(name.front()) || !std::all_of(name.begin(), name.end(), is_word)) {
    refuse(subject, "the name must be an identifier");
  }
  check_expression(subject, expression);
}

void check_expression(std::string_view subject, std::string_view expression) {
  if (std::all_of(expression.begin(), expression.end(), [](char c) { return c == ' '; })) {
    refuse(subject, "the expression is empty");
  }
  for (const char c : expression) {
    if (c < ' ' || c > '~') refuse(subject, "only printable ASCII on one line is allowed");
    if (std::string_view("#;{}\"'\\`@$").find(c) != std::string_view::npos) {
      refuse(subject, formatted("character '{}' is not allowed in an expression", c));
    }
  }
  for (const std::string_view pair :
       {"//", "/*", "*/", "??", "%:", "<%", "%>", "<:", ":>", "++", "--"}) {
    if (expression.find(pair) != std::string_view::npos) {
      refuse(subject, formatted("\"{}\" is not allowed in an expression", pair));
    }
  }
  check_balance(subject, expression);
  check_assignments(subject, expression);
}

bool uses_word(std::string_view expression, std::string_view word) {
  for (std::size_t at = expression.find(word); at != std::string_view::npos;
       at = expression.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word(expression[at - 1]);
    const bool ends = end == expression.size() || !is_word(expression[end]);
    const std::size_t before = expression.find_last_not_of(' ', at - 1);
    const bool field = at > 0 && before != std::string_view::npos && expression[before] == '.';
    if (begins && ends && !field) return true;
  }
  return false;
}

bool computes(std::string_view expression) {
  if (expression.find_first_of("+-*/<>=!") != std::string_view::npos) return true;
  for (std::size_t at = expression.find('('); at != std::string_view::npos;
       at = expression.find('(', at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && is_word(expression[begin - 1])) --begin;
    const std::string_view name = expression.substr(begin, at - begin);
    if (!name.empty() && !name.starts_with("make_")) return true;
  }
  return false;
}

std::string builtin_expression(OperatorKind kind, Type type, std::string_view a,
                               std::string_view b) {
  const std::string_view name = name_of(type);
  const auto infix = [&](std::string_view symbol) { return formatted("{} {} {}", a, symbol, b); };
  // Arithmetic below 32 bits would promote to int, whose overflow is undefined.
  const std::string_view wrapping = size_of(type) == 8 ? "u64" : "u32";
  const auto arithmetic = [&](std::string_view symbol) {
    return is_floating(type) ? infix(symbol)
                             : formatted("({0}){1} {3} ({0}){2}", wrapping, a, b, symbol);
  };
  const auto choice = [&](std::string_view relation, std::string_view function) {
    return is_floating(type) ? formatted("{}_{}({}, {})", function, name, a, b)
                             : formatted("{0} {2} {1} ? {0} : {1}", a, b, relation);
  };
  switch (kind) {
    case OperatorKind::plus: return arithmetic("+");
    case OperatorKind::multiplies: return arithmetic("*");
    case OperatorKind::minimum: return choice("<", "minimum");
    case OperatorKind::maximum: return choice(">", "maximum");
    case OperatorKind::bit_and: return infix("&");
    case OperatorKind::bit_or: return infix("|");
    case OperatorKind::bit_xor: return infix("^");
    case OperatorKind::logical_and: return formatted("{} != 0 && {} != 0", a, b);
    case OperatorKind::logical_or: return formatted("{} != 0 || {} != 0", a, b);
    case OperatorKind::user: break;
  }
  throw Error(ErrorCategory::invalid_argument, "a user operator brings its own expression");
}

std::string builtin_pack_expression(OperatorKind kind, std::string_view a, std::string_view b) {
  const auto infix = [&](std::string_view symbol) { return formatted("{} {} {}", a, symbol, b); };
  const auto call = [&](std::string_view name) { return formatted("{}({}, {})", name, a, b); };
  switch (kind) {
    case OperatorKind::plus: return infix("+");
    case OperatorKind::multiplies: return infix("*");
    case OperatorKind::minimum: return call("min");
    case OperatorKind::maximum: return call("max");
    case OperatorKind::bit_and: return infix("&");
    case OperatorKind::bit_or: return infix("|");
    case OperatorKind::bit_xor: return infix("^");
    default: break;
  }
  throw Error(ErrorCategory::invalid_argument, "this operator does not combine packs");
}

}  // namespace bifold::core
