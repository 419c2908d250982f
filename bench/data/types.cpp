#include "data/types.hpp"

namespace bench {

std::vector<bifold::Type> builtin_types() {
  std::vector<bifold::Type> types(bifold::all_types.begin(), bifold::all_types.end());
  types.insert(types.end(), bifold::storage_types.begin(), bifold::storage_types.end());
  return types;
}

std::vector<bifold::Type> known_types() {
  std::vector<bifold::Type> types = builtin_types();
  types.insert(types.end(), struct_types.begin(), struct_types.end());
  return types;
}

bool can_combine(bifold::Type type, const bifold::Operator& op) {
  return op.supports(bifold::accumulator_of(field_type(type)));
}

bifold::Operator operator_on(bifold::Type type, const bifold::Operator& op) {
  if (!type.is_struct()) return op;
  return bifold::Operator::fieldwise(type, std::vector(type.structure()->fields.size(), op));
}

}  // namespace bench
