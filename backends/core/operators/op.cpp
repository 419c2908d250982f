#include "core/operators/op.hpp"

#include <array>
#include <bifold/error.hpp>
#include <bifold/reference.hpp>
#include <cstring>
#include <optional>
#include <utility>

#include "core/base/hash.hpp"
#include "core/base/process.hpp"
#include "core/element/struct_types.hpp"
#include "core/text/expression_text.hpp"
#include "core/text/scalar_names.hpp"

namespace bifold {

struct Operator::Definition {
  OperatorKind kind;
  std::string name;
  bool commutative;
  std::string expression;         // A user operator's text.
  std::optional<Value> identity;  // A user operator's neutral element,
  Type type;                      // and its type.
  std::uint64_t id;
  bool exact_parts = false;  // Every association gives the same bits, floating types included.
  std::optional<Value> of_nothing{};  // Where that is not the neutral element.
  std::vector<ScalarType> scalars{};
};

namespace {

constexpr std::array<std::string_view, 9> builtin_names{"plus",    "multiplies",  "minimum",
                                                        "maximum", "bit_and",     "bit_or",
                                                        "bit_xor", "logical_and", "logical_or"};

bool contains_floating(Type type) { return contains(type, Type::f32) || contains(type, Type::f64); }

bool is_arithmetic(OperatorKind kind) {
  return kind == OperatorKind::plus || kind == OperatorKind::multiplies;
}

bool is_bitwise(OperatorKind kind) {
  return kind == OperatorKind::bit_and || kind == OperatorKind::bit_or ||
         kind == OperatorKind::bit_xor;
}

// The sum's neutral element is -0: +0 would turn a sum of -0 into +0.
template <builtin_element T>
T builtin_identity(OperatorKind kind) {
  if (std::is_floating_point_v<T> && kind == OperatorKind::plus) return static_cast<T>(-0.0);
  return reference::of_nothing<T>(kind);
}

void check_supports(const Operator& op, Type type) {
  if (op.supports(type)) return;
  throw Error(
      ErrorCategory::invalid_argument,
      "operator " + std::string(op.name()) + " is not defined on " + std::string(name_of(type)));
}

void check_user_text(std::string_view name, std::string_view expression, Type type,
                     std::span<const ScalarType> scalars = {}) {
  if (!detail::is_identifier(name)) {
    throw Error(ErrorCategory::invalid_argument,
                "operator \"" + std::string(name) + "\": the name must be an identifier");
  }
  if (is_storage(type)) {
    throw Error(ErrorCategory::invalid_argument, "operator " + std::string(name) + ": values of " +
                                                     std::string(name_of(type)) +
                                                     " are combined as f32");
  }
  core::check_operator_text(name, expression, type, scalars);
}

// A copy whose bytes between fields are 0, so that equal operators have equal ids.
Value without_padding(Type type, const Value& value) {
  if (!type.is_struct()) return Value::from_bytes(type, value.data());
  std::array<std::byte, max_element_bytes> bytes{};
  for (const StructField& field : type.structure()->fields) {
    std::memcpy(bytes.data() + field.offset, value.data() + field.offset, size_of(field.type));
  }
  return Value::from_bytes(type, bytes.data());
}

}  // namespace

Operator::Operator(OperatorKind kind) try : definition_(nullptr) {
  // One definition per kind for the whole program, so that comparing operators compares pointers.
  static const auto definitions = [] {
    std::array<std::shared_ptr<const Definition>, builtin_names.size()> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = std::make_shared<const Definition>(Definition{static_cast<OperatorKind>(i),
                                                             std::string(builtin_names[i]),
                                                             true,
                                                             {},
                                                             {},
                                                             {},
                                                             core::hash(builtin_names[i])});
    }
    return all;
  }();
  if (kind == OperatorKind::user) {
    throw Error(ErrorCategory::invalid_argument,
                "a user operator is made from its text, by Operator::user");
  }
  definition_ = definitions[static_cast<std::size_t>(kind)];
} catch (...) {
  detail::rethrow();
}

Operator::Operator(std::shared_ptr<const Definition> definition)
    : definition_(std::move(definition)) {}

