#include "core/operators/scalars.hpp"

#include <bifold/error.hpp>

#include "core/base/format.hpp"
#include "core/text/scalar_names.hpp"

namespace bifold::core {

std::vector<ScalarType> scalars_of(const Map& map, const Operator& op, const ResultMap& result_map,
                                   std::span<const OutputShape> more_outputs, const Map& equality) {
  std::vector<ScalarType> all;
  for (const auto& scalars : {map.scalars(), op.scalars(), result_map.scalars()}) {
    merge_scalars(all, scalars);
  }
  for (const OutputShape& output : more_outputs) merge_scalars(all, output.result_map.scalars());
  merge_scalars(all, equality.scalars());
  std::size_t bytes = 0;
  for (const ScalarType& one : all) bytes += size_of(accumulator_of(one.type));
  if (all.size() > max_call_scalars || bytes > max_scalar_bytes) {
    throw Error(ErrorCategory::invalid_argument,
                formatted("a call with {} scalars of {} bytes; {} of {} bytes are possible",
                          all.size(), bytes, max_call_scalars, max_scalar_bytes));
  }
  return all;
}

}  // namespace bifold::core
