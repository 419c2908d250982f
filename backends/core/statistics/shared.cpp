#include "core/statistics/shared.hpp"

#include <utility>

#include "core/base/format.hpp"
#include "core/call/own_accumulator.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

}  // namespace

Type part_of(Type number) {
  if (number == Type::complex64) return Type::f32;
  return number == Type::complex128 ? Type::f64 : accumulator_of(number);
}

Type mean_of(Type element) {
  return is_floating(element) || is_complex(element) ? accumulator_of(element) : Type::f64;
}

std::optional<Type> asked_type(std::string_view call, Type element, const ReduceOptions& options) {
  if (element.is_struct() && !is_complex(element)) {
    refuse(formatted("{} is of numbers, not of {}", call, name_of(element)));
  }
  if (options.init_from) refuse(formatted("{} has no initial value", call));
  if (!options.accumulate) return {};
  const Type asked = *options.accumulate;
  const bool complex = is_complex(asked);
  if ((complex || asked == Type::f32 || asked == Type::f64) && (!complex || is_complex(element))) {
    return part_of(asked);
  }
  refuse(formatted("{} is computed in f32 or f64, not in {}", call, name_of(asked)));
}

void need_result(std::string_view call, Type result, bool complex) {
  if (complex ? is_complex(result) : is_floating(result)) return;
  refuse(formatted("{} gives {} values, not {}", call, complex ? "complex" : "floating",
                   name_of(result)));
}

ReduceOptions with_pieces(std::string_view call, const ReduceOptions& options, Type accumulator,
                          const ResultMap& result_map) {
  ReduceOptions rest = options;
  rest.accumulate.reset();
  return with_own_accumulator(call, std::move(rest), accumulator, result_map);
}

}  // namespace bifold::core
