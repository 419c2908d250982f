// Reductions with a struct for an accumulator.
#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <bifold/reductions.hpp>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "core/initial_value.hpp"
#include "core/operator_text.hpp"
#include "core/plan.hpp"

namespace bifold {

namespace {

[[noreturn]] void refuse(const std::string& why) {
  throw Error(ErrorCategory::invalid_argument, why);
}

// One piece per built-in type, all made once: `make` is called with a value of the C++ type, and is
// a function object of its own for every kind of piece.
template <class Piece, class Make>
const Piece& per_type(Type element, Make make) {
  static const auto* const all = [&make] {
    auto* const pieces = new std::vector<Piece>;  // NOLINT(cppcoreguidelines-owning-memory)
    for (const Type type : all_types) {
      pieces->push_back(visit_type(type, [&make](auto zero) -> Piece { return make(zero); }));
    }
    return pieces;
  }();
  if (element.is_struct()) detail::refuse_type(element);
  return all->at(accumulator_of(element).kind());
}

// The operand that `comes_first` puts in front; of equals, that of the lower index.
template <class T>
Operator first_operator(const char* name, const char* relation, const char* function,
                        OperatorKind kind) {
  const auto comes_first = [&](const char* left, const char* right) {
    const std::string type(name_of(type_of<T>()));
    if constexpr (std::is_floating_point_v<T>) {
      return std::string(function) + "_" + type + "(" + left + ".value, " + right + ".value)";
    } else {
      return std::string(left) + ".value " + relation + " " + right + ".value";
    }
  };
  return Operator::user(
      name,
      comes_first("a", "b") + " ? a : " + comes_first("b", "a") +
          " ? b : a.index < b.index ? a : b",
      Value(Indexed<T>{Operator(kind).identity(type_of<T>()).template as<T>(), no_index}),
      Commutativity::commutative);
}

// Of f32 and f64: other types are refused by compensated_operator().
Operator compensated(const char* type, const Value& identity) {
  const std::string name(type);
  return Operator::user("compensated",
                        "make_CompensatedSum_" + name + "(a.sum + b.sum, (a.error + b.error) + " +
                            "rounding_of_sum_" + name + "(a.sum, b.sum))",
                        identity, Commutativity::commutative);
}

// Of an element and its index; the struct's own name is what makes one.
const Map& indexed(Type element) {
  return per_type<Map>(element, [](auto zero) {
    return "make_" + std::string(name_of(type_of<Indexed<decltype(zero)>>())) + "(x, i)";
  });
}

const Map& twice(Type element) {
  return per_type<Map>(element, [](auto zero) {
    return "make_" + std::string(name_of(type_of<MinMax<decltype(zero)>>())) + "(x, x)";
  });
}

Value find_first(Queue& queue, const ErasedView& input, const Operator& op,
                 const ReduceOptions& options) {
  const Type result = visit_type(accumulator_of(input.type),
                                 [](auto zero) { return type_of<Indexed<decltype(zero)>>(); });
  return transform_reduce(queue, input, result, op, {}, indexed(input.type), options);
}

// As a number of `type`: 1 where the expression holds, else 0.
Map counted(const Map& predicate) {
  if (predicate.is_identity()) return "x != 0 ? 1 : 0";
  return "(" + std::string(predicate.expression()) + ") ? 1 : 0";
}

// A struct with a field for each of several accumulators, "r0", "r1" and so on.
struct Joined {
  Type type;
  std::vector<StructField> fields;  // Of the definition, which stays.
};

Joined join(const std::vector<Reduction>& reductions) {
  if (reductions.empty() || reductions.size() > max_struct_fields) {
    refuse("reduce_many: " + std::to_string(reductions.size()) +
           " reductions; 1 to 8 are possible");
  }
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
  const Type type(StructType{name, size, fields});
  const std::span<const StructField> kept = type.structure()->fields;
  return {type, {kept.begin(), kept.end()}};
}

// What one element contributes to each.
Map joined_map(const std::vector<Reduction>& reductions, const Joined& joined) {
  std::string text = "make_" + std::string(name_of(joined.type)) + "(";
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const Reduction& reduction = reductions[i];
    const std::string x =
        reduction.map.is_identity() ? "x" : "(" + std::string(reduction.map.expression()) + ")";
    text += i == 0 ? "" : ", ";
    text += core::is_logical(reduction.op.kind()) ? x + " != 0" : x;
  }
  return text + ")";
}

}  // namespace

const Operator& argmin_operator(Type element) {
  return per_type<Operator>(element, [](auto zero) {
    return first_operator<decltype(zero)>("argmin", "<", "comes_before", OperatorKind::minimum);
  });
}

const Operator& argmax_operator(Type element) {
  return per_type<Operator>(element, [](auto zero) {
    return first_operator<decltype(zero)>("argmax", ">", "comes_behind", OperatorKind::maximum);
  });
}

const Operator& minmax_operator(Type element) {
  return per_type<Operator>(element, [](auto zero) {
    return Operator::fieldwise(type_of<MinMax<decltype(zero)>>(), {minimum, maximum});
  });
}

