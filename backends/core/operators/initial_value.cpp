#include "core/operators/initial_value.hpp"

#include <bifold/error.hpp>
#include <bit>
#include <concepts>
#include <limits>
#include <string>
#include <utility>

#include "core/text/expression_text.hpp"

namespace bifold::core {

namespace {

template <class To, class From>
bool holds(From x) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::integral<From> && std::integral<To>) {
    return std::in_range<To>(x);
  } else if constexpr (std::integral<From>) {
    // Every magnitude is in range; what counts is how far apart its first and last digits are.
    auto magnitude = static_cast<std::uint64_t>(x);  // NOLINT(bugprone-signed-char-misuse)
    if (x < From{0}) magnitude = 0 - magnitude;
    if (magnitude == 0) return true;
    const auto width = static_cast<int>(std::bit_width(magnitude));
    return width - std::countr_zero(magnitude) <= Limits::digits;
  } else if constexpr (std::integral<To>) {
    return false;
  } else if constexpr (sizeof(To) >= sizeof(From)) {
    return true;
  } else {
    if (x != x || x - x != 0) return true;  // NOLINT(misc-redundant-expression): NaN, infinity.
    if (x < From{Limits::lowest()} || x > From{Limits::max()}) return false;
    return static_cast<From>(static_cast<To>(x)) == x;
  }
}

bool holds(Type to, const Value& value) {
  if (value.type() == to) return true;
  if (value.type().is_struct() || to.is_struct()) return false;
  return visit_type(value.type(), [&](auto from) {
    using From = decltype(from);
    return visit_type(to, [&](auto zero) { return holds<decltype(zero)>(value.as<From>()); });
  });
}

}  // namespace

Value lift(const Operator& op, const Value& init) {
  if (!is_logical(op.kind())) return init;
  return visit_type(init.type(), [&init](auto zero) -> Value {
    using T = decltype(zero);
    return static_cast<T>(init.as<T>() != T{0});
  });
}

Value convert(const Value& value, Type to) {
  if (value.type() == to) return value;
  return visit_scalar_type(value.type(), [&](auto from) -> Value {
    return visit_scalar_type(to, [&](auto zero) -> Value {
      return static_cast<decltype(zero)>(value.as<decltype(from)>());
    });
  });
}

Value initial_value(const Operator& op, const Value& given, Type accumulator) {
  const Value computed = convert(given, accumulator_of(given.type()));
  // What a logical operator makes of it, every number's type holds.
  if (is_logical(op.kind()) && !given.type().is_struct()) {
    return convert(lift(op, computed), accumulator);
  }
  if (!holds(accumulator, computed)) {
    const bool truncated =
        is_floating(computed.type()) && !accumulator.is_struct() && !is_floating(accumulator);
    throw Error(ErrorCategory::invalid_argument,
                "the initial value is " + std::string(name_of(given.type())) +
                    ", the accumulator is " + std::string(name_of(accumulator)) +
                    (truncated ? ": floating values do not convert to integers"
                               : ", which does not hold it exactly"));
  }
  return convert(computed, accumulator);
}

}  // namespace bifold::core
