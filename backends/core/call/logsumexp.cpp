#include <bifold/statistics/logsumexp.hpp>
#include <limits>
#include <string>

#include "core/base/format.hpp"

namespace bifold {

namespace {

/// The pieces of the call, for one type.
struct Pieces {
  Type accumulator;
  Operator op;
  Map map;
  ResultMap result_map;
};

// Nothing branches, so that loops over accumulators become vectors of a CPU. Equal values are apart
// by 0, as infinities of one sign differ by NaN; the sum tells of a NaN. Compilers compute what the
// text repeats once.
template <class T>
Pieces pieces() {
  const std::string_view type = name_of(type_of<T>());
  const std::string make = core::formatted("make_LogSum_{}", type);
  const std::string text = core::formatted(
      "{}(a.largest > b.largest ? a.largest : b.largest, "
      "(a.largest > b.largest ? a.sum : b.sum) + (a.largest > b.largest ? b.sum : a.sum) * "
      "exp(a.largest == b.largest ? ({})0 : -abs(a.largest - b.largest)))",
      make, type);
  constexpr T infinity = std::numeric_limits<T>::infinity();
  return {
      type_of<LogSum<T>>(),
      Operator::user("logsumexp", text, Value(LogSum<T>{-infinity, 0}), Commutativity::commutative),
      core::formatted("{}(({})x, 1)", make, type), "s.largest + log(s.sum)"};
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
Options with(const Pieces& pieces, Options options) {
  if (options.accumulate || !options.result_map.is_identity()) {
    throw Error(ErrorCategory::invalid_argument,
                "logsumexp has an accumulator and a result map of its own");
  }
  options.accumulate = pieces.accumulator;
  options.result_map = pieces.result_map;
  return options;
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