std::shared_ptr<const Operator::Definition> Operator::define(
    std::string name, std::string expression, Type type, const std::optional<Value>& identity,
    const std::optional<Value>& of_nothing, Commutativity commutativity, bool exact_parts,
    std::vector<ScalarType> scalars) try {
  core::keep_types(scalars);
  const bool commutative = commutativity == Commutativity::commutative;
  const Type own = core::kept(type);
  std::optional<Value> neutral;
  if (identity) neutral = without_padding(own, *identity);
  std::optional<Value> nothing;
  if (of_nothing) nothing = without_padding(own, *of_nothing);
  std::uint64_t id = core::hash(name);
  id = core::hash(expression, id);
  for (const std::optional<Value>& value : {neutral, nothing}) {
    if (!value) continue;
    id = core::hash({reinterpret_cast<const char*>(value->data()), value->size()}, id);
  }
  id = core::hash(name_of(type), id);
  id = core::hash(commutative ? "commutative" : "non_commutative", id);
  id = core::hash_of(scalars, id);
  return std::make_shared<const Definition>(
      Definition{OperatorKind::user, std::move(name), commutative, std::move(expression), neutral,
                 own, id, exact_parts, nothing, std::move(scalars)});
} catch (...) {
  detail::rethrow();
}

Operator Operator::user(std::string name, std::string expression, Value identity,
                        Commutativity commutativity, std::vector<ScalarType> scalars) try {
  check_user_text(name, expression, identity.type(), scalars);
  return Operator(define(std::move(name), std::move(expression), identity.type(), identity, {},
                         commutativity, false, std::move(scalars)));
} catch (...) {
  detail::rethrow();
}

Operator Operator::user(std::string name, std::string expression, Type type,
                        Commutativity commutativity, std::vector<ScalarType> scalars) try {
  check_user_text(name, expression, type, scalars);
  return Operator(define(std::move(name), std::move(expression), type, {}, {}, commutativity, false,
                         std::move(scalars)));
} catch (...) {
  detail::rethrow();
}

Operator core::OperatorAccess::summing(std::string name, std::string expression,
                                       const Value& identity, const Value& of_nothing) {
  check_user_text(name, expression, identity.type());
  return Operator(Operator::define(std::move(name), std::move(expression), identity.type(),
                                   identity, of_nothing, Commutativity::commutative, false));
}

Operator core::OperatorAccess::multiplying(std::string name, std::string expression,
                                           const Value& of_nothing) {
  check_user_text(name, expression, of_nothing.type());
  return Operator(Operator::define(std::move(name), std::move(expression), of_nothing.type(), {},
                                   of_nothing, Commutativity::commutative, false));
}

Type core::OperatorAccess::type_of(const Operator& op) { return op.definition().type; }

bool core::OperatorAccess::gives_of_nothing(const Operator& op) {
  return op.has_identity() || op.definition_->of_nothing.has_value();
}

Operator core::OperatorAccess::in_order(const Operator& op, Type type) {
  if (!op.commutative()) return op;
  std::optional<Value> identity;
  std::optional<Value> nothing;
  if (op.has_identity()) identity = op.identity(type);
  if (gives_of_nothing(op)) nothing = op.of_nothing(type);
  return Operator(Operator::define(std::string(op.name()), op.expression(type), type, identity,
                                   nothing, Commutativity::non_commutative, op.exact(type),
                                   {op.scalars().begin(), op.scalars().end()}));
}

Operator Operator::fieldwise(Type type, const std::vector<Operator>& operators) try {
  const auto refuse = [type](const std::string& why) {
    throw Error(ErrorCategory::invalid_argument,
                "a fieldwise operator on " + std::string(name_of(type)) + ": " + why);
  };
  if (!type.is_struct()) refuse("it is no struct");
  const StructType& structure = *type.structure();
  if (operators.size() != structure.fields.size()) {
    refuse(std::to_string(operators.size()) + " operators for " +
           std::to_string(structure.fields.size()) + " fields");
  }
  std::string name = "fieldwise";
  std::string expression = "make_" + std::string(structure.name) + "(";
  std::array<std::byte, max_element_bytes> identity{};
  std::array<std::byte, max_element_bytes> nothing{};
  bool exact = true;
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const StructField& field = structure.fields[i];
    const Operator& op = operators[i];
    if (op.kind() == OperatorKind::user) refuse("every field takes a built-in operator");
    const Value neutral = op.identity(field.type);  // Throws where it is not defined.
    exact = exact && op.exact(field.type);
    std::memcpy(identity.data() + field.offset, neutral.data(), neutral.size());
    std::memcpy(nothing.data() + field.offset, op.of_nothing(field.type).data(), neutral.size());
    name += "_" + std::string(op.name());
    const std::string suffix = "." + std::string(field.name);
    expression += (i == 0 ? "" : ", ") +
                  core::builtin_expression(op.kind(), field.type, "a" + suffix, "b" + suffix);
  }
  return Operator(
      define(std::move(name), expression + ")", type, Value::from_bytes(type, identity.data()),
             Value::from_bytes(type, nothing.data()), Commutativity::commutative, exact));
} catch (...) {
  detail::rethrow();
}

