#include "commands/check/struct_cases.hpp"

#include <algorithm>
#include <utility>

#include "data/host_data.hpp"

// The cases: a size, an operator and a kind of rows each. None of the structs has padding.
namespace bench {
namespace {

using bifold::Operator;
using bifold::ScanKind;

/// Far enough for loops of 2^16 turns over the widest, and of 2^20 over the narrowest.
constexpr std::uint64_t far_bytes = std::uint64_t{10} << 20;

std::uint64_t word(std::uint64_t index, std::uint64_t field) {
  return random_word(8 * index + field);
}

template <class Field>
Field field(std::uint64_t index, std::uint64_t number) {
  return static_cast<Field>(word(index, number) >> 8);
}

template <class T>
T same(T x, T /*y*/, std::uint64_t /*i*/) {
  return x;
}

template <class T>
Operator of_fields(const Operator& op) {
  const bifold::Type type = bifold::type_of<T>();
  return Operator::fieldwise(type, std::vector<Operator>(type.structure()->fields.size(), op));
}

ThreeBytes three_bytes(std::uint64_t i) {
  return {field<std::uint8_t>(i, 0), field<std::uint8_t>(i, 1), field<std::uint8_t>(i, 2)};
}
ThreeBytes highest(ThreeBytes a, ThreeBytes b) {
  return {std::max(a.r, b.r), std::max(a.g, b.g), std::max(a.b, b.b)};
}

AffineMap affine_map(std::uint64_t i) {
  return {field<std::uint32_t>(i, 0) | 1U, field<std::uint32_t>(i, 1)};
}
AffineMap composed(AffineMap a, AffineMap b) {
  return {a.factor * b.factor, b.factor * a.shift + b.shift};
}
AffineMap added(AffineMap a, AffineMap b) { return {a.factor + b.factor, a.shift + b.shift}; }

ThreeWords three_words(std::uint64_t i) {
  return {field<std::int32_t>(i, 0), field<std::int32_t>(i, 1), field<std::int32_t>(i, 2)};
}
ThreeWords summed(ThreeWords a, ThreeWords b) {
  const auto sum = [](std::int32_t x, std::int32_t y) {
    return bifold::reference::combine(bifold::OperatorKind::plus, x, y);
  };
  return {sum(a.x, b.x), sum(a.y, b.y), sum(a.z, b.z)};
}

TwoWide two_wide(std::uint64_t i) { return {word(i, 0), word(i, 1)}; }
TwoWide totals(TwoWide a, TwoWide b) { return {a.low + b.low, a.high + b.high}; }

EightWide eight_wide(std::uint64_t i) {
  return {word(i, 0), word(i, 1), word(i, 2), word(i, 3),
          word(i, 4), word(i, 5), word(i, 6), word(i, 7)};
}
EightWide greatest(EightWide a, EightWide b) {
  return {std::max(a.a, b.a), std::max(a.b, b.b), std::max(a.c, b.c), std::max(a.d, b.d),
          std::max(a.e, b.e), std::max(a.f, b.f), std::max(a.g, b.g), std::max(a.h, b.h)};
}

}  // namespace

template <>
std::vector<Case<ThreeBytes>> check_cases() {
  return {{.name = "maximum of fields, 3 bytes",
           .op = of_fields<ThreeBytes>(bifold::maximum),
           .combine = &highest,
           .lift = &same<ThreeBytes>,
           .kinds = {ScanKind::exclusive},
           .samples = {{"random bytes", &three_bytes, {0, 1, 2}, true}},
           .far_bytes = far_bytes}};
}

template <>
std::vector<Case<AffineMap>> check_cases() {
  const std::vector<Sample<AffineMap>> samples{{"random words", &affine_map, {3, 7}, true}};
  const std::string_view text =
      "make_affine_map(a.factor * b.factor, b.factor * a.shift + b.shift)";
  return {{.name = "composition without identity, 8 bytes",
           .op = Operator::user("composed", std::string(text), bifold::type_of<AffineMap>()),
           .combine = &composed,
           .lift = &same<AffineMap>,
           .kinds = {ScanKind::inclusive},
           .samples = samples,
           .rows = CaseRows::order_v1,
           .far_bytes = far_bytes},
          {.name = "plus of fields, 8 bytes",
           .op = of_fields<AffineMap>(bifold::plus),
           .combine = &added,
           .lift = &same<AffineMap>,
           .kinds = {ScanKind::inclusive},
           .samples = samples,
           .rows = CaseRows::others,
           .far_bytes = far_bytes}};
}

template <>
std::vector<Case<ThreeWords>> check_cases() {
  return {{.name = "plus of fields, 12 bytes",
           .op = of_fields<ThreeWords>(bifold::plus),
           .combine = &summed,
           .lift = &same<ThreeWords>,
           .kinds = {ScanKind::exclusive},
           .samples = {{"random words", &three_words, {1, 2, 3}, true}},
           .far_bytes = far_bytes}};
}

template <>
std::vector<Case<TwoWide>> check_cases() {
  return {{.name = "plus of fields, 16 bytes",
           .op = of_fields<TwoWide>(bifold::plus),
           .combine = &totals,
           .lift = &same<TwoWide>,
           .kinds = {ScanKind::inclusive},
           .samples = {{"random words", &two_wide, {1, 2}, true}},
           .far_bytes = far_bytes}};
}

template <>
std::vector<Case<EightWide>> check_cases() {
  return {{.name = "maximum of fields, 64 bytes",
           .op = of_fields<EightWide>(bifold::maximum),
           .combine = &greatest,
           .lift = &same<EightWide>,
           .kinds = {ScanKind::inclusive},
           .samples = {{"random words", &eight_wide, {}, true}},
           .far_bytes = far_bytes}};
}

}  // namespace bench
