/// @file
/// Operators: the nine built-in ones and operators written by the user as text.
#pragma once

#include <bifold/export.hpp>
#include <bifold/scalar.hpp>
#include <bifold/type.hpp>
#include <bifold/value.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @cond internal
namespace bifold::core {
class OperatorAccess;
}
/// @endcond

namespace bifold {

/// @addtogroup types
/// @{

/// Which operator it is.
enum class OperatorKind : std::uint8_t {
  plus,         ///< Sum; integers wrap modulo 2^width.
  multiplies,   ///< Product; integers wrap modulo 2^width.
  minimum,      ///< IEEE 754-2019 minimum: NaN propagates, -0 < +0.
  maximum,      ///< IEEE 754-2019 maximum: NaN propagates, -0 < +0.
  bit_and,      ///< Bitwise and, of integers.
  bit_or,       ///< Bitwise or, of integers.
  bit_xor,      ///< Bitwise exclusive or, of integers.
  logical_and,  ///< 1 when every operand is non-zero, else 0.
  logical_or,   ///< 1 when any operand is non-zero, else 0.
  user,         ///< Of Operator::user or Operator::fieldwise.
};

/// The compile-time name of a built-in operator; converts to Operator. Its own type lets a
/// bitwise operator on a floating type fail to compile.
template <OperatorKind Kind>
struct BuiltinOperator {};

/// Sum; integers wrap modulo 2^width.
inline constexpr BuiltinOperator<OperatorKind::plus> plus{};
/// Product; integers wrap modulo 2^width.
inline constexpr BuiltinOperator<OperatorKind::multiplies> multiplies{};
/// IEEE 754-2019 minimum: NaN propagates, -0 < +0.
inline constexpr BuiltinOperator<OperatorKind::minimum> minimum{};
/// IEEE 754-2019 maximum: NaN propagates, -0 < +0.
inline constexpr BuiltinOperator<OperatorKind::maximum> maximum{};
/// Bitwise and, of integers.
inline constexpr BuiltinOperator<OperatorKind::bit_and> bit_and{};
/// Bitwise or, of integers.
inline constexpr BuiltinOperator<OperatorKind::bit_or> bit_or{};
/// Bitwise exclusive or, of integers.
inline constexpr BuiltinOperator<OperatorKind::bit_xor> bit_xor{};
/// 1 when every operand is non-zero (NaN counts as non-zero), else 0.
inline constexpr BuiltinOperator<OperatorKind::logical_and> logical_and{};
/// 1 when any operand is non-zero (NaN counts as non-zero), else 0.
inline constexpr BuiltinOperator<OperatorKind::logical_or> logical_or{};

/// Whether a user operator's operands may change places.
enum class Commutativity : std::uint8_t {
  non_commutative,  ///< They are combined in index order.
  commutative,      ///< They may be combined in any order, which is faster on some devices.
};

/// An associative binary operator. A cheap value: copies share one immutable definition, and two
/// operators of the same definition are equal. One that was moved from is refused with
/// invalid_argument.
class BIFOLD_API_CLASS Operator {
 public:
  /// The built-in operator of that name.
  template <OperatorKind Kind>
  Operator(BuiltinOperator<Kind>) : Operator(Kind) {}  // NOLINT(google-explicit-constructor)

  /// The built-in operator of that kind; OperatorKind::user is invalid_argument.
  explicit Operator(OperatorKind kind);

  /// An operator on one element type, written once for every backend.
  /// `expression` combines `a` (the earlier operand) and `b` (the later one), in the language of
  /// docs/operators.md: the operators of C, casts to the type names of Type, and functions that
  /// mean the same on all backends: "max(a, b) + (i32)1". On a struct it names fields and makes the
  /// result: "make_Range(min(a.low, b.low), max(a.high, b.high))". `identity` fixes the
  /// element type and must be neutral on both sides, to the last bit where rows in order v1 are to
  /// give the bits of reference::v1: -0.0 for a floating sum. The operator must be associative; its
  /// operands are combined in index order unless it is declared commutative.
  /// It may name `scalars`, too, whose values come with each call.
  /// Throws invalid_argument, with the word and its column, for a text of more than 8192 characters
  /// or that is not one expression of that language and of that type, for scalars as a Map does,
  /// and where the identity is f16 or bf16, whose values are combined as f32.
  static Operator user(std::string name, std::string expression, Value identity,
                       Commutativity commutativity = Commutativity::non_commutative,
                       std::vector<ScalarType> scalars = {});

  /// The same without a neutral element, on elements of `type`. What is absent is skipped, at the
  /// cost of a word beside every accumulator. A reduction of nothing and an exclusive scan want an
  /// initial value then. Such an operator runs by rows in order v1.
  static Operator user(std::string name, std::string expression, Type type,
                       Commutativity commutativity = Commutativity::non_commutative,
                       std::vector<ScalarType> scalars = {});

