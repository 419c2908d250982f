#include <array>
#include <bifold/statistics/norm.hpp>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/format.hpp"
#include "core/statistics/shared.hpp"

namespace bifold {

namespace {

// Limits and scales of a floating type: Anderson (2017), section 3. All are powers of 2.
template <class T>
struct Scales {
  static constexpr int up(int twice) { return twice > 0 ? (twice + 1) / 2 : twice / 2; }
  static constexpr int down(int twice) { return -up(-twice); }
  static constexpr int digits = std::numeric_limits<T>::digits;
  static constexpr int least = std::numeric_limits<T>::min_exponent;
  static constexpr int most = std::numeric_limits<T>::max_exponent;
  static constexpr int small_scale = -down(least - digits);
  static constexpr int big_scale = -up(most + digits - 1);
  // From here on a sum of medium squares has nothing to gain from small ones. Below, it is finite
  // when it is scaled as these are.
  static constexpr int alone = most - 2 - 2 * small_scale;

  // 2^exponent as texts write it, in the accumulator's type.
  static std::string power(int exponent) {
    return core::formatted("({}){:.17g}", name_of(type_of<T>()), std::ldexp(1.0, exponent));
  }
};

struct Norm {
  Type accumulator;
  Operator op;
  std::array<Map, 2> maps;  ///< Of real and of complex elements.
  ResultMap result_map;
};

// A map of the sum over the parts of an element of what `of_part` says of one.
template <class OfPart>
std::array<std::string, 2> sums_over_parts(const OfPart& of_part) {
  return {of_part("x"), core::formatted("{} + {}", of_part("x.re"), of_part("x.im"))};
}

const Norm& plain_squares() {
  static const Norm pieces = [] {
    const auto maps = sums_over_parts(
        [](const char* part) { return core::formatted("(f64){0} * (f64){0}", part); });
    return Norm{Type::f64, Operator(plus), {maps[0], maps[1]}, "sqrt(s)"};
  }();
  return pieces;
}

template <class T>
Norm pieces_of_scaled_squares() {
  using S = Scales<T>;
  const std::string_view real = name_of(type_of<T>());
  const std::string big = S::power(S::down(S::most - S::digits + 1));
  const std::string small = S::power(S::up(S::least - 1));
  const std::string big_scale = S::power(S::big_scale);
  const std::string small_scale = S::power(S::small_scale);
  const auto scaled = [&](const char* part, const char* where, const std::string& limit,
                          const std::string& scale) {
    return core::formatted("(abs(({0}){1}) {2} {3} ? ({0}){1} * {4} * (({0}){1} * {4}) : ({0})0)",
                           real, part, where, limit, scale);
  };
  const auto bigs = sums_over_parts([&](auto part) { return scaled(part, ">", big, big_scale); });
  const auto smalls =
      sums_over_parts([&](auto part) { return scaled(part, "<", small, small_scale); });
  // NaN is neither.
  const auto mediums = sums_over_parts([&](auto part) {
    return core::formatted(
        "(abs(({0}){1}) > {2} || abs(({0}){1}) < {3} ? ({0})0 : "
        "({0}){1} * ({0}){1})",
        real, part, big, small);
  });
  const auto map = [&](std::size_t k) -> Map {
    return core::formatted("make_ScaledSquares_{}({}, {}, {})", real, bigs.at(k), mediums.at(k),
                           smalls.at(k));
  };
  return {type_of<ScaledSquares<T>>(),
          Operator::user("scaled_squares",
                         core::formatted("make_ScaledSquares_{}(a.big + b.big, a.medium + "
                                         "b.medium, a.small + b.small)",
                                         real),
                         Value(ScaledSquares<T>{0, 0, 0}), Commutativity::commutative),
          {map(0), map(1)},
          core::formatted("s.big > 0 ? sqrt(s.big + s.medium * {0} * {0}) * {1} : s.medium < {2} ? "
                          "sqrt(s.small + s.medium * {3} * {3}) * {4} : sqrt(s.medium)",
                          big_scale, S::power(-S::big_scale), S::power(S::alone), small_scale,
                          S::power(-S::small_scale))};
}

const Norm& pieces_of_norm(Type element, std::optional<Type> asked) {
  static const Norm of_f32 = pieces_of_scaled_squares<float>();
  static const Norm of_f64 = pieces_of_scaled_squares<double>();
  if (asked) return *asked == Type::f32 ? of_f32 : of_f64;
  return core::part_of(element) == Type::f64 ? of_f64 : plain_squares();
}

template <class Reduce>
auto reduce_to_norm(const ErasedView& input, Type result, const ReduceOptions& options,
                    const Reduce& reduce) {
  const std::optional<Type> asked = core::asked_type("a norm", input.type, options);
  core::need_result("a norm", result, false);
  const Norm& pieces = pieces_of_norm(input.type, asked);
  return reduce(pieces.op, pieces.maps.at(is_complex(input.type) ? 1 : 0),
                core::with_pieces("a norm", options, pieces.accumulator, pieces.result_map));
}

}  // namespace

void norm_into(Queue& queue, const ErasedView& input, const ErasedView& result,
               const ReduceOptions& options) try {
  reduce_to_norm(input, result.type, options, core::enqueuing(queue, input, result));
} catch (...) {
  detail::rethrow();
}

Value norm(Queue& queue, const ErasedView& input, const ReduceOptions& options) try {
  const Type result = core::part_of(core::mean_of(input.type));
  return reduce_to_norm(input, result, options, core::blocking(queue, input, result));
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
