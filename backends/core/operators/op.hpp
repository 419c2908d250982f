// Operators that only the library itself makes.
#pragma once

#include <bifold/op.hpp>
#include <string>

namespace bifold::core {

class OperatorAccess {
 public:
  /// As Operator::user, commutative, with something else of nothing than its identity.
  static Operator summing(std::string name, std::string expression, const Value& identity,
                          const Value& of_nothing);
  /// As Operator::user, commutative and without identity, with something of nothing all the same.
  static Operator multiplying(std::string name, std::string expression, const Value& of_nothing);
  /// The type that a user's operator is defined on.
  static Type type_of(const Operator& op);
  /// Whether there is something of nothing.
  static bool gives_of_nothing(const Operator& op);
  /// The same operator on `type`, declared not to commute: its operands keep index order.
  static Operator in_order(const Operator& op, Type type);
};

/// A built-in operator on a complex type is the operator on its parts. Any other operator, and one
/// of another type, is itself.
const Operator& complex_operator(const Operator& op, Type type);

/// The operator that combines values of `type`.
inline const Operator& operator_for(const Operator& op, Type type) {
  return type.is_struct() ? complex_operator(op, type) : op;
}

}  // namespace bifold::core
