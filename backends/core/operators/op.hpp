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
};

}  // namespace bifold::core
