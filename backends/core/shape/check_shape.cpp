#include "core/shape/check_shape.hpp"

#include <bifold/error.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  std::vector<Type> types = stored_types(shape);
  types.push_back(shape.accumulator);
  for (const PlanScalar& one : shape.scalars) types.push_back(one.declared.type);
  for (const Type left : types) {
    for (const Type right : types) {
      if (!left.is_struct() || !right.is_struct() || left == right) continue;
      if (name_of(left) != name_of(right)) continue;
      throw Error(ErrorCategory::invalid_argument,
                  "two different structs are called " + std::string(name_of(left)));
    }
  }
}

// What a selection stores of elements, and of values beside them.
void check_selected(const PlanShape& shape, const Selection& selection) {
  if (!selection.indices) {
    check_conversion(accumulator_of(shape.input), shape.output, "element to output");
  }
  if (selection.beside == Beside::values) {
    check_conversion(accumulator_of(shape.more_inputs.front()), shape.more_outputs.front().type,
                     "value to output");
  }
}

void check_output(const PlanShape& shape, Type type, const ResultMap& result_map) {
  if (result_map.is_identity()) {
    check_conversion(shape.accumulator, type, "accumulator to output");
  } else {
    static_cast<void>(
        result_text(result_map.expression(), shape.accumulator, type, result_map.scalars()));
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
  if (shape.more_inputs.size() + 2 > max_inputs) {
    throw Error(ErrorCategory::invalid_argument, "a map takes at most " +
                                                     std::to_string(max_inputs) + " arrays, not " +
                                                     std::to_string(shape.more_inputs.size() + 2));
  }
  if (shape.map.is_identity() && !is_logical(shape.op.kind())) {
    check_conversion(shape.input, shape.accumulator, "input to accumulator");
  }
  if (shape.selection) {
    check_selected(shape, *shape.selection);
  } else {
    check_output(shape, shape.output, shape.result_map);
  }
  if (shape.more_outputs.size() >= max_outputs) {
    throw Error(ErrorCategory::invalid_argument,
                "a call has at most " + std::to_string(max_outputs) + " outputs, not " +
                    std::to_string(shape.more_outputs.size() + 1));
  }
  for (const OutputShape& output : shape.more_outputs) {
    if (!shape.selection) check_output(shape, output.type, output.result_map);
  }
  if (!shape.map.is_identity()) {
    static_cast<void>(map_text(map, arrays_of(shape), shape.accumulator, shape.map.scalars()));
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
  if ((std::uint64_t{shape.on_device.scalars} >> shape.scalars.size()) != 0) {
    throw Error(ErrorCategory::invalid_argument,
                "more scalars in device memory than the texts declare");
  }
  if (shape.segments && shape.segments->bounds != Type::u32 &&
      shape.segments->bounds != Type::u64) {
    throw Error(ErrorCategory::invalid_argument, "bounds of segments are u32 or u64, not " +
                                                     std::string(name_of(shape.segments->bounds)));
  }
  if (shape.on_device.lines && shape.lines == LineLayout::none) {
    throw Error(ErrorCategory::invalid_argument,
                "a number of lines in device memory is for calls with lines");
  }
}

}  // namespace bifold::core
