#include <bifold/statistics/logsumexp.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "core/base/format.hpp"
#include "core/call/own_accumulator.hpp"

namespace bifold {

namespace {

/// The pieces of the call, for one type.
struct Pieces {
  Type accumulator;
  Operator op;
  Map map;
  ResultMap result_map;
};

// Nothing branches, so that loops over accumulators become vectors of a CPU. Anchors are equal
// mostly, one step apart seldom, and of more the lower sum is beyond the last place of the other.
// NaN is in the sum, which no factor takes it from.
template <class T>
Pieces pieces() {
  const std::string_view type = name_of(type_of<T>());
  const std::string make = core::formatted("make_LogSum_{}", type);
  const auto number = [type](T value) {
    return core::formatted("({}){:.17g}", type, static_cast<double>(value));
  };
  const std::string step = number(LogSum<T>::step);
  const std::string text = core::formatted(
      "{0}(a.anchor > b.anchor ? a.anchor : b.anchor, "
      "(a.anchor > b.anchor ? a.sum : b.sum) + (a.anchor > b.anchor ? b.sum : a.sum) * "
      "(a.anchor == b.anchor ? ({1})1 : (a.anchor > b.anchor ? b.anchor + {2} >= a.anchor "
      ": a.anchor + {2} >= b.anchor) ? {3} : ({1})0))",
      make, type, step, number(std::exp(-LogSum<T>::step)));
  // In units of 1.5 * 2^(digits - 1) the last place is 1: there x / step becomes whole. What is as
  // long as to have no places below half a step is its own anchor, as is what is infinite. These
  // functions of texts are no calls, which would keep a loop from becoming vectors.
  constexpr int digits = std::numeric_limits<T>::digits;
  const T limit = LogSum<T>::step * std::ldexp(T{1}, digits - 2);
  const std::string anchor =
      core::formatted("(({0})x * ({0})x < {1} ? (({0})x * {2} + {3} - {3}) * {4} : ({0})x)", type,
                      number(limit * limit), number(1 / LogSum<T>::step),
                      number(std::ldexp(T{1.5}, digits - 1)), step);
  constexpr T infinity = std::numeric_limits<T>::infinity();
  return {
      type_of<LogSum<T>>(),
      Operator::user("logsumexp", text, Value(LogSum<T>{-infinity, 0}), Commutativity::commutative),
      core::formatted("{0}({1}, {1} == ({2})x ? ({2})(x >= {3}) : exp(({2})x - {1}))", make, anchor,
                      type, number(std::numeric_limits<T>::lowest())),
      "s.anchor + log(s.sum)"};
}

const Pieces& pieces_of(Type floating) {
  static const Pieces of_f32 = pieces<float>();
  static const Pieces of_f64 = pieces<double>();
  const Type accumulator = accumulator_of(floating);
  if (accumulator == Type::f32) return of_f32;
  if (accumulator == Type::f64) return of_f64;
  throw Error(ErrorCategory::invalid_argument,
              core::formatted("logsumexp gives floating values, not {}", name_of(floating)));
}

template <class Options>
Options with(const Pieces& pieces, const Options& options) {
  return core::with_own_accumulator("logsumexp", options, pieces.accumulator, pieces.result_map);
}

}  // namespace

const Operator& logsumexp_operator(Type element) try { return pieces_of(element).op; } catch (...) {
  detail::rethrow();
}

Value logsumexp(Queue& queue, const ErasedView& input, const ReduceOptions& options) try {
  const Pieces& pieces = pieces_of(input.type);
  return transform_reduce(queue, input, accumulator_of(input.type), pieces.op, {}, pieces.map,
                          with(pieces, options));
} catch (...) {
  detail::rethrow();
}

void logsumexp_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                    const ReduceOptions& options) try {
  const Pieces& pieces = pieces_of(result.type);
  transform_reduce_into(queue, input, result, pieces.op, {}, pieces.map, with(pieces, options));
} catch (...) {
  detail::rethrow();
}

void cumulative_logsumexp(Queue& queue, const ErasedView& input, const ErasedView& output,
                          const ScanOptions& options) try {
  const Pieces& pieces = pieces_of(output.type);
  transform_scan(queue, ScanKind::inclusive, input, output, pieces.op, {}, pieces.map,
                 with(pieces, options));
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
