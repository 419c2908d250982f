// Texts on a device: functions give what they are said to, and any name may be a struct's.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bifold/bifold.hpp>
#include <bifold/reference/functions.hpp>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/device/state.hpp"
#include "core/element/struct_types.hpp"
#include "support/cases/hard_names.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace app {
template <class T>
struct Eight {
  T a, b, c, d, e, f, g, h;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Eight<float>, EightF32, a, b, c, d, e, f, g, h);
BIFOLD_STRUCT_NAMED(app::Eight<double>, EightF64, a, b, c, d, e, f, g, h);
BIFOLD_STRUCT_NAMED(app::Eight<std::int32_t>, EightI32, a, b, c, d, e, f, g, h);
BIFOLD_STRUCT_NAMED(app::Eight<std::uint64_t>, EightU64, a, b, c, d, e, f, g, h);

namespace bifold {

namespace {

template <class T>
using Eight = app::Eight<T>;

/// One of a function's values: its text and what it is to be, within so many units in the last
/// place.
template <class In, class T>
struct Wanted {
  const char* text;
  T (*value)(In);
  int ulps = 0;
};

template <class T>
bool within(T got, T want, int ulps) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(want) || std::isnan(got)) return std::isnan(want) && std::isnan(got);
    if (got == want) return std::signbit(got) == std::signbit(want) || ulps > 0;
    const T next = std::nextafter(std::fabs(want), std::numeric_limits<T>::infinity());
    return std::fabs(got - want) <= static_cast<T>(ulps) * (next - std::fabs(want));
  } else {
    return got == want;
  }
}

/// Every element's eight values in one scan, whose operator hands on the later operand.
template <class In, class T>
void check_eight(const std::vector<In>& elements, const std::array<Wanted<In, T>, 8>& wanted) {
  Queue queue(test::device());
  const Type type = type_of<Eight<T>>();
  std::string map = "make_" + std::string(name_of(type)) + "(";
  for (const auto& one : wanted) map += (&one == wanted.data() ? "" : ", ") + std::string(one.text);
  const auto input = queue.upload(std::span<const In>(elements));
  auto output = queue.allocate<Eight<T>>(elements.size());
  transform_inclusive_scan(queue, input, output, Operator::user("last", "b", type), map + ")");
  const std::vector<Eight<T>> got = queue.download(output);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const Eight<T>& of = got[i];
    const std::array<T, 8> values{of.a, of.b, of.c, of.d, of.e, of.f, of.g, of.h};
    for (std::size_t k = 0; k < values.size(); ++k) {
      const T want = wanted[k].value(elements[i]);
      CHECK_MESSAGE(within(values[k], want, wanted[k].ulps), wanted[k].text, " of ", elements[i],
                    ": ", values[k], " instead of ", want);
    }
  }
}

template <class T>
std::vector<T> reals() {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  std::vector<T> all{0,       -T{0},    1,         -1,
                     T(0.5),  T(-0.5),  T(1.5),    T(2.5),
                     T(-2.5), infinity, -infinity, std::numeric_limits<T>::quiet_NaN(),
                     T(1e10), T(-1e-10)};
  for (int i = -30; i <= 30; ++i) all.push_back(static_cast<T>(i) * T(0.37));
  return all;
}

template <class T>
std::vector<T> positives() {
  std::vector<T> all;
  for (int i = 1; i <= 60; ++i) all.push_back(static_cast<T>(i * i) * T(0.013));
  return all;
}

/// IEEE 754-2019 minimumNumber and maximumNumber.
template <class T>
T least(T a, T b) {
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return std::fmin(a, b);
}
template <class T>
T greatest(T a, T b) {
  if (a == 0 && b == 0) return std::signbit(a) ? b : a;
  return std::fmax(a, b);
}

