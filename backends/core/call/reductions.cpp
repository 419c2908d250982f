// Reductions with a struct for an accumulator.
#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <bifold/reductions.hpp>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "core/call/reduce.hpp"
#include "core/operators/initial_value.hpp"
#include "core/operators/map.hpp"
#include "core/operators/op.hpp"
#include "core/text/expression_text.hpp"

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
template <class T>
Operator compensated() {
  using Sum = CompensatedSum<T>;
  const std::string name(name_of(type_of<T>()));
  return core::OperatorAccess::summing("compensated",
                                       "make_CompensatedSum_" + name +
                                           "(a.sum + b.sum, (a.error + b.error) + " +
                                           "rounding_of_sum_" + name + "(a.sum, b.sum))",
                                       Value(Sum{T{-0.0}, T{-0.0}}), Value(Sum{T{0}, T{0}}));
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

// What an element or an initial value contributes to a compensated sum.
template <class T>
const Map& first_summand() {
  static const Map map = "make_" + std::string(name_of(type_of<CompensatedSum<T>>())) + "(x, 0)";
  return map;
}
template <class T>
std::optional<Value> first_sum(const std::optional<Value>& init) {
  if (init && init->type() != type_of<T>()) {
    refuse("the initial value is " + std::string(name_of(init->type())) + ", the sum " +
           std::string(name_of(type_of<T>())));
  }
  return init ? std::optional<Value>(CompensatedSum<T>{init->as<T>(), 0}) : std::nullopt;
}

// As a number of `type`: 1 where the expression holds, else 0.
Map counted(const Map& predicate) {
  if (predicate.is_identity()) return "x != 0 ? 1 : 0";
  return core::composed_map("(" + std::string(predicate.expression()) + ") ? 1 : 0");
}

// Calls `body`, which hands on a text made of those of these maps. Where that is refused because of
// a map, the error is about that map, its text and its columns.
template <class Body>
auto naming(const std::vector<Reduction>& maps, Type input, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::invalid_argument) throw;
    for (const Reduction& one : maps) {
      if (one.map.is_identity()) continue;
      static_cast<void>(core::map_text(one.map.expression(), input, {}, one.accumulator));
    }
    throw;
  }
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
  return core::composed_map(text + ")");
}

}  // namespace

const Operator& argmin_operator(Type element) try {
  return per_type<Operator>(element, [](auto zero) {
    return first_operator<decltype(zero)>("argmin", "<", "comes_before", OperatorKind::minimum);
  });
} catch (...) {
  detail::rethrow();
}

const Operator& argmax_operator(Type element) try {
  return per_type<Operator>(element, [](auto zero) {
    return first_operator<decltype(zero)>("argmax", ">", "comes_behind", OperatorKind::maximum);
  });
} catch (...) {
  detail::rethrow();
}

const Operator& minmax_operator(Type element) try {
  return per_type<Operator>(element, [](auto zero) {
    return Operator::fieldwise(type_of<MinMax<decltype(zero)>>(), {minimum, maximum});
  });
} catch (...) {
  detail::rethrow();
}

const Operator& compensated_operator(Type element) try {
  static const Operator of_f32 = compensated<float>();
  static const Operator of_f64 = compensated<double>();
  if (element == Type::f32) return of_f32;
  if (element == Type::f64) return of_f64;
  refuse("a compensated sum is f32 or f64, not " + std::string(name_of(element)));
} catch (...) {
  detail::rethrow();
}

Value argmin(Queue& queue, const ErasedView& input, const ReduceOptions& options) try {
  return find_first(queue, input, argmin_operator(input.type), options);
} catch (...) {
  detail::rethrow();
}

Value argmax(Queue& queue, const ErasedView& input, const ReduceOptions& options) try {
  return find_first(queue, input, argmax_operator(input.type), options);
} catch (...) {
  detail::rethrow();
}

Value minmax(Queue& queue, const ErasedView& input, const ReduceOptions& options) try {
  const Operator& op = minmax_operator(input.type);
  const Type result = visit_type(accumulator_of(input.type),
                                 [](auto zero) { return type_of<MinMax<decltype(zero)>>(); });
  return transform_reduce(queue, input, result, op, {}, twice(input.type), options);
} catch (...) {
  detail::rethrow();
}

void argmin_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const ReduceOptions& options) try {
  const Operator& op = argmin_operator(input.type);
  transform_reduce_into(queue, input, result, op, {}, indexed(input.type), options);
} catch (...) {
  detail::rethrow();
}

void argmax_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const ReduceOptions& options) try {
  const Operator& op = argmax_operator(input.type);
  transform_reduce_into(queue, input, result, op, {}, indexed(input.type), options);
} catch (...) {
  detail::rethrow();
}

void minmax_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const ReduceOptions& options) try {
  const Operator& op = minmax_operator(input.type);
  transform_reduce_into(queue, input, result, op, {}, twice(input.type), options);
} catch (...) {
  detail::rethrow();
}

