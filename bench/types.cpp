#include "types.hpp"

namespace bench {

std::vector<bifold::Type> builtin_types() {
  std::vector<bifold::Type> types(bifold::all_types.begin(), bifold::all_types.end());
  types.insert(types.end(), bifold::storage_types.begin(), bifold::storage_types.end());
  return types;
}

std::vector<bifold::Type> known_types() {
  std::vector<bifold::Type> types = builtin_types();
  types.push_back(pair_type());
  return types;
}

bifold::Operator operator_on(bifold::Type type, const bifold::Operator& op) {
  return type.is_struct() ? bifold::Operator::fieldwise(type, {op, op}) : op;
}

}  // namespace bench
