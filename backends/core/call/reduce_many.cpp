#include "core/call/reduce_many.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "core/operators/initial_value.hpp"
#include "core/operators/map.hpp"
#include "core/text/expression_text.hpp"
#include "core/text/scalar_names.hpp"

namespace bifold::core {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, "reduce_many: " + why);
}

std::span<const StructField> fields_of(Type type) { return type.structure()->fields; }

void check_number(std::size_t reductions) {
  if (reductions > 0 && reductions <= max_struct_fields) return;
  refuse(std::to_string(reductions) + " reductions; 1 to 8 are possible");
}

// What one element contributes to each.
Map joined_map(const std::vector<Reduction>& reductions, Type type) {
  std::string text = "make_" + std::string(name_of(type)) + "(";
  std::vector<ScalarType> scalars;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const Reduction& reduction = reductions[i];
    const std::string x =
        reduction.map.is_identity() ? "x" : "(" + std::string(reduction.map.expression()) + ")";
    merge_scalars(scalars, reduction.map.scalars());
    text += i == 0 ? "" : ", ";
    text += is_logical(reduction.op.kind()) ? x + " != 0" : x;
  }
  return composed_map(text + ")", std::move(scalars));
}

}  // namespace

Type joined_type(const std::vector<Reduction>& reductions) {
  check_number(reductions.size());
  std::vector<std::string> names;
  std::string name = "Many";
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const Type type = reductions[i].accumulator;
    if (type.is_struct() || is_storage(type)) detail::refuse_type(type);
    names.push_back("r" + std::to_string(i));
    name += "_" + std::string(name_of(type));
  }
  std::vector<StructField> fields;
  std::size_t end = 0;
  std::size_t alignment = 1;
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const std::size_t width = size_of(reductions[i].accumulator);
    alignment = std::max(alignment, width);
    end = (end + width - 1) / width * width;
    fields.push_back({names[i], reductions[i].accumulator, end});
    end += width;
  }
  const std::size_t size = (end + alignment - 1) / alignment * alignment;
  return Type(StructType{name, size, fields});
}

void check_fields(Type result, const std::vector<Reduction>& reductions) {
  check_number(reductions.size());
  if (!result.is_struct()) refuse("the result is " + std::string(name_of(result)) + ", no struct");
  const std::span<const StructField> fields = fields_of(result);
  const bool fits = std::equal(fields.begin(), fields.end(), reductions.begin(), reductions.end(),
                               [](const StructField& field, const Reduction& reduction) {
                                 return field.type == reduction.accumulator;
                               });
  if (fits) return;
  std::string wanted;
  for (const Reduction& one : reductions) wanted += " " + std::string(name_of(one.accumulator));
  refuse("the fields of " + std::string(name_of(result)) + " are not of the accumulators," +
         wanted);
}

Joined join(Type input, Type type, const std::vector<Reduction>& reductions) {
  std::vector<Operator> operators;
  std::array<std::byte, max_element_bytes> start{};
  std::array<std::byte, max_element_bytes> nothing{};
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const Reduction& reduction = reductions[i];
    const Type accumulator = reduction.accumulator;
    operators.push_back(reduction.op);
    if (reduction.map.is_identity() && !is_logical(reduction.op.kind()) && is_floating(input) &&
        !is_floating(accumulator)) {
      refuse(std::string(name_of(input)) + " does not convert to an integer type such as " +
             std::string(name_of(accumulator)));
    }
    std::optional<Value> init;
    if (reduction.init) init = initial_value(reduction.op, *reduction.init, accumulator);
    const auto put = [&](std::array<std::byte, max_element_bytes>& bytes, const Value& value) {
      std::memcpy(bytes.data() + fields_of(type)[i].offset, value.data(), value.size());
    };
    put(start, init ? *init : reduction.op.identity(accumulator));
    put(nothing, init ? *init : reduction.op.of_nothing(accumulator));
  }
  return {Operator::fieldwise(type, operators),
          {Value::from_bytes(type, start.data()), Value::from_bytes(type, nothing.data())},
          joined_map(reductions, type)};
}

}  // namespace bifold::core
