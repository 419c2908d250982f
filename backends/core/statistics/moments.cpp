#include <bifold/statistics/moments.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/format.hpp"
#include "core/statistics/shared.hpp"

namespace bifold {

namespace {

// Where a call has n from, by which result maps differ.
enum : std::size_t { on_host, from_u32, from_u64 };

std::size_t place_of_count(const ReduceOptions& options) {
  if (!options.count_from) return on_host;
  return options.count_from->type == Type::u32 ? from_u32 : from_u64;
}

// The result map for each place of n: what `text` makes of n as a value of type `real`.
template <class Text>
std::array<ResultMap, 3> with_counts(std::string_view real, const Text& text,
                                     const std::vector<ScalarType>& beside = {}) {
  const auto of = [&](std::string_view count, std::vector<ScalarType> scalars) {
    scalars.insert(scalars.end(), beside.begin(), beside.end());
    return ResultMap(text(core::formatted("({})({})", real, count)), std::move(scalars));
  };
  // A count in device memory may be larger than what it counts as.
  constexpr std::string_view least = "count < most ? count : most";
  return {of("count", {{"count", Type::u64}}),
          of(least, {{"count", Type::u32}, {"most", Type::u64}}),
          of(least, {{"count", Type::u64}, {"most", Type::u64}})};
}

// The options with the scalars that such a result map names.
ReduceOptions with_count(ReduceOptions options, const ErasedView& input,
                         const std::optional<double>& ddof = {}) {
  if (options.segments || options.keys) {
    throw Error(ErrorCategory::invalid_argument,
                "mean and variance divide by one count, and take no segments or keys");
  }
  const std::uint64_t most = options.lines ? options.lines->length : input.count;
  if (options.count_from) {
    options.scalars.emplace_back("count", *options.count_from);
    options.scalars.emplace_back("most", Value(most));
  } else {
    options.scalars.emplace_back("count", Value(most));
  }
  if (ddof) options.scalars.emplace_back("ddof", Value(*ddof));
  return options;
}

struct Mean {
  Type accumulator;
  Map map;
  std::array<ResultMap, 3> result_maps;
};

Mean real_mean(Type real) {
  return {real, {}, with_counts(name_of(real), [](const std::string& n) { return "s / " + n; })};
}

// Of complex numbers, computed with parts of type `real`.
Mean complex_mean(Type real, Type result) {
  const Type accumulator = real == Type::f32 ? Type::complex64 : Type::complex128;
  const auto quotients = [&](const std::string& n) {
    return core::formatted("make_{0}(({1})(s.re / {2}), ({1})(s.im / {2}))", name_of(result),
                           name_of(core::part_of(result)), n);
  };
  return {accumulator,
          core::formatted("make_{0}(({1})x.re, ({1})x.im)", name_of(accumulator), name_of(real)),
          with_counts(name_of(real), quotients)};
}

const Mean& pieces_of_mean(Type real, Type result) {
  static const std::array<Mean, 2> reals{real_mean(Type::f32), real_mean(Type::f64)};
  static const std::array<Mean, 4> complex{
      complex_mean(Type::f32, Type::complex64), complex_mean(Type::f32, Type::complex128),
      complex_mean(Type::f64, Type::complex64), complex_mean(Type::f64, Type::complex128)};
  const std::size_t wide = real == Type::f64 ? 1 : 0;
  if (!is_complex(result)) return reals.at(wide);
  return complex.at(2 * wide + (result == Type::complex128 ? 1 : 0));
}

struct Variance {
  Type accumulator;
  Operator op;
  Map map;
  std::array<ResultMap, 3> variance_maps;
  std::array<ResultMap, 3> mean_maps;
};

// `off_mean` gives the sum of squares of what elements are off the mean, by n.
template <class OffMean>
std::array<ResultMap, 3> variance_maps(std::string_view real, const OffMean& off_mean) {
  const auto text = [&](const std::string& n) {
    return core::formatted("({0}) / maximum({1} - ({2})ddof, ({2})0)", off_mean(n), n, real);
  };
  return with_counts(real, text, {{"ddof", Type::f64}});
}

const Variance& power_sums() {
  // Rounding may leave less than nothing.
  const auto off_mean = [](const std::string& n) {
    return core::formatted("maximum(s.squares - s.sum * (s.sum / {}), 0.0)", n);
  };
  static const Variance pieces{
      type_of<PowerSums>(),
      Operator::user("power_sums", "make_PowerSums(a.sum + b.sum, a.squares + b.squares)",
                     Value(PowerSums{0, 0}), Commutativity::commutative),
      "make_PowerSums((f64)x, (f64)x * (f64)x)", variance_maps("f64", off_mean),
      with_counts("f64", [](const std::string& n) { return "s.sum / " + n; })};
  return pieces;
}

template <class T>
Variance pieces_of_moments() {
  const std::string_view real = name_of(type_of<T>());
  // Of as many elements on both sides it is a half, so that 0 is not divided by 0.
  const std::string weight =
      core::formatted("(a.count == b.count ? ({})0.5f : b.count / (a.count + b.count))", real);
  const std::string text = core::formatted(
      "make_Moments_{0}(a.count + b.count, a.mean + (b.mean - a.mean) * {1}, a.squares + "
      "(b.squares + (b.mean - a.mean) * (b.mean - a.mean) * (a.count * {1})))",
      real, weight);
  // Where the mean is not finite, nor is the result; the mean of nothing is 0 / 0.
  const auto off_mean = [](const std::string&) { return "s.squares + (s.mean - s.mean)"; };
  const auto mean = [](const std::string& n) {
    return core::formatted("s.mean + (s.count - s.count) / {}", n);
  };
  return {type_of<Moments<T>>(),
          Operator::user("moments", text, Value(Moments<T>{0, 0, 0}), Commutativity::commutative),
          core::formatted("make_Moments_{0}(1, ({0})x, 0)", real), variance_maps(real, off_mean),
          with_counts(real, mean)};
}

const Variance& pieces_of_variance(Type element, std::optional<Type> asked) {
  static const Variance of_f32 = pieces_of_moments<float>();
  static const Variance of_f64 = pieces_of_moments<double>();
  if (asked) return *asked == Type::f32 ? of_f32 : of_f64;
  // Squares of 16 bits and of an f32 are exact in f64.
  return size_of(element) <= 2 || element == Type::f32 ? power_sums() : of_f64;
}

// The mean as a call gives it, by that which enqueues or blocks.
template <class Reduce>
auto reduce_to_mean(const ErasedView& input, Type result, const ReduceOptions& options,
                    const Reduce& reduce) {
  const Type real = core::asked_type("a mean", input.type, options).value_or(Type::f64);
  core::need_result("a mean", result, is_complex(input.type));
  const Mean& pieces = pieces_of_mean(real, result);
  return reduce(Operator(plus), pieces.map,
                with_count(core::with_pieces("a mean", options, pieces.accumulator,
                                             pieces.result_maps.at(place_of_count(options))),
                           input));
}

template <class Reduce>
auto reduce_to_variance(const ErasedView& input, Type result, const std::optional<ErasedView>& mean,
                        double ddof, const ReduceOptions& options, const Reduce& reduce) {
  const std::optional<Type> asked = core::asked_type("a variance", input.type, options);
  if (is_complex(input.type))
    throw Error(ErrorCategory::invalid_argument, "a variance is of real numbers");
  core::need_result("a variance", result, false);
  const Variance& pieces = pieces_of_variance(input.type, asked);
  const std::size_t place = place_of_count(options);
  ReduceOptions made = with_count(
      core::with_pieces("a variance", options, pieces.accumulator, pieces.variance_maps.at(place)),
      input, ddof);
  if (mean) {
    core::need_result("a mean", mean->type, false);
    made.more_outputs.push_back({*mean, pieces.mean_maps.at(place)});
  }
  return reduce(pieces.op, pieces.map, made);
}

}  // namespace

void mean_into(Queue& queue, const ErasedView& input, const ErasedView& result,
               const ReduceOptions& options) try {
  reduce_to_mean(input, result.type, options, core::enqueuing(queue, input, result));
} catch (...) {
  detail::rethrow();
}

void variance_into(Queue& queue, const ErasedView& input, const ErasedView& result, double ddof,
                   const ReduceOptions& options) try {
  reduce_to_variance(input, result.type, {}, ddof, options, core::enqueuing(queue, input, result));
} catch (...) {
  detail::rethrow();
}

void variance_mean_into(Queue& queue, const ErasedView& input, const ErasedView& variance,
                        const ErasedView& mean, double ddof, const ReduceOptions& options) try {
  reduce_to_variance(input, variance.type, mean, ddof, options,
                     core::enqueuing(queue, input, variance));
} catch (...) {
  detail::rethrow();
}

Value mean(Queue& queue, const ErasedView& input, const ReduceOptions& options) try {
  const Type result = core::mean_of(input.type);
  return reduce_to_mean(input, result, options, core::blocking(queue, input, result));
} catch (...) {
  detail::rethrow();
}

Value variance(Queue& queue, const ErasedView& input, double ddof,
               const ReduceOptions& options) try {
  const Type result = core::mean_of(input.type);
  return reduce_to_variance(input, result, {}, ddof, options, core::blocking(queue, input, result));
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