template <class T>
void check_exact_functions() {
  check_eight<T, T>(reals<T>(), {{{"floor(x)", [](T x) { return std::floor(x); }},
                                  {"ceil(x)", [](T x) { return std::ceil(x); }},
                                  {"trunc(x)", [](T x) { return std::trunc(x); }},
                                  {"rint(x)", [](T x) { return std::nearbyint(x); }},
                                  {"round(x)", [](T x) { return std::round(x); }},
                                  {"abs(x) + fabs(x)", [](T x) { return 2 * std::fabs(x); }},
                                  {"copysign(3, x)", [](T x) { return std::copysign(T{3}, x); }},
                                  {"fmod(x, 2)", [](T x) { return std::fmod(x, T{2}); }}}});
  check_eight<T, T>(
      reals<T>(),
      {{{"min(x, -x)", [](T x) { return least(x, -x); }},
        {"fmax(x, -x)", [](T x) { return greatest(x, -x); }},
        {"max(x, 1)", [](T x) { return greatest(x, T{1}); }},
        {"clamp(x, -1, 2)", [](T x) { return least(greatest(x, T{-1}), T{2}); }},
        {"fma(x, x, -1)", [](T x) { return std::fma(x, x, T{-1}); }},
        {"sqrt(abs(x))", [](T x) { return std::sqrt(std::fabs(x)); }},
        {"isnan(x) * 8 + isinf(x) * 4 + isfinite(x) * 2 + signbit(copysign(1, x))",
         [](T x) -> T {
           return T(8 * std::isnan(x) + 4 * std::isinf(x) + 2 * std::isfinite(x) + std::signbit(x));
         }},
        {"x ? minimum(x, 1) : 7", [](T x) -> T {
           return x == 0 ? T{7} : std::isnan(x) ? x : std::fmin(x, T{1});
         }}}});
}

// By the limits of OpenCL C, and one more of the host's.
template <class T>
void check_rounded_functions() {
  check_eight<T, T>(positives<T>(),
                    {{{"exp(-x)", [](T x) { return reference::exp(-x); }},
                      {"exp2(x)", [](T x) { return std::exp2(x); }, 4},
                      {"expm1(x)", [](T x) { return std::expm1(x); }, 4},
                      {"log(x)", [](T x) { return reference::log(x); }},
                      {"log2(x)", [](T x) { return std::log2(x); }, 4},
                      {"log10(x)", [](T x) { return std::log10(x); }, 4},
                      {"log1p(x)", [](T x) { return std::log1p(x); }, 3},
                      {"pow(x, 1.5f)", [](T x) { return std::pow(x, T(1.5)); }, 17}}});
  check_eight<T, T>(positives<T>(),
                    {{{"cbrt(x)", [](T x) { return std::cbrt(x); }, 3},
                      {"hypot(x, 3)", [](T x) { return std::hypot(x, T{3}); }, 5},
                      {"sin(x)", [](T x) { return std::sin(x); }, 5},
                      {"cos(x)", [](T x) { return std::cos(x); }, 5},
                      {"tan(x)", [](T x) { return std::tan(x); }, 6},
                      {"asin(1 / (1 + x))", [](T x) { return std::asin(1 / (1 + x)); }, 5},
                      {"acos(1 / (1 + x))", [](T x) { return std::acos(1 / (1 + x)); }, 5},
                      {"atan(x)", [](T x) { return std::atan(x); }, 6}}});
  check_eight<T, T>(positives<T>(), {{{"atan2(x, -2)", [](T x) { return std::atan2(x, T{-2}); }, 7},
                                      {"sinh(x)", [](T x) { return std::sinh(x); }, 5},
                                      {"cosh(x)", [](T x) { return std::cosh(x); }, 5},
                                      {"tanh(x)", [](T x) { return std::tanh(x); }, 6},
                                      {"x", [](T x) { return x; }},
                                      {"-x", [](T x) { return -x; }},
                                      {"+x", [](T x) { return x; }},
                                      {"!x", [](T x) { return T(x == 0); }}}});
}

/// Values of all magnitudes and both signs, zeros, infinities, NaN, and both sides of exp's limits.
template <class T>
std::vector<T> of_all_magnitudes() {
  std::vector<T> all = reals<T>();
  constexpr bool is_f32 = sizeof(T) == 4;
  for (const double limit : {88.7228, 89.0, 103.9, 104.0, 709.78, 710.0, 745.1, 746.0}) {
    all.insert(all.end(), {T(limit), T(-limit), T(limit / 2)});
  }
  T magnitude = std::numeric_limits<T>::denorm_min();
  for (int i = 0; i < 4000 && magnitude < std::numeric_limits<T>::max() / 2; ++i) {
    all.insert(all.end(), {magnitude, -magnitude});
    magnitude *= is_f32 ? T(1.0631) : T(1.4337);
    magnitude += std::numeric_limits<T>::denorm_min();
  }
  return all;
}

