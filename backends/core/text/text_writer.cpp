#include "core/text/text_writer.hpp"

#include <algorithm>
#include <utility>

#include "core/base/format.hpp"
#include "core/text/kernel_names.hpp"
#include "core/text/text_functions.hpp"
#include "core/text/text_literals.hpp"
#include "core/text/text_types.hpp"

namespace bifold::core {

namespace {

bool is_integer(Type type) { return !type.is_struct() && !is_floating(type); }

/// "Range", "f32 and i32".
std::string names_of(const std::vector<Operand>& operands) {
  std::string names;
  for (const Operand& operand : operands) {
    names += (names.empty() ? "" : " and ") + std::string(name_of(known_type(operand.type)));
  }
  return names;
}

class Writer {
 public:
  Writer(const UserText& text, const TextScope& scope)
      : text_(text), scope_(scope), tokens_(tokens_of(text)) {}

  WrittenText whole() {
    Operand result = expression();
    if (is(",")) refuse(token(), "a comma stands between the arguments of a function only");
    if (is(")")) refuse(token(), "unbalanced ')'");
    if (token().kind != TokenKind::end) refuse_unexpected();
    written_.text = std::move(result.text);
    written_.type = result.type;
    return std::move(written_);
  }

 private:
  /// Counts what stands in each other.
  class Level {
   public:
    explicit Level(Writer& writer) : writer_(writer) {
      if (++writer.depth_ > writer.scope_.nesting) {
        writer.refuse(writer.token(), formatted("more than {} expressions stand in each other",
                                                writer.scope_.nesting));
      }
    }
    ~Level() { --writer_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Writer& writer_;
  };

  [[nodiscard]] const Token& token() const { return tokens_[at_]; }
  [[nodiscard]] bool is(std::string_view symbol) const {
    return token().kind == TokenKind::symbol && token().text == symbol;
  }

  /// The type in brackets that follows, if one does.
  [[nodiscard]] std::optional<Type> cast() const {
    const bool brackets = is("(") && at_ + 2 < tokens_.size() &&
                          tokens_[at_ + 1].kind == TokenKind::word && tokens_[at_ + 2].text == ")";
    return brackets ? cast_type(tokens_[at_ + 1].text) : std::nullopt;
  }
  /// That of what needs none to be known.
  [[nodiscard]] std::optional<Type> known(Type type) const {
    return scope_.has_types ? std::optional(type) : std::nullopt;
  }

  [[noreturn]] void refuse(const Token& token, const std::string& why) const {
    refuse_text(text_, token.column, why);
  }
  [[noreturn]] void refuse_unexpected() const {
    if (token().kind == TokenKind::end) refuse(token(), "an operand is missing at the end");
    refuse(token(), formatted("\"{}\" is not expected here", token().text));
  }

  Operand expression();
  Operand binary(unsigned least);
  Operand unary();
  Operand postfix();
  Operand primary();
  Operand word();
  Operand call(const TextFunction& function, const Token& name);
  Operand make(const Token& name);
  std::vector<Operand> arguments(const Token& name);
  void close(const Token& open);

  void check_numbers(const Token& symbol, const std::vector<Operand>& operands) const;
  void make_condition(Operand& operand, const Token& symbol) const;
  std::optional<Type> result_of(const Token& symbol, const Operand& left, const Operand& right);
  Operand of(std::string text, std::optional<Type> type, const Token& first);

