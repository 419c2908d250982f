// Reductions with a struct for an accumulator.
#include "core/call/reductions.hpp"

#include <bifold/error.hpp>
#include <string>
#include <utility>

#include "core/call/map_errors.hpp"
#include "core/call/ranks.hpp"
#include "core/call/reduce_many.hpp"
#include "core/operators/map.hpp"
#include "core/operators/op.hpp"

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

// The operand that `comes_first` puts in front; of equals, that of the lower index. Nothing here
// branches.
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
      "(" + comes_first("a", "b") + ") | ((a.index < b.index) & !(" + comes_first("b", "a") +
          ")) ? a : b",
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

// How elements are found by their ranks: not where the caller has to do with accumulators.
const core::Search* search_for(const ErasedView& input, bool least, const ReduceOptions& options) {
  if (options.init_from || options.accumulate || !options.result_map.is_identity() ||
      !options.more_outputs.empty()) {
    return nullptr;
  }
  return core::search_by_rank(input.type, least,
                              options.lines ? options.lines->length : input.count);
}

ReduceOptions with(Type accumulator, const ResultMap& map, ReduceOptions options) {
  options.accumulate = accumulator;
  options.result_map = map;
  return options;
}

Value find_first(Queue& queue, const ErasedView& input, bool least, const ReduceOptions& options) {
  const Operator& op = least ? argmin_operator(input.type) : argmax_operator(input.type);
  const Type result = core::indexed_type(input.type);
  const core::Search* const search = search_for(input, least, options);
  if (search == nullptr) {
    return transform_reduce(queue, input, result, op, {}, core::indexed_map(input.type), options);
  }
  return transform_reduce(queue, input, result, search->op, {}, search->map,
                          with(search->accumulator, search->result_map, options));
}

const ResultMap& index_of_indexed() {
  static const ResultMap map = "s.index";
  return map;
}

void find_first_into(Queue& queue, const ErasedView& input, const ErasedView& result, bool least,
                     const ReduceOptions& options) {
  const Operator& op = least ? argmin_operator(input.type) : argmax_operator(input.type);
  const Type indexed = core::indexed_type(input.type);
  const bool mapped = !options.result_map.is_identity();
  const bool index_alone = !mapped && (result.type == Type::u64 || result.type == Type::i64);
  if (!mapped && !index_alone && result.type != indexed) {
    refuse("the result is " + std::string(name_of(indexed)) + ", u64 or i64, not " +
           std::string(name_of(result.type)));
  }
  if (const core::Search* const search = search_for(input, least, options)) {
    const ResultMap& map = index_alone ? search->index : search->result_map;
    transform_reduce_into(queue, input, result, search->op, {}, search->map,
                          with(search->accumulator, map, options));
    return;
  }
  transform_reduce_into(queue, input, result, op, {}, core::indexed_map(input.type),
                        index_alone ? with(indexed, index_of_indexed(), options) : options);
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

const Map& complex_product(Type type) {
  const auto made = [](Type of) -> Map {
    return "make_" + std::string(name_of(of)) +
           "(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re)";
  };
  static const Map of_f32 = made(Type::complex64);
  static const Map of_f64 = made(Type::complex128);
  return type == Type::complex64 ? of_f32 : of_f64;
}

// What elements of one index contribute. Signed integers are multiplied as unsigned ones, where
// wrapping around is defined. A floating result is to see their sign.
Map product(Type first, Type second, Type result) {
  if (is_complex(result) && first == result && second == result) return complex_product(result);
  for (const Type type : {first, second, result}) {
    if (type.is_struct()) detail::refuse_type(type);
  }
  const bool floating = is_floating(first) || is_floating(second);
  if (floating && !is_floating(result)) {
    refuse("products of floating elements do not convert to " + std::string(name_of(result)));
  }
  if (floating) return "x * y";
  const bool without_sign = first == Type::u64 || second == Type::u64;
  return is_floating(result) && !without_sign ? "(i64)((u64)x * (u64)y)" : "(u64)x * (u64)y";
}

}  // namespace

Type core::indexed_type(Type element) {
  return visit_type(accumulator_of(element),
                    [](auto zero) { return type_of<Indexed<decltype(zero)>>(); });
}