  /// The operator on a struct type that combines each field by the operator of the same place in
  /// `operators`: several reductions in one pass. Throws invalid_argument unless every field has a
  /// built-in operator that is defined on it.
  static Operator fieldwise(Type type, const std::vector<Operator>& operators);

  /// Which operator it is.
  [[nodiscard]] OperatorKind kind() const;
  /// "plus" and so on; a user operator's own name.
  [[nodiscard]] std::string_view name() const;
  /// Whether operands may be combined in any order.
  [[nodiscard]] bool commutative() const;
  /// Whether the operator is defined on `type`: bitwise ones are not on floating types, none
  /// is on f16 and bf16, of complex types only plus and multiplies are, a user operator only on the
  /// type of its identity.
  [[nodiscard]] bool supports(Type type) const;
  /// Whether every association of operands gives the same bits (any NaN counting as the same): true
  /// of integers, where associativity is exact, and of minimum, maximum and logical operators. So
  /// an order is kept to only where this is false.
  [[nodiscard]] bool exact(Type type) const;
  /// Whether there is a neutral element. `multiplies` has one, but not on complex types: 1 times a
  /// complex number may have another zero's sign, or be NaN.
  [[nodiscard]] bool has_identity() const;
  /// The neutral element in `type`. Throws invalid_argument unless supports(type) and there is one.
  [[nodiscard]] Value identity(Type type) const;
  /// What comes of no elements without an initial value: a reduction of nothing, its total, the
  /// first value of an exclusive scan. It is the neutral element, but for sums of floating values,
  /// fields of fieldwise() and complex numbers included: they give +0.0, while -0.0 is neutral. A
  /// product of no complex numbers is 1. Otherwise throws as identity().
  [[nodiscard]] Value of_nothing(Type type) const;
  /// The text that combines `a` and `b` of `type`, in the words both kernel dialects share.
  [[nodiscard]] std::string expression(Type type) const;
  /// What a user's text names of a call's scalars.
  [[nodiscard]] std::span<const ScalarType> scalars() const;
  /// A hash of the definition, equal for equal operators.
  [[nodiscard]] std::uint64_t id() const;

  /// The same definition.
  friend BIFOLD_API bool operator==(const Operator& left, const Operator& right) noexcept;

 private:
  /// @cond internal
  friend class core::OperatorAccess;
  /// @endcond
  struct Definition;
  static std::shared_ptr<const Definition> define(std::string name, std::string expression,
                                                  Type type, const std::optional<Value>& identity,
                                                  const std::optional<Value>& of_nothing,
                                                  Commutativity commutativity, bool exact_parts,
                                                  std::vector<ScalarType> scalars = {});
  explicit Operator(std::shared_ptr<const Definition> definition);
  [[nodiscard]] const Definition& definition() const;
  std::shared_ptr<const Definition> definition_;
};

/// The nine built-in operators, in the order of OperatorKind.
BIFOLD_API const std::vector<Operator>& builtin_operators();

namespace detail {
template <class Op>
inline constexpr bool is_operator = std::is_same_v<Op, Operator>;
template <OperatorKind Kind>
inline constexpr bool is_operator<BuiltinOperator<Kind>> = true;

// Logical operators count every operand as 0 or 1; which one an Operator is, only a call finds out.
template <class Op>
inline constexpr bool may_be_logical = std::is_same_v<Op, Operator>;
template <OperatorKind Kind>
inline constexpr bool may_be_logical<BuiltinOperator<Kind>> =
    Kind == OperatorKind::logical_and || Kind == OperatorKind::logical_or;

template <class Op>
inline constexpr bool is_bitwise = false;
template <OperatorKind Kind>
inline constexpr bool is_bitwise<BuiltinOperator<Kind>> =
    Kind == OperatorKind::bit_and || Kind == OperatorKind::bit_or || Kind == OperatorKind::bit_xor;

template <class Op>
inline constexpr bool is_arithmetic = false;
template <OperatorKind Kind>
inline constexpr bool is_arithmetic<BuiltinOperator<Kind>> =
    Kind == OperatorKind::plus || Kind == OperatorKind::multiplies;
}  // namespace detail

/// Op can combine values of type T, as far as the compiler can tell: built-in operators are defined
/// on numbers, bitwise ones on integers, of complex ones sums and products. Values of f16 and bf16
/// are combined as float.
template <class Op, class T>
concept operator_on = element<T> && detail::is_operator<Op> &&
                      (std::same_as<Op, Operator> ||
                       (scalar_element<T> && (std::integral<T> || !detail::is_bitwise<Op>)) ||
                       (complex_element<T> && detail::is_arithmetic<Op>));

/// Init may be the type of an initial value of a call by Op that accumulates in T, as far as the
/// compiler can tell: floating values do not convert to integers, nor structs to anything else. The
/// call itself takes a value that T holds exactly, and refuses any other with invalid_argument.
template <class Init, class Op, class T>
concept initial_value = element<Init> && struct_element<Init> == struct_element<T> &&
                        (std::integral<Init> || !std::integral<T> || detail::may_be_logical<Op>);

/// @}

}  // namespace bifold
