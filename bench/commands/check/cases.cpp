#include "commands/check/cases.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "data/host_data.hpp"

namespace bench {
namespace {

using bifold::Operator;
using bifold::OperatorKind;
using bifold::ScanKind;
using bifold::Value;

const std::vector<ScanKind> inclusive{ScanKind::inclusive};
const std::vector<ScanKind> exclusive{ScanKind::exclusive};
const std::vector<ScanKind> both{ScanKind::inclusive, ScanKind::exclusive};

// Elements that differ from the rest: behind a lane group, and behind most groups of work-items.
constexpr std::uint64_t odd_one = 37;
constexpr std::uint64_t later_odd_one = 411;

template <class T, OperatorKind Kind>
T combined(T a, T b) {
  return bifold::reference::combine(Kind, a, b);
}

/// As far as production's thresholds are.
constexpr std::uint64_t far_bytes = std::uint64_t{112} << 20;
/// As far as loops of 2^20 turns over words.
constexpr std::uint64_t near_bytes = std::uint64_t{10} << 20;

template <class T>
T itself(T x, T /*y*/, std::uint64_t /*i*/) {
  return x;
}

template <class T>
T any_word(std::uint64_t index) {
  return static_cast<T>(random_word(index) >> 8);
}

/// An integer case on full-range words, or on odd ones, whose product never becomes zero.
template <class T, OperatorKind Kind>
Case<T> of_words(std::string_view name, const Operator& op, std::vector<ScanKind> kinds,
                 std::uint64_t far = 0) {
  constexpr auto odd = [](std::uint64_t index) { return static_cast<T>(any_word<T>(index) | 1); };
  const bool product = Kind == OperatorKind::multiplies;
  return {name,
          op,
          {},
          &combined<T, Kind>,
          &itself<T>,
          std::move(kinds),
          {{"random words", product ? +odd : &any_word<T>, static_cast<T>(13), true}},
          CaseRows::all,
          far};
}

// Affine maps x -> m x + c modulo 2^16, composed in index order: associative, far from commutative.
constexpr const char* affine_text =
    "((((a >> 16) * (b >> 16)) & 0xffffu) << 16) | (((b >> 16) * (a & 0xffffu) + b) & 0xffffu)";

std::uint32_t affine(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t factor = ((a >> 16) * (b >> 16)) & 0xffffU;
  return factor << 16 | (((b >> 16) * (a & 0xffffU) + b) & 0xffffU);
}

/// In [-1, 1).
double real(std::uint64_t index) {
  return static_cast<double>(random_word(index) >> 11) * 0x1p-52 - 1.0;
}

/// Numbers of either sign and of many magnitudes: nearly every other association rounds otherwise.
template <class T>
T of_any_magnitude(std::uint64_t index) {
  // The sums of 16-bit elements stay in f16's range.
  constexpr int range = sizeof(T) == 2 ? 16 : 32;
  const int exponent = static_cast<int>(random_word(~index) % range) - range / 2;
  return static_cast<T>(std::ldexp(real(index), exponent));
}

template <class T>
T least_denormal() {
  if constexpr (bifold::storage_element<T>) {
    return T::from_bits(1);
  } else {
    return std::numeric_limits<T>::denorm_min();
  }
}

/// Both signs of up to a thousand times the least number.
template <class T>
T denormal(std::uint64_t index) {
  const auto multiple = static_cast<int>(random_word(index) % 2001) - 1000;
  return static_cast<T>(static_cast<bifold::accumulator_t<T>>(least_denormal<T>()) *
                        static_cast<bifold::accumulator_t<T>>(multiple));
}

template <class T>
T small_integer(std::uint64_t index) {
  return static_cast<T>(static_cast<int>(random_word(index) % 17) - 8);
}

/// Near one, of either sign: the product of many stays away from the ends of the range.
template <class T>
T near_one(std::uint64_t index) {
  const double x = 1 + real(index) / 1024;
  return static_cast<T>((random_word(~index) & 1) == 0 ? x : -x);
}

/// Neighbours at that distance are inverse to one another under the operator of fusible(): however
/// many elements are combined, in whatever order, the result stays near zero, where products of two
/// matter as much as sums.
template <class T>
T inverse_pairs(std::uint64_t index) {
  constexpr std::uint64_t distance = 128;
  const double x = real(index & ~distance) / 2;
  return static_cast<T>((index & distance) == 0 ? x : -x / (1 + x));
}

template <class T>
Case<T> sums(std::vector<ScanKind> kinds) {
  using Acc = bifold::accumulator_t<T>;
  using Limits = std::numeric_limits<Acc>;
  return {"plus",
          bifold::plus,
          {},
          &combined<Acc, OperatorKind::plus>,
          &itself<Acc>,
          std::move(kinds),
          {{"numbers of many magnitudes", &of_any_magnitude<T>, static_cast<Acc>(-3.7), false},
           {"small integers", &small_integer<T>, Acc{5}, true},
           {"denormals", &denormal<T>, Acc{-0.0}, true},
           {"negative zeros", [](std::uint64_t) { return static_cast<T>(-0.0); }, Acc{-0.0}, true},
           {"infinities",
            [](std::uint64_t index) {
              if (index == odd_one) return static_cast<T>(Limits::infinity());
              return index == later_odd_one ? static_cast<T>(-Limits::infinity())
                                            : small_integer<T>(index);
            },
            Acc{1}, true}},
          CaseRows::all,
          std::is_same_v<T, float> ? far_bytes : near_bytes};
}

template <class T>
Case<T> minima(std::vector<ScanKind> kinds) {
  using Acc = bifold::accumulator_t<T>;
  using Limits = std::numeric_limits<Acc>;
  return {
      "minimum",
      bifold::minimum,
      {},
      &combined<Acc, OperatorKind::minimum>,
      &itself<Acc>,
      std::move(kinds),
      {{"numbers of many magnitudes", &of_any_magnitude<T>, Limits::infinity(), true},
       {"zeros of either sign",
        [](std::uint64_t index) {
          return static_cast<T>(index % 100 == odd_one ? Acc{-0.0} : Acc{0.0});
        },
        Acc{0.0}, true},
       {"a NaN",
        [](std::uint64_t index) {
          return index == odd_one ? static_cast<T>(Limits::quiet_NaN()) : small_integer<T>(index);
        },
        Limits::infinity(), true},
       {"infinities",
        [](std::uint64_t index) {
          return static_cast<T>(index == later_odd_one ? -Limits::infinity() : Limits::infinity());
        },
        Limits::infinity(), true}}};
}

template <class T>
Case<T> products(std::vector<ScanKind> kinds) {
  return {"multiplies",
          bifold::multiplies,
          {},
          &combined<T, OperatorKind::multiplies>,
          &itself<T>,
          std::move(kinds),
          {{"numbers near one", &near_one<T>, static_cast<T>(1.3), false},
           {"ones of either sign",
            [](std::uint64_t index) { return (random_word(index) & 1) == 0 ? T{1} : T{-1}; }, T{-1},
            true}}};
}

/// (1 + a)(1 + b) - 1. A multiplication and the addition behind it, made one fused operation,
/// round once instead of twice.
template <class T>
Case<T> fusible(std::vector<ScanKind> kinds) {
  return {
      "a * b + (a + b)",
      Operator::user("join", "a * b + (a + b)", Value(T{-0.0}), bifold::Commutativity::commutative),
      {},
      [](T a, T b) { return a * b + (a + b); },
      &itself<T>,
      std::move(kinds),
      {{"inverse numbers", &inverse_pairs<T>, static_cast<T>(0.3), false}}};
}

/// The same where the multiplication is a map.
template <class T>
Case<T> squares() {
  using Acc = bifold::accumulator_t<T>;
  return {"plus of x * x",
          bifold::plus,
          "x * x",
          &combined<Acc, OperatorKind::plus>,
          [](Acc x, Acc /*y*/, std::uint64_t /*i*/) { return x * x; },
          inclusive,
          {{"numbers of many magnitudes", &of_any_magnitude<T>, static_cast<Acc>(0.7), false}}};
}

/// A map that names the index, and in reductions an element of a second array.
Case<std::uint32_t> indexed(bool pairs) {
  using T = std::uint32_t;
  return {pairs ? "plus of x * y + i" : "plus of x + i",
          bifold::plus,
          pairs ? "x * y + (u32)i" : "x + (u32)i",
          &combined<T, OperatorKind::plus>,
          pairs ? +[](T x, T y, std::uint64_t i) { return x * y + static_cast<T>(i); }
                : +[](T x, T /*y*/, std::uint64_t i) { return x + static_cast<T>(i); },
          exclusive,
          {{"random words", &any_word<T>, 5, true}},
          CaseRows::order_v1,
          near_bytes,
          pairs};
}

}  // namespace

template <>
std::vector<Case<std::int32_t>> check_cases() {
  return {of_words<std::int32_t, OperatorKind::plus>("plus", bifold::plus, inclusive, far_bytes)};
}

template <>
std::vector<Case<std::uint32_t>> check_cases() {
  return {{"affine maps",
           Operator::user("affine", affine_text, Value(std::uint32_t{1} << 16)),
           {},
           &affine,
           &itself<std::uint32_t>,
           exclusive,
           {{"random words", &any_word<std::uint32_t>, 0x00030007, true}},
           CaseRows::all,
           near_bytes},
          indexed(false),
          indexed(true)};
}

template <>
std::vector<Case<std::uint8_t>> check_cases() {
  return {of_words<std::uint8_t, OperatorKind::multiplies>("multiplies", bifold::multiplies,
                                                           exclusive, far_bytes)};
}

template <>
std::vector<Case<std::int64_t>> check_cases() {
  return {of_words<std::int64_t, OperatorKind::minimum>("minimum", bifold::minimum, inclusive)};
}

template <>
std::vector<Case<float>> check_cases() {
  return {sums<float>(both), minima<float>(exclusive), products<float>(inclusive),
          fusible<float>(exclusive), squares<float>()};
}

template <>
std::vector<Case<double>> check_cases() {
  return {sums<double>(inclusive), products<double>(exclusive), fusible<double>(exclusive),
          squares<double>()};
}

template <>
std::vector<Case<bifold::f16>> check_cases() {
  return {sums<bifold::f16>(inclusive), minima<bifold::f16>(exclusive), squares<bifold::f16>()};
}

template <>
std::vector<Case<bifold::bf16>> check_cases() {
  return {sums<bifold::bf16>(exclusive), minima<bifold::bf16>(exclusive)};
}

}  // namespace bench