const Operator& compensated_operator(Type element) {
  static const Operator of_f32 = compensated("f32", Value(CompensatedSum<float>{-0.0F, -0.0F}));
  static const Operator of_f64 = compensated("f64", Value(CompensatedSum<double>{-0.0, -0.0}));
  if (element == Type::f32) return of_f32;
  if (element == Type::f64) return of_f64;
  refuse("a compensated sum is f32 or f64, not " + std::string(name_of(element)));
}

Value argmin(Queue& queue, const ErasedView& input, const ReduceOptions& options) {
  return find_first(queue, input, argmin_operator(input.type), options);
}

Value argmax(Queue& queue, const ErasedView& input, const ReduceOptions& options) {
  return find_first(queue, input, argmax_operator(input.type), options);
}

Value minmax(Queue& queue, const ErasedView& input, const ReduceOptions& options) {
  const Operator& op = minmax_operator(input.type);
  const Type result = visit_type(accumulator_of(input.type),
                                 [](auto zero) { return type_of<MinMax<decltype(zero)>>(); });
  return transform_reduce(queue, input, result, op, {}, twice(input.type), options);
}

void argmin_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const ReduceOptions& options) {
  const Operator& op = argmin_operator(input.type);
  transform_reduce_into(queue, input, result, op, {}, indexed(input.type), options);
}

void argmax_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const ReduceOptions& options) {
  const Operator& op = argmax_operator(input.type);
  transform_reduce_into(queue, input, result, op, {}, indexed(input.type), options);
}

void minmax_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const ReduceOptions& options) {
  const Operator& op = minmax_operator(input.type);
  transform_reduce_into(queue, input, result, op, {}, twice(input.type), options);
}

std::uint64_t count_if(Queue& queue, const ErasedView& input, const Map& predicate,
                       const ReduceOptions& options) {
  return transform_reduce(queue, input, Type::u64, plus, {}, counted(predicate), options)
      .as<std::uint64_t>();
}

void count_if_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                   const Map& predicate, const ReduceOptions& options) {
  if (result.type != Type::u64) refuse("a count is u64, not " + std::string(name_of(result.type)));
  transform_reduce_into(queue, input, result, plus, {}, counted(predicate), options);
}

Value inner_product(Queue& queue, const ErasedView& first, const ErasedView& second,
                    const Value& init, const ReduceOptions& options) {
  for (const Type type : {first.type, second.type, init.type()}) {
    if (type.is_struct()) detail::refuse_type(type);
  }
  const bool floating = is_floating(first.type) || is_floating(second.type);
  if (floating && !is_floating(init.type())) {
    refuse("products of floating elements do not convert to " + std::string(name_of(init.type())));
  }
  // Signed integers are multiplied as unsigned ones, where wrapping around is defined.
  return transform_reduce(queue, first, second, init.type(), plus, init,
                          floating ? "x * y" : "(u64)x * (u64)y", options);
}

Value sum_compensated(Queue& queue, const ErasedView& input, const Value& init,
                      const ReduceOptions& options) {
  const Operator& op = compensated_operator(init.type());
  const auto sum = [&](auto start) -> Value {
    using Sum = CompensatedSum<decltype(start)>;
    const Map map = "make_" + std::string(name_of(type_of<Sum>())) + "(x, 0)";
    return transform_reduce(queue, input, op, Value(Sum{start, 0}), map, options)
        .template as<Sum>()
        .value();
  };
  if (init.type() == Type::f32) return sum(init.as<float>());
  return sum(init.as<double>());
}

std::vector<Value> reduce_many(Queue& queue, const ErasedView& input,
                               const std::vector<Reduction>& reductions,
                               const ReduceOptions& options) {
  const Joined joined = join(reductions);
  std::vector<Operator> operators;
  std::array<std::byte, max_element_bytes> start{};
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const Reduction& reduction = reductions[i];
    operators.push_back(reduction.op);
    if (reduction.map.is_identity() && !core::is_logical(reduction.op.kind()) &&
        is_floating(input.type) && !is_floating(reduction.accumulator)) {
      refuse("reduce_many: " + std::string(name_of(input.type)) +
             " does not convert to an integer type such as " +
             std::string(name_of(reduction.accumulator)));
    }
    const Value from =
        reduction.init ? core::initial_value(reduction.op, *reduction.init, reduction.accumulator)
                       : reduction.op.identity(reduction.accumulator);
    std::memcpy(start.data() + joined.fields[i].offset, from.data(), from.size());
  }
  const Value result = transform_reduce(queue, input, Operator::fieldwise(joined.type, operators),
                                        Value::from_bytes(joined.type, start.data()),
                                        joined_map(reductions, joined), options);
  std::vector<Value> values;
  values.reserve(joined.fields.size());
  for (const StructField& field : joined.fields) {
    values.push_back(Value::from_bytes(field.type, result.data() + field.offset));
  }
  return values;
}

}  // namespace bifold
