#include "core/operators/operator_text.hpp"

namespace bifold::core {

WrittenText operator_text(const Operator& op, Type type) {
  const std::string expression = op.expression(type);
  if (op.kind() == OperatorKind::user) {
    return user_operator_text(op.name(), expression, type, op.scalars());
  }
  WrittenText written;
  written.text = expression;
  written.type = type;
  return written;
}

}  // namespace bifold::core
