#include "core/shape/check_shape.hpp"

#include <array>
#include <bifold/error.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/text/expression_text.hpp"

namespace bifold::core {

namespace {

void check_conversion(Type from, Type to, const char* what) {
  if (from == to) return;
  if (from.is_struct() || to.is_struct()) {
    throw Error(ErrorCategory::invalid_argument, std::string(what) + ": only a map makes " +
                                                     std::string(name_of(to)) + " of " +
                                                     std::string(name_of(from)));
  }
  if (is_storage(to) && !is_floating(from)) {
    throw Error(ErrorCategory::invalid_argument,
                std::string(what) + ": " + std::string(name_of(to)) +
                    " is rounded from f32 or f64, not from " + std::string(name_of(from)));
  }
  if (is_floating(from) && !is_floating(to)) {
    throw Error(ErrorCategory::invalid_argument,
                std::string(what) + ": " + std::string(name_of(from)) +
                    " does not convert to an integer type such as " + std::string(name_of(to)));
  }
}

// Storage types are what elements are read from and rounded to, and nothing else.
void check_storage(const PlanShape& shape) {
  if (is_storage(shape.accumulator)) {
    throw Error(ErrorCategory::invalid_argument,
                "no values of " + std::string(name_of(shape.accumulator)) +
                    " are accumulated: the accumulator of such elements is f32 or f64");
  }
}

// Kernels know a struct by its name.
void check_struct_names(const PlanShape& shape) {
  const std::array types{shape.input, shape.accumulator, shape.output,
                         shape.second.value_or(shape.input)};
  for (const Type left : types) {
    for (const Type right : types) {
      if (!left.is_struct() || !right.is_struct() || left == right) continue;
      if (name_of(left) != name_of(right)) continue;
      throw Error(ErrorCategory::invalid_argument,
                  "two different structs are called " + std::string(name_of(left)));
    }
  }
}

}  // namespace

void check_shape(const PlanShape& shape) {
  check_storage(shape);
  check_struct_names(shape);
  const std::string_view map = shape.map.expression();
  if (shape.second && shape.map.is_identity()) {
    throw Error(ErrorCategory::invalid_argument, "two arrays want a map of x and y");
  }
  if (shape.map.is_identity() && !is_logical(shape.op.kind())) {
    check_conversion(shape.input, shape.accumulator, "input to accumulator");
  }
  if (shape.result_map.is_identity()) {
    check_conversion(shape.accumulator, shape.output, "accumulator to output");
  } else {
    static_cast<void>(result_text(shape.result_map.expression(), shape.accumulator, shape.output));
  }
  if (!shape.map.is_identity()) {
    static_cast<void>(map_text(map, shape.input, shape.second, shape.accumulator));
  }
  if (!shape.op.supports(shape.accumulator)) {
    throw Error(ErrorCategory::invalid_argument, "operator " + std::string(shape.op.name()) +
                                                     " is not defined on " +
                                                     std::string(name_of(shape.accumulator)));
  }
  for (const std::optional<Type>& count : {shape.on_device.count, shape.on_device.lines}) {
    if (!count || *count == Type::u32 || *count == Type::u64) continue;
    throw Error(ErrorCategory::invalid_argument,
                "a count in device memory is u32 or u64, not " + std::string(name_of(*count)));
  }
  if (shape.on_device.lines && shape.lines == LineLayout::none) {
    throw Error(ErrorCategory::invalid_argument,
                "a number of lines in device memory is for calls with lines");
  }
}

}  // namespace bifold::core