template <class T>
void check_own_functions() {
  check_eight<T, T>(of_all_magnitudes<T>(),
                    {{{"exp(x)", [](T x) { return reference::exp(x); }},
                      {"log(x)", [](T x) { return reference::log(x); }},
                      {"log(abs(x))", [](T x) { return reference::log(std::fabs(x)); }},
                      {"exp(x / 64)", [](T x) { return reference::exp(x / 64); }},
                      {"log(1 + x * x)", [](T x) { return reference::log(1 + x * x); }},
                      {"exp(-x * x)", [](T x) { return reference::exp(-x * x); }},
                      {"-exp(-x)", [](T x) { return -reference::exp(-x); }},
                      {"log(exp(x))", [](T x) { return reference::log(reference::exp(x)); }}}});
}

}  // namespace

TEST_SUITE_BEGIN("texts");

TEST_CASE("functions of integers give the same everywhere") {
  using I = std::int32_t;
  constexpr I lowest = std::numeric_limits<I>::min();
  const std::vector<I> numbers{0, 1, -1, 5, -7, 100, 0x12345678, lowest, ~lowest};
  check_eight<I, I>(
      numbers,
      {{{"abs(x)", [](I x) { return x < 0 ? static_cast<I>(0U - static_cast<unsigned>(x)) : x; }},
        {"min(x, 3)", [](I x) { return std::min(x, 3); }},
        {"max(x, -3)", [](I x) { return std::max(x, -3); }},
        {"clamp(x, -2, 4)", [](I x) { return std::clamp(x, -2, 4); }},
        {"popcount(x)", [](I x) { return std::popcount(static_cast<unsigned>(x)); }},
        {"clz(x)", [](I x) { return std::countl_zero(static_cast<unsigned>(x)); }},
        {"mul_hi(x, 0x10001)",
         [](I x) { return static_cast<I>((std::int64_t{x} * 0x10001) >> 32); }},
        {"rotate(x, 9)",
         [](I x) { return static_cast<I>(std::rotl(static_cast<unsigned>(x), 9)); }}}});
  using U = std::uint64_t;
  const std::vector<U> wide{0, 1, 77, ~U{0}, U{1} << 63, 0x123456789abcdef0};
  check_eight<U, U>(
      wide,
      {{{"abs(x)", [](U x) { return x; }},
        {"min(x, 3)", [](U x) { return std::min<U>(x, 3); }},
        {"max(x, 5000000000)", [](U x) { return std::max<U>(x, 5000000000); }},
        {"(i64)abs((i64)x)", [](U x) { return static_cast<std::int64_t>(x) < 0 ? U{0} - x : x; }},
        {"popcount(x)", [](U x) { return static_cast<U>(std::popcount(x)); }},
        {"clz(x)", [](U x) { return static_cast<U>(std::countl_zero(x)); }},
        {"mul_hi(x, x)",
         [](U x) -> U {
           const U low = x & 0xffffffff;
           const U high = x >> 32;
           const U mixed = high * low + (low * low >> 32);
           return high * high + (mixed >> 32) + (((mixed & 0xffffffff) + low * high) >> 32);
         }},
        {"rotate(x, 13)", [](U x) { return std::rotl(x, 13); }}}});
}

TEST_CASE("functions that IEEE 754 defines give its bits") {
  check_exact_functions<float>();
  if (test::device().supports(Type::f64)) check_exact_functions<double>();
}

TEST_CASE("exp and log have the bits that the host computes") {
  check_own_functions<float>();
  if (test::device().supports(Type::f64)) check_own_functions<double>();
}

TEST_CASE("functions whose rounding vendors choose keep to their limits") {
  check_rounded_functions<float>();
  if (test::device().supports(Type::f64)) check_rounded_functions<double>();
}

