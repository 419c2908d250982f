#include <bifold/recurrence/linear_recurrence.hpp>
#include <string>

#include "core/base/format.hpp"
#include "core/call/own_accumulator.hpp"

namespace bifold {

namespace {

/// The pieces of the call, for one type of accumulators.
struct Pieces {
  std::string_view part;  ///< Of a gate or a token: the type of a real number.
  Type step;
  std::array<Operator, 2> ops;  ///< Forward in time, and backward.
  ResultMap result_map;
  Value (*from)(const Value& h0);
};

template <class T>
constexpr Type part_type = type_of<T>();
template <class T>
constexpr Type part_type<std::complex<T>> = type_of<T>();

template <class T>
Value from(const Value& h0) {
  return LinearStep<T>{T(1), h0.as<T>()};
}

// The step `first` and then the step `later`, as a text. A scan in reverse combines in the order of
// indices as well, so that the step of the lower index is the later one.
std::string composition(bool complex, const char* first, const char* later) {
  if (!complex) {
    return core::formatted("{0}.gate * {1}.gate, {1}.gate * {0}.token + {1}.token", first, later);
  }
  return core::formatted(
      "{1}.gate_re * {0}.gate_re - {1}.gate_im * {0}.gate_im, "
      "{1}.gate_re * {0}.gate_im + {1}.gate_im * {0}.gate_re, "
      "{1}.gate_re * {0}.token_re - {1}.gate_im * {0}.token_im + {1}.token_re, "
      "{1}.gate_re * {0}.token_im + {1}.gate_im * {0}.token_re + {1}.token_im",
      first, later);
}

template <class T>
Pieces pieces() {
  const Type step = type_of<LinearStep<T>>();
  const bool complex = is_complex(type_of<T>());
  const std::string_view name = name_of(step);
  const auto op = [&](const char* called, const char* first, const char* later) {
    return Operator::user(called,
                          core::formatted("make_{}({})", name, composition(complex, first, later)),
                          step, Commutativity::non_commutative);
  };
  return {name_of(part_type<T>),
          step,
          {op("linear_recurrence", "a", "b"), op("linear_recurrence_reverse", "b", "a")},
          complex ? core::formatted("make_{}(s.token_re, s.token_im)", name_of(type_of<T>()))
                  : std::string("s.token"),
          from<T>};
}

template <class T>
const Pieces& kept_pieces() {
  static const Pieces kept = pieces<T>();
  return kept;
}

const Pieces& pieces_of(Type accumulator) {
  if (accumulator == Type::i32) return kept_pieces<std::int32_t>();
  if (accumulator == Type::u32) return kept_pieces<std::uint32_t>();
  if (accumulator == Type::i64) return kept_pieces<std::int64_t>();
  if (accumulator == Type::u64) return kept_pieces<std::uint64_t>();
  if (accumulator == Type::f32) return kept_pieces<float>();
  if (accumulator == Type::f64) return kept_pieces<double>();
  if (accumulator == Type::complex64) return kept_pieces<std::complex<float>>();
  if (accumulator == Type::complex128) return kept_pieces<std::complex<double>>();
  throw Error(
      ErrorCategory::invalid_argument,
      core::formatted("a linear recurrence is of numbers, not of {}", name_of(accumulator)));
}

// An element as the parts of a gate or a token.
std::string parts_of(const char* element, Type type, Type accumulator, std::string_view part) {
  if (!is_complex(accumulator)) {
    if (!type.is_struct()) return core::formatted("({}){}", part, element);
    throw Error(ErrorCategory::invalid_argument,
                core::formatted("a linear recurrence of {} takes no {}", name_of(accumulator),
                                name_of(type)));
  }
  if (is_complex(type)) return core::formatted("({1}){0}.re, ({1}){0}.im", element, part);
  return core::formatted("({}){}, 0", part, element);
}

}  // namespace

void linear_recurrence(Queue& queue, const ErasedView& gates, const ErasedView& tokens,
                       const ErasedView& h, const std::optional<Value>& h0,
                       const ScanOptions& options) try {
  const Type accumulator = accumulator_of(h.type);
  const Pieces& pieces = pieces_of(accumulator);
  if (h0 && h0->type() != accumulator) {
    throw Error(ErrorCategory::invalid_argument,
                core::formatted("h0 is of type {}, the recurrence is computed in {}",
                                name_of(h0->type()), name_of(accumulator)));
  }
  const Map map = core::formatted("make_{}({}, {})", name_of(pieces.step),
                                  parts_of("x", gates.type, accumulator, pieces.part),
                                  parts_of("y", tokens.type, accumulator, pieces.part));
  const ScanOptions made =
      core::with_own_accumulator("a linear recurrence", options, pieces.step, pieces.result_map);
  transform_scan(queue, ScanKind::inclusive, Zipped{gates, {tokens}}, h,
                 pieces.ops[options.reverse ? 1 : 0],
                 h0 ? std::optional(pieces.from(*h0)) : std::nullopt, map, made);
} catch (...) {
  detail::rethrow();
}

}  // namespace bifold