  const UserText& text_;
  const TextScope& scope_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  unsigned depth_ = 0;
  WrittenText written_;
};

Operand Writer::of(std::string text, std::optional<Type> type, const Token& first) {
  written_.has_f64 = written_.has_f64 || type == Type::f64;
  return {std::move(text), type, first.column};
}

void Writer::check_numbers(const Token& symbol, const std::vector<Operand>& operands) const {
  if (!scope_.has_types) return;
  const bool integers = is_of_integers(symbol.text);
  for (const Operand& operand : operands) {
    const Type type = known_type(operand.type);
    if (integers ? is_integer(type) : !type.is_struct()) continue;
    refuse(symbol, formatted("\"{}\" takes {}, and here is {}", symbol.text,
                             integers ? "integers" : "numbers", names_of(operands)));
  }
}

/// Makes a condition of it. OpenCL C takes no floating value for one where C does.
void Writer::make_condition(Operand& operand, const Token& symbol) const {
  check_numbers(symbol, {operand});
  const bool floating = operand.type && is_floating(*operand.type);
  if (floating) operand.text = formatted("(({}) != 0)", operand.text);
}

Operand Writer::expression() {
  const Token first = token();
  Operand condition = binary(1);
  if (!is("?")) return condition;
  const Level level(*this);
  const Token question = token();
  make_condition(condition, question);
  std::string text = std::move(condition.text);
  text += " ? ";
  ++at_;
  Operand left = expression();
  if (!is(":")) {
    refuse(question, "this '?' has no ':'");
  }
  ++at_;
  Operand right = expression();
  text += left.text + " : " + right.text;
  if (!scope_.has_types) return of(std::move(text), {}, first);
  const Type left_type = known_type(left.type);
  const Type right_type = known_type(right.type);
  if (!left_type.is_struct() && !right_type.is_struct()) {
    return of(std::move(text), common_type(left_type, right_type), first);
  }
  if (left_type != right_type) {
    refuse(question, formatted("\"?\" chooses between values of one type, and here is {}",
                               names_of({left, right})));
  }
  return of(std::move(text), left.type, first);
}

std::optional<Type> Writer::result_of(const Token& symbol, const Operand& left,
                                      const Operand& right) {
  if (!scope_.has_types) return {};
  check_numbers(symbol, {left, right});
  const unsigned strength = strength_of(symbol.text);
  if (strength == 6 || strength == 7) return Type::i32;
  if (strength == 8) return promoted(known_type(left.type));
  const Type type = common_type(known_type(left.type), known_type(right.type));
  if (symbol.text == "/" && type == Type::f32) written_.divides_f32 = true;
  return type;
}

Operand Writer::binary(unsigned least) {
  Operand left = unary();
  for (unsigned strength = strength_of(token().text); strength >= least && strength > 0;
       strength = strength_of(token().text)) {
    const Token symbol = token();
    ++at_;
    Operand right = binary(strength + 1);
    const bool logical = strength <= 2;
    const std::optional<Type> type = logical ? known(Type::i32) : result_of(symbol, left, right);
    if (logical) {
      make_condition(left, symbol);
      make_condition(right, symbol);
    }
    // Appended to, so that a long chain takes time as its length.
    std::string text = std::move(left.text);
    text.append(" ").append(symbol.text).append(" ").append(right.text);
    const std::size_t column = left.column;
    left = of(std::move(text), type, symbol);
    left.column = column;
  }
  return left;
}

Operand Writer::unary() {
  const Token first = token();
  if (const std::optional<Type> type = cast()) {
    const Level level(*this);
    at_ += 3;
    Operand operand = unary();
    if (operand.type && operand.type->is_struct()) {
      refuse(first, formatted("a {} is no number to cast", name_of(*operand.type)));
    }
    return of(formatted("({}){}", name_of(*type), operand.text), type, first);
  }
  if (!is("+") && !is("-") && !is("!") && !is("~")) return postfix();
  const Level level(*this);
  ++at_;
  Operand operand = unary();
  check_numbers(first, {operand});
  if (first.text == "!") {
    make_condition(operand, first);
    return of("!" + operand.text, known(Type::i32), first);
  }
  // No two signs may become one token.
  const std::string_view gap = operand.text.starts_with(first.text) ? " " : "";
  const std::optional<Type> type =
      operand.type ? std::optional(promoted(*operand.type)) : std::nullopt;
  return of(formatted("{}{}{}", first.text, gap, operand.text), type, first);
}

Operand Writer::postfix() {
  Operand value = primary();
  while (is(".")) {
    ++at_;
    const Token field = token();
    if (field.kind != TokenKind::word) refuse(field, "the name of a field is missing");
    ++at_;
    std::optional<Type> type;
    if (value.type) {
      if (!value.type->is_struct()) {
        refuse(field, formatted("\"{}\" would be a field, and {} has none", field.text,
                                name_of(*value.type)));
      }
      const std::span<const StructField> fields = value.type->structure()->fields;
      const auto found = std::find_if(fields.begin(), fields.end(), [&](const StructField& one) {
        return one.name == field.text;
      });
      if (found == fields.end()) {
        refuse(field, formatted("\"{}\" is no field of {}", field.text, name_of(*value.type)));
      }
      type = found->type;
    }
    const std::size_t column = value.column;
    value = of(formatted("{}.{}{}", value.text, field_prefix, field.text), type, field);
    value.column = column;
  }
  return value;
}

void Writer::close(const Token& open) {
  if (is(")")) {
    ++at_;
    return;
  }
  if (token().kind == TokenKind::end) {
    refuse(open, "unbalanced '('");
  }
  if (is(",")) refuse(token(), "a comma stands between the arguments of a function only");
  refuse_unexpected();
}

Operand Writer::primary() {
  const Token first = token();
  if (first.kind == TokenKind::word) return word();
  if (first.kind == TokenKind::integer || first.kind == TokenKind::floating) {
    Literal literal = literal_of(text_, first);
    ++at_;
    return of(std::move(literal.text), known(literal.type), first);
  }
  if (is("*") || is("&")) {
    refuse(first, formatted("'{}' has no operand on its left; texts know no pointers", first.text));
  }
  if (!is("(")) refuse_unexpected();
  const Level level(*this);
  ++at_;
  Operand inner = expression();
  close(first);
  return of("(" + inner.text + ")", inner.type, first);
}

Operand Writer::word() {
  const Token name = token();
  ++at_;
  for (const TextScope::Name& one : scope_.names) {
    if (one.word != name.text) continue;
    return of(one.written.empty() ? std::string(name.text) : one.written, one.type, name);
  }
  if (name.text == "true" || name.text == "false") {
    return of(name.text == "true" ? "1" : "0", known(Type::i32), name);
  }
  if (const TextFunction* function = find_text_function(name.text)) return call(*function, name);
  if (name.text.starts_with("make_")) return make(name);
  if (parse_type(name.text)) {
    refuse(name, cast_type(name.text)
                     ? formatted(R"("{0}" is a type and stands in casts only: ({0})x)", name.text)
                     : formatted("{} is a type of elements, with which nothing is computed: they "
                                 "are f32 here",
                                 name.text));
  }
  const std::string_view instead = word_instead(name.text);
  if (!instead.empty()) {
    refuse(name, formatted(R"("{}" is no word of texts; write "{}")", name.text, instead));
  }
  std::string parameters;
  for (const TextScope::Name& one : scope_.names) parameters += std::string(one.word) + ", ";
  refuse(name, formatted("\"{}\" is no word of texts, which know {}fields, functions, casts and "
                         "make_ with a struct's name",
                         name.text, parameters));
}

std::vector<Operand> Writer::arguments(const Token& name) {
  if (!is("(")) refuse(name, formatted("\"{0}\" is a function: {0}(...)", name.text));
  const Level level(*this);
  const Token open = token();
  std::vector<Operand> all;
  do {
    ++at_;
    all.push_back(expression());
  } while (is(","));
  close(open);
  return all;
}

Operand Writer::call(const TextFunction& function, const Token& name) {
  std::vector<Operand> given = arguments(name);
  if (given.size() != function.arguments) {
    refuse(name, formatted("{} takes {} argument{}, and here {}", name.text, function.arguments,
                           function.arguments == 1 ? "" : "s", given.size()));
  }
  if (!scope_.has_types) return of({}, {}, name);
  check_numbers(name, given);
  Type type = promoted(known_type(given.front().type));
  for (const Operand& one : given) type = common_type(type, known_type(one.type));
  if (function.only) type = *function.only;
  const bool floating = is_floating(type) || function.only.has_value();
  for (const Operand& one : given) {
    if (!function.only || !is_integer(type) || is_integer(known_type(one.type))) continue;
    refuse(name, formatted("{} takes integers, and here is {}", name.text, names_of(given)));
  }
  const std::string_view kernel_word = floating ? function.floating_name : function.integer_name;
  if (kernel_word.empty()) {
    refuse(name, formatted("{} takes {}, and here is {}", name.text,
                           floating ? "integers" : "values of f32 or f64, to which (f32) casts",
                           names_of(given)));
  }
  std::string text = std::string(kernel_word);
  if (!function.only) text += formatted("_{}", name_of(type));
  if (kernel_word.starts_with(function_prefix)) {
    (!floating           ? written_.integer_functions
     : type == Type::f32 ? written_.f32_functions
                         : written_.f64_functions) = true;
  }
  if (function.word == "sqrt" && type == Type::f32) written_.divides_f32 = true;
  text += "(";
  for (const Operand& one : given) {
    if (&one != &given.front()) text += ", ";
    text +=
        known_type(one.type) == type ? one.text : formatted("({})({})", name_of(type), one.text);
  }
  written_.has_f64 = written_.has_f64 || type == Type::f64;
  if (function.result) type = *function.result;
  if (function.gives == Gives::truth) type = Type::i32;
  if (function.gives == Gives::bits) type = type == Type::f32 ? Type::u32 : Type::u64;
  return of(text + ")", type, name);
}

Operand Writer::make(const Token& name) {
  const std::string_view structure = name.text.substr(name.text.find('_') + 1);
  std::vector<Operand> given = arguments(name);
  if (!scope_.has_types) return of({}, {}, name);
  const auto found = std::find_if(scope_.structs.begin(), scope_.structs.end(),
                                  [&](const Type& one) { return name_of(one) == structure; });
  if (found == scope_.structs.end()) {
    refuse(name, formatted("\"{}\" makes no struct of this operator or map", name.text));
  }
  const std::span<const StructField> fields = found->structure()->fields;
  if (given.size() != fields.size()) {
    refuse(name, formatted("{} has {} fields, and here are {} values", structure, fields.size(),
                           given.size()));
  }
  check_numbers(name, given);
  std::string text = formatted("{}{}(", maker_prefix, structure);
  for (const Operand& one : given) {
    if (&one != &given.front()) text += ", ";
    text += one.text;
  }
  return of(text + ")", *found, name);
}

}  // namespace

WrittenText write_text(const UserText& text, const TextScope& scope) {
  return Writer(text, scope).whole();
}

}  // namespace bifold::core