TEST_CASE("bits, numbers and conversions mean the same everywhere") {
  using I = std::int32_t;
  check_eight<float, I>(
      {0.0F, -0.0F, 1.5F, -3.75F, 12345.5F},
      {{{"bits_of(x)", [](float x) { return std::bit_cast<I>(x); }},
        {"bits_of(f32_of_bits(0x80000000 ^ bits_of(x)))",
         [](float x) { return std::bit_cast<I>(-x); }},
        {"x > 1 ? 0x7fffffff : -2147483647 - 1",
         [](float x) {
           return x > 1 ? std::numeric_limits<I>::max() : std::numeric_limits<I>::min();
         }},
        {"(u8)300 + (i8)200", [](float) { return 44 - 56; }},
        {"comes_before(x, 1.0f) + 2 * comes_behind(x, 1.0f)",
         [](float x) { return (x < 1) + 2 * (x > 1); }},
        {"bits_of(minimum(x, 1.0f))", [](float x) { return std::bit_cast<I>(std::fmin(x, 1.0F)); }},
        {"bits_of(rounding_of_sum(x, 1e-3f))",
         [](float x) {
           const double exact = static_cast<double>(x) + static_cast<double>(1e-3F);
           return std::bit_cast<I>(static_cast<float>(exact - static_cast<double>(x + 1e-3F)));
         }},
        {"1.5f > 1.25f && !(0xffffffff < 1) || false", [](float) { return 1; }}}});
}

TEST_CASE("a text computes with f64 where elements are f32, on devices that have it") {
  Queue queue(test::device());
  const std::vector<float> values{1e8F, 1, 2};
  const auto input = queue.upload(std::span<const float>(values));
  const auto sum = [&] { return transform_reduce(queue, input, maximum, 0.0F, "(x + 1.0) - x"); };
  if (test::device().supports(Type::f64)) {
    CHECK(sum() == 1);
  } else {
    CHECK(test::failure_of(sum).category == ErrorCategory::unsupported);
  }
}

TEST_CASE("two structs of one name do not meet in a text") {
  static constexpr StructField one[] = {{"x", Type::i32, 0}};
  static constexpr StructField other[] = {{"x", Type::f32, 0}};
  static constexpr StructType first{"Twin", 4, one};
  static constexpr StructType second{"Twin", 4, other};
  const auto failure = test::failure_of([&] {
    (void)ReducePlan(test::device(), {.input = Type(first),
                                      .accumulator = Type(second),
                                      .op = Operator::fieldwise(Type(second), {plus}),
                                      .map = "make_Twin(x.x)"});
  });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("two different structs are called Twin"));
}

TEST_CASE("any name may be a struct's or a field's") {
  Queue queue(test::device());
  const std::vector<float> values{3, -1, 4};
  const auto input = queue.upload(std::span<const float>(values));
  const std::vector<std::string> fields{"made", "half", "kernel", "global",
                                        "pipe", "NULL", "TILE",   "M_PI"};
  for (const std::string name : {"Element", "min", "KeptTile"}) {
    CAPTURE(name);
    std::vector<StructField> all;
    std::vector<Operator> operators;
    std::string map = "make_" + name + "(";
    for (const std::string& field : fields) {
      all.push_back({field, Type::f32, 4 * all.size()});
      operators.emplace_back(all.size() % 2 == 0 ? OperatorKind::minimum : OperatorKind::plus);
      map += all.size() == 1 ? "x" : ", x";
    }
    const Type type(StructType{name, 32, all});
    const Value got = transform_reduce(queue, erase(input), type,
                                       Operator::fieldwise(type, operators), {}, map + ")");
    for (std::size_t i = 0; i < fields.size(); ++i) {
      float field = 0;
      std::memcpy(&field, got.data() + 4 * i, 4);
      CHECK(field == (i % 2 == 0 ? 6 : -1));
    }
  }
}

TEST_CASE("some 350 names that mean something to compilers or kernels are structs in one text") {
  CHECK(test::hard_names().size() >= 300);
  CHECK_NOTHROW(
      (void)test::device().state()->backend->build(test::source_with_hard_names(test::device())));
}

TEST_SUITE_END();

}  // namespace bifold