std::uint64_t count_if(Queue& queue, const ErasedView& input, const Map& predicate,
                       const ReduceOptions& options) try {
  return naming({{plus, Type::u64, predicate}}, input.type, [&] {
    return transform_reduce(queue, input, Type::u64, plus, {}, counted(predicate), options)
        .as<std::uint64_t>();
  });
} catch (...) {
  detail::rethrow();
}

void count_if_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                   const Map& predicate, const ReduceOptions& options) try {
  if (result.type != Type::u64) refuse("a count is u64, not " + std::string(name_of(result.type)));
  naming({{plus, Type::u64, predicate}}, input.type, [&] {
    transform_reduce_into(queue, input, result, plus, {}, counted(predicate), options);
  });
} catch (...) {
  detail::rethrow();
}

Value inner_product(Queue& queue, const ErasedView& first, const ErasedView& second,
                    const Value& init, const ReduceOptions& options) {
  return inner_product(queue, first, second, init.type(), init, options);
}

Value inner_product(Queue& queue, const ErasedView& first, const ErasedView& second, Type result,
                    const std::optional<Value>& init, const ReduceOptions& options) try {
  for (const Type type : {first.type, second.type, result}) {
    if (type.is_struct()) detail::refuse_type(type);
  }
  const bool floating = is_floating(first.type) || is_floating(second.type);
  if (floating && !is_floating(result)) {
    refuse("products of floating elements do not convert to " + std::string(name_of(result)));
  }
  // Signed integers are multiplied as unsigned ones, where wrapping around is defined.
  return transform_reduce(queue, first, second, result, plus, init,
                          floating ? "x * y" : "(u64)x * (u64)y", options);
} catch (...) {
  detail::rethrow();
}

Value sum_compensated(Queue& queue, const ErasedView& input, const Value& init,
                      const ReduceOptions& options) {
  return sum_compensated(queue, input, init.type(), init, options);
}

Value sum_compensated(Queue& queue, const ErasedView& input, Type result,
                      const std::optional<Value>& init, const ReduceOptions& options) try {
  const Operator& op = compensated_operator(result);
  const auto sum = [&](auto zero) -> Value {
    using T = decltype(zero);
    using Sum = CompensatedSum<T>;
    return transform_reduce(queue, input, type_of<Sum>(), op, first_sum<T>(init),
                            first_summand<T>(), options)
        .template as<Sum>()
        .value();
  };
  return result == Type::f32 ? sum(0.0F) : sum(0.0);
} catch (...) {
  detail::rethrow();
}

void sum_compensated_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                          const std::optional<Value>& init, const ReduceOptions& options) try {
  const auto sum = [&](auto zero) {
    using T = decltype(zero);
    transform_reduce_into(queue, input, result, compensated_operator(type_of<T>()),
                          first_sum<T>(init), first_summand<T>(), options);
  };
  if (result.type == type_of<CompensatedSum<float>>()) return sum(0.0F);
  if (result.type == type_of<CompensatedSum<double>>()) return sum(0.0);
  refuse("a compensated sum is a CompensatedSum_f32 or a CompensatedSum_f64");
} catch (...) {
  detail::rethrow();
}

std::vector<Value> reduce_many(Queue& queue, const ErasedView& input,
                               const std::vector<Reduction>& reductions,
                               const ReduceOptions& options) try {
  const Joined joined = join(reductions);
  std::vector<Operator> operators;
  std::array<std::byte, max_element_bytes> start{};
  std::array<std::byte, max_element_bytes> nothing{};
  for (std::size_t i = 0; i < reductions.size(); ++i) {
    const Reduction& reduction = reductions[i];
    operators.push_back(reduction.op);
    if (reduction.map.is_identity() && !core::is_logical(reduction.op.kind()) &&
        is_floating(input.type) && !is_floating(reduction.accumulator)) {
      refuse("reduce_many: " + std::string(name_of(input.type)) +
             " does not convert to an integer type such as " +
             std::string(name_of(reduction.accumulator)));
    }
    const Type type = reduction.accumulator;
    std::optional<Value> init;
    if (reduction.init) init = core::initial_value(reduction.op, *reduction.init, type);
    const auto put = [&](std::array<std::byte, max_element_bytes>& bytes, const Value& value) {
      std::memcpy(bytes.data() + joined.fields[i].offset, value.data(), value.size());
    };
    put(start, init ? *init : reduction.op.identity(type));
    put(nothing, init ? *init : reduction.op.of_nothing(type));
  }
  const auto reduced = [&]() -> Value {
    return core::transform_reduce(queue, input, Operator::fieldwise(joined.type, operators),
                                  {Value::from_bytes(joined.type, start.data()),
                                   Value::from_bytes(joined.type, nothing.data())},
                                  joined_map(reductions, joined), options);
  };
  const Value result = naming(reductions, input.type, reduced);
  std::vector<Value> values;
  values.reserve(joined.fields.size());
  for (const StructField& field : joined.fields) {
    values.push_back(Value::from_bytes(field.type, result.data() + field.offset));
  }
  return values;
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