namespace {

// Nothing is neutral to the last bit in a product: 1 times a number may turn a zero's sign, and
// what stands beside an infinity becomes NaN.
template <class Part>
Operator complex_product(Type type) {
  const std::array<Part, 2> one{1, 0};
  return core::OperatorAccess::multiplying(
      "multiplies",
      "make_" + std::string(name_of(type)) +
          "(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re)",
      Value::from_bytes(type, one.data()));
}

}  // namespace

const Operator& core::complex_operator(const Operator& op, Type type) {
  const bool sum = op.kind() == OperatorKind::plus;
  if ((!sum && op.kind() != OperatorKind::multiplies) || !is_complex(type)) return op;
  static const std::array<Operator, 2> sums{Operator::fieldwise(Type::complex64, {plus, plus}),
                                            Operator::fieldwise(Type::complex128, {plus, plus})};
  static const std::array<Operator, 2> products{complex_product<float>(Type::complex64),
                                                complex_product<double>(Type::complex128)};
  return (sum ? sums : products)[type == Type::complex64 ? 0 : 1];
}

const Operator::Definition& Operator::definition() const {
  if (!definition_) core::refuse_moved_from("Operator");
  return *definition_;
}

OperatorKind Operator::kind() const { return definition().kind; }
std::string_view Operator::name() const { return definition().name; }
bool Operator::commutative() const { return definition().commutative; }
std::uint64_t Operator::id() const { return definition().id; }

std::span<const ScalarType> Operator::scalars() const { return definition().scalars; }

bool Operator::supports(Type type) const {
  if (kind() == OperatorKind::user) return type == definition_->type;
  if (is_complex(type)) return is_arithmetic(kind());
  return !type.is_struct() && !is_storage(type) && !(is_bitwise(kind()) && is_floating(type));
}

bool Operator::exact(Type type) const {
  switch (kind()) {
    case OperatorKind::plus:
    case OperatorKind::multiplies: return !contains_floating(type);
    case OperatorKind::user: return definition_->exact_parts || !contains_floating(type);
    default: return true;
  }
}

bool Operator::has_identity() const {
  return kind() != OperatorKind::user || definition_->identity.has_value();
}

Value Operator::identity(Type type) const try {
  check_supports(*this, type);
  const Operator& on_type = core::operator_for(*this, type);
  if (&on_type != this) return on_type.identity(type);
  if (kind() == OperatorKind::user) {
    if (const std::optional<Value>& own = definition_->identity) return *own;
    throw Error(ErrorCategory::invalid_argument,
                "operator " + std::string(name()) + " has no identity");
  }
  return visit_type(
      type, [this](auto zero) -> Value { return builtin_identity<decltype(zero)>(kind()); });
} catch (...) {
  detail::rethrow();
}

Value Operator::of_nothing(Type type) const try {
  check_supports(*this, type);
  const Operator& on_type = core::operator_for(*this, type);
  if (&on_type != this) return on_type.of_nothing(type);
  if (kind() == OperatorKind::user) {
    if (const std::optional<Value>& own = definition_->of_nothing) return *own;
    return identity(type);
  }
  return visit_type(
      type, [this](auto zero) -> Value { return reference::of_nothing<decltype(zero)>(kind()); });
} catch (...) {
  detail::rethrow();
}

std::string Operator::expression(Type type) const try {
  const Operator& on_type = core::operator_for(*this, type);
  if (&on_type != this) return on_type.expression(type);
  return kind() == OperatorKind::user ? definition_->expression
                                      : core::builtin_expression(kind(), type, "a", "b");
} catch (...) {
  detail::rethrow();
}

bool operator==(const Operator& left, const Operator& right) noexcept {
  if (left.definition_ == right.definition_) return true;
  if (!left.definition_ || !right.definition_) return false;
  const auto& a = *left.definition_;
  const auto& b = *right.definition_;
  return (a.id == b.id && a.kind == b.kind && a.name == b.name && a.expression == b.expression &&
          a.commutative == b.commutative && a.identity == b.identity &&
          a.of_nothing == b.of_nothing && a.type == b.type &&
          core::same_scalars(a.scalars, b.scalars));
}

const std::vector<Operator>& builtin_operators() try {
  static const auto operators = [] {
    std::vector<Operator> all;
    for (std::size_t i = 0; i < builtin_names.size(); ++i) {
      all.emplace_back(static_cast<OperatorKind>(i));
    }
    return all;
  }();
  return operators;
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
