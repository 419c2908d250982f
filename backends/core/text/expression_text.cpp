#include "core/text/expression_text.hpp"

#include <array>
#include <bifold/error.hpp>
#include <cstddef>

#include "core/base/ascii.hpp"
#include "core/base/format.hpp"
#include "core/text/scalar_names.hpp"
#include "core/text/text_types.hpp"

namespace bifold::core {

namespace {

/// Where the text, from some place on, uses `word` as a name of its own; npos when it does not.
std::size_t place_of(std::string_view expression, std::string_view word, std::size_t from = 0) {
  for (std::size_t at = expression.find(word, from); at != std::string_view::npos;
       at = expression.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word(expression[at - 1]);
    const bool ends = end == expression.size() || !is_word(expression[end]);
    const std::size_t before = expression.find_last_not_of(' ', at - 1);
    const bool field = at > 0 && before != std::string_view::npos && expression[before] == '.';
    if (begins && ends && !field) return at;
  }
  return std::string_view::npos;
}

/// Whether a text's value becomes one of `wanted`.
void check_value(const UserText& text, const WrittenText& written, Type wanted) {
  const Type type = known_type(written.type);
  if (wanted.is_struct() ? type == wanted : !type.is_struct()) return;
  refuse_text(text, 1,
              formatted("its value is of {} where {} is wanted", name_of(type), name_of(wanted)));
}

void check_length(const UserText& text) {
  if (text.text.size() <= max_text_length) return;
  refuse_text(text, max_text_length + 1,
              formatted("it has {} characters, and a text has at most {}", text.text.size(),
                        max_text_length));
}

constexpr std::string_view map_subject = "map";
constexpr std::string_view result_subject = "result map";

constexpr std::array<std::string_view, 2> operator_operands{"a", "b"};
constexpr std::array<std::string_view, 5> map_operands{"x", "y", "z", "w", "i"};
constexpr std::array<std::string_view, 1> result_operands{"s"};

}  // namespace

WrittenText user_operator_text(std::string_view name, std::string_view expression, Type type,
                               std::span<const ScalarType> scalars) {
  const std::string subject = formatted("operator {}", name);
  const UserText text{subject, expression};
  TextScope scope{.names = {{"a", type}, {"b", type}}, .structs = {}};
  if (type.is_struct()) scope.structs = {type};
  add_scalars(scope, scalars);
  WrittenText written = write_text(text, scope);
  check_value(text, written, type);
  return written;
}

void check_operator_text(std::string_view name, std::string_view expression, Type type,
                         std::span<const ScalarType> scalars) {
  const std::string subject = formatted("operator {}", name);
  check_length({subject, expression});
  check_scalars(subject, scalars, operator_operands);
  static_cast<void>(user_operator_text(name, expression, type, scalars));
}

void check_map_text(std::string_view expression, std::span<const ScalarType> scalars) {
  const UserText text{map_subject, expression};
  check_length(text);
  check_scalars(map_subject, scalars, map_operands);
  TextScope scope{.names = {}, .structs = {}, .has_types = false};
  for (std::size_t k = 0; k < input_names.size(); ++k) {
    scope.names.push_back({input_names.substr(k, 1), {}});
  }
  scope.names.push_back({"i", {}});
  add_scalars(scope, scalars);
  static_cast<void>(write_text(text, scope));
}

WrittenText map_text(std::string_view expression, std::span<const Type> inputs, Type accumulator,
                     std::span<const ScalarType> scalars) {
  // A text that bifold made of users' has a few more brackets.
  TextScope scope{.names = {{"i", Type(Type::u64)}},
                  .structs = {},
                  .has_types = true,
                  .nesting = max_text_nesting + 4};
  if (accumulator.is_struct()) scope.structs.push_back(accumulator);
  const UserText text{map_subject, expression};
  for (std::size_t k = 0; k < input_names.size(); ++k) {
    const std::string_view name = input_names.substr(k, 1);
    if (k < inputs.size()) {
      scope.names.push_back({name, accumulator_of(inputs[k])});
      if (inputs[k].is_struct()) scope.structs.push_back(inputs[k]);
    } else if (const std::size_t at = place_of(expression, name); at != std::string_view::npos) {
      constexpr std::string_view numbers[] = {"first", "second", "third", "fourth"};
      refuse_text(
          text, at + 1,
          formatted(
              "the map names {}, an element of a {} array, and there {}", name, numbers[k],
              inputs.size() == 1 ? "is one array" : formatted("are {} arrays", inputs.size())));
    }
  }
  add_scalars(scope, scalars);
  WrittenText written = write_text(text, scope);
  check_value(text, written, accumulator);
  return written;
}

void check_result_text(std::string_view expression, std::span<const ScalarType> scalars) {
  const UserText text{result_subject, expression};
  check_length(text);
  check_scalars(result_subject, scalars, result_operands);
  TextScope scope{.names = {{"s", {}}}, .structs = {}, .has_types = false};
  add_scalars(scope, scalars);
  static_cast<void>(write_text(text, scope));
}

WrittenText result_text(std::string_view expression, Type accumulator, Type output,
                        std::span<const ScalarType> scalars) {
  TextScope scope{.names = {{"s", accumulator}}, .structs = {}};
  for (const Type type : {accumulator, output}) {
    if (type.is_struct()) scope.structs.push_back(type);
  }
  add_scalars(scope, scalars);
  const UserText text{result_subject, expression};
  WrittenText written = write_text(text, scope);
  check_value(text, written, output);
  const Type type = known_type(written.type);
  if (is_storage(output) && !is_floating(type)) {
    refuse_text(text, 1,
                formatted("its value is of {}, and {} is rounded from f32 or f64", name_of(type),
                          name_of(output)));
  }
  return written;
}

bool uses_word(std::string_view expression, std::string_view word) {
  return place_of(expression, word) != std::string_view::npos;
}

std::string with_word(std::string_view expression, std::string_view word, std::string_view other) {
  std::string text;
  std::size_t done = 0;
  for (std::size_t at = place_of(expression, word); at != std::string_view::npos;
       at = place_of(expression, word, done)) {
    text.append(expression.substr(done, at - done)).append(other);
    done = at + word.size();
  }
  return text.append(expression.substr(done));
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

std::string builtin_vector_expression(OperatorKind kind, std::string_view a, std::string_view b) {
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
  throw Error(ErrorCategory::invalid_argument, "this operator does not combine vectors");
}

}  // namespace bifold::core