Type core::minmax_type(Type element) {
  return visit_type(accumulator_of(element),
                    [](auto zero) { return type_of<MinMax<decltype(zero)>>(); });
}

// The struct's own name is what makes one.
const Map& core::indexed_map(Type element) {
  return per_type<Map>(element, [](auto zero) {
    return "make_" + std::string(name_of(type_of<Indexed<decltype(zero)>>())) + "(x, i)";
  });
}

const Map& core::minmax_map(Type element) {
  return per_type<Map>(element, [](auto zero) {
    return "make_" + std::string(name_of(type_of<MinMax<decltype(zero)>>())) + "(x, x)";
  });
}

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
  return find_first(queue, input, true, options);
} catch (...) {
  detail::rethrow();
}

Value argmax(Queue& queue, const ErasedView& input, const ReduceOptions& options) try {
  return find_first(queue, input, false, options);
} catch (...) {
  detail::rethrow();
}

Value minmax(Queue& queue, const ErasedView& input, const ReduceOptions& options) try {
  const Operator& op = minmax_operator(input.type);
  return transform_reduce(queue, input, core::minmax_type(input.type), op, {},
                          core::minmax_map(input.type), options);
} catch (...) {
  detail::rethrow();
}

void argmin_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const ReduceOptions& options) try {
  find_first_into(queue, input, result, true, options);
} catch (...) {
  detail::rethrow();
}

void argmax_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const ReduceOptions& options) try {
  find_first_into(queue, input, result, false, options);
} catch (...) {
  detail::rethrow();
}

void minmax_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                 const ReduceOptions& options) try {
  const Operator& op = minmax_operator(input.type);
  const Type left = core::minmax_type(input.type);
  if (result.type != left && options.result_map.is_identity()) {
    refuse("result: minmax leaves " + std::string(name_of(left)) + ", not " +
           std::string(name_of(result.type)));
  }
  transform_reduce_into(queue, input, result, op, {}, core::minmax_map(input.type), options);
} catch (...) {
  detail::rethrow();
}

std::uint64_t count_if(Queue& queue, const ErasedView& input, const Map& predicate,
                       const ReduceOptions& options) try {
  return core::naming({{plus, Type::u64, predicate}}, input.type, [&] {
    return transform_reduce(queue, input, Type::u64, plus, {}, core::counting_map(predicate),
                            options)
        .as<std::uint64_t>();
  });
} catch (...) {
  detail::rethrow();
}

void count_if_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                   const Map& predicate, const ReduceOptions& options) try {
  if (result.type != Type::u64) refuse("a count is u64, not " + std::string(name_of(result.type)));
  core::naming({{plus, Type::u64, predicate}}, input.type, [&] {
    transform_reduce_into(queue, input, result, plus, {}, core::counting_map(predicate), options);
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
  return transform_reduce(queue, first, second, result, plus, init,
                          product(first.type, second.type, options.accumulate.value_or(result)),
                          options);
} catch (...) {
  detail::rethrow();
}

void inner_product_into(Queue& queue, const ErasedView& first, const ErasedView& second,
                        const ErasedView& result, const std::optional<Value>& init,
                        const ReduceOptions& options) try {
  transform_reduce_into(queue, first, second, result, plus, init,
                        product(first.type, second.type, options.accumulate.value_or(result.type)),
                        options);
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
  const Type type = core::joined_type(reductions);
  const core::Joined all = core::join(input.type, type, reductions);
  const Value result = core::naming(reductions, input.type, [&] {
    return core::transform_reduce(queue, input, all.op, all.beginning, all.map, options);
  });
  std::vector<Value> values;
  values.reserve(reductions.size());
  for (const StructField& field : type.structure()->fields) {
    values.push_back(Value::from_bytes(field.type, result.data() + field.offset));
  }
  return values;
} catch (...) {
  detail::rethrow();
}

void reduce_many_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                      const std::vector<Reduction>& reductions, const ReduceOptions& options) try {
  core::check_fields(result.type, reductions);
  const core::Joined all = core::join(input.type, result.type, reductions);
  core::naming(reductions, input.type, [&] {
    core::transform_reduce_into(queue, input, result, all.op, all.beginning, all.map, options);
  });
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
