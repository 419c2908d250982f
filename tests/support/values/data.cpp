#include "data.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "random.hpp"

namespace bifold::test {

namespace {

template <class T>
T draw_plus(Random& random, Flavor flavor) {
  if constexpr (std::is_floating_point_v<T>) {
    return flavor == Flavor::exact ? static_cast<T>(random.between(-8, 8))
                                   : static_cast<T>(random.real());
  } else {
    return static_cast<T>(random.next());
  }
}

template <class T>
T draw_multiplies(Random& random, std::uint64_t count, Flavor flavor) {
  if constexpr (std::is_floating_point_v<T>) {
    const T sign = random.one_in(2) ? T{1} : T{-1};
    if (flavor == Flavor::real) {
      return sign * static_cast<T>(1.0 + random.real() / static_cast<double>(count + 8));
    }
    // A bounded number of other factors keeps every partial product inside the exponent range.
    const std::uint64_t period = std::max<std::uint64_t>(8, count / 50);
    if (!random.one_in(period)) return sign;
    return sign * (random.one_in(2) ? T{2} : static_cast<T>(0.5));
  } else {
    return static_cast<T>(random.next() | 1u);
  }
}

template <class T>
T draw_extremum(Random& random, OperatorKind kind, std::uint64_t index, std::uint64_t count) {
  // A rising ramp under noise for maximum; its mirror image for minimum.
  const double ramp = -0.9 + 1.8 * static_cast<double>(index) / static_cast<double>(count + 1);
  const double noise = random.real();
  double value = noise < 0 ? noise : ramp + noise * 0.01;
  if (value > ramp + 0.01) value = ramp;
  if (kind == OperatorKind::minimum) value = -value;
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value * 1e6);
  } else {
    const auto low = static_cast<double>(std::numeric_limits<T>::min());
    const auto high = static_cast<double>(std::numeric_limits<T>::max());
    return static_cast<T>(low + (high - low) * (value + 1.0) / 2.0 * 0.99);
  }
}

template <class T>
T draw_bits(Random& random, OperatorKind kind, std::uint64_t count) {
  if constexpr (std::is_floating_point_v<T>) {
    return T{0};  // Bitwise operators are not defined on floating types.
  } else {
    if (kind == OperatorKind::bit_xor) return static_cast<T>(random.next());
    const std::uint64_t period = std::max<std::uint64_t>(4, count / (sizeof(T) * 16));
    const std::uint64_t bit =
        random.one_in(period) ? std::uint64_t{1} << random.below(sizeof(T) * 8) : 0;
    return static_cast<T>(kind == OperatorKind::bit_and ? ~bit : bit);
  }
}

template <class T>
T draw_logical(Random& random, OperatorKind kind, std::uint64_t count) {
  const bool rare = random.one_in(std::max<std::uint64_t>(4, count / 2));
  const bool zero = (kind == OperatorKind::logical_and) == rare;
  if (zero) return T{0};
  const T value = static_cast<T>(random.between(1, 100));
  return static_cast<T>(random.one_in(2) ? value : static_cast<T>(T{0} - value));
}

template <class T>
T draw(Random& random, OperatorKind kind, std::uint64_t index, std::uint64_t count, Flavor flavor) {
  switch (kind) {
    case OperatorKind::plus: return draw_plus<T>(random, flavor);
    case OperatorKind::multiplies: return draw_multiplies<T>(random, count, flavor);
    case OperatorKind::minimum:
    case OperatorKind::maximum: return draw_extremum<T>(random, kind, index, count);
    case OperatorKind::bit_and:
    case OperatorKind::bit_or:
    case OperatorKind::bit_xor: return draw_bits<T>(random, kind, count);
    case OperatorKind::logical_and:
    case OperatorKind::logical_or: return draw_logical<T>(random, kind, count);
    case OperatorKind::user: break;
  }
  return draw_plus<T>(random, Flavor::exact);
}

/// Floats, rounded; those of extrema are brought into the range of all storage types.
HostData stored(Type type, OperatorKind kind, std::uint64_t count, std::uint64_t seed,
                Flavor flavor) {
  const HostData floats = make_input(Type::f32, kind, count, seed, flavor);
  const bool extremum = kind == OperatorKind::minimum || kind == OperatorKind::maximum;
  HostData data(type, count);
  visit_scalar_type(type, [&]<class T>(T) {
    for (std::uint64_t i = 0; i < count; ++i) {
      data.as<T>()[i] = static_cast<T>(floats.as<float>()[i] / (extremum ? 16 : 1));
    }
  });
  return data;
}

}  // namespace

HostData make_input(Type type, OperatorKind kind, std::uint64_t count, std::uint64_t seed,
                    Flavor flavor) {
  if (is_storage(type)) return stored(type, kind, count, seed, flavor);
  HostData data(type, count);
  Random random(seed);
  visit_type(type, [&]<class T>(T) {
    for (std::uint64_t i = 0; i < count; ++i) {
      data.as<T>()[i] = draw<T>(random, kind, i, count, flavor);
    }
  });
  return data;
}

Value make_init(Type type, OperatorKind kind, std::uint64_t seed) {
  Random random(seed);
  return visit_type(type, [&]<class T>(T) -> Value {
    switch (kind) {
      case OperatorKind::multiplies:
        return std::is_floating_point_v<T> ? static_cast<T>(-2)
                                           : static_cast<T>(random.next() | 1u);
      // Low for maximum and high for minimum: inside the range of the data, so that both matter.
      case OperatorKind::minimum:
      case OperatorKind::maximum: return draw_extremum<T>(random, kind, 1, 4);
      case OperatorKind::bit_and:
      case OperatorKind::bit_or:
      case OperatorKind::bit_xor: return draw_bits<T>(random, kind, 1);
      case OperatorKind::logical_and: return static_cast<T>(7);
      case OperatorKind::logical_or: return T{0};
      case OperatorKind::plus:
      case OperatorKind::user: break;
    }
    return draw_plus<T>(random, Flavor::exact);
  });
}

}  // namespace bifold::test
