// Which initial values a type holds exactly.
#include "core/operators/initial_value.hpp"

#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/errors.hpp"

struct InitPair {
  std::int32_t first;
  std::int32_t second;
};
BIFOLD_STRUCT(InitPair, first, second);

namespace bifold {

namespace {

template <class To, class From>
void taken(From value, To as) {
  const Value got = core::initial_value(plus, Value(value), type_of<To>());
  CHECK(got == Value(as));
}

template <class From>
void refused(const Operator& op, From value, Type accumulator) {
  const auto failure =
      test::failure_of([&] { (void)core::initial_value(op, Value(value), accumulator); });
  INFO(name_of(type_of<From>()) << " to " << name_of(accumulator) << ": " << failure.what);
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions(std::string(name_of(type_of<From>()))));
  CHECK(failure.mentions(std::string(name_of(accumulator))));
}

constexpr std::int64_t two_to_53 = std::int64_t{1} << 53;

}  // namespace

TEST_SUITE_BEGIN("operator");

TEST_CASE("an initial value of another type is taken where the accumulator's holds it") {
  taken<std::int8_t>(127L, 127);
  taken<std::int8_t>(-128, -128);
  taken<std::uint64_t>(7, 7);
  taken<std::int64_t>(std::uint8_t{255}, 255);
  taken<float>(16'777'216, 16'777'216.0F);
  taken<float>(std::uint64_t{1} << 63, 0x1p63F);
  taken<float>(std::numeric_limits<std::int64_t>::min(), -0x1p63F);
  taken<double>(two_to_53, 0x1p53);
  taken<double>(-two_to_53, -0x1p53);
  taken<float>(0.25, 0.25F);
  taken<float>(-0.0, -0.0F);
  taken<float>(std::numeric_limits<double>::infinity(), std::numeric_limits<float>::infinity());
  taken<float>(0x1p-149, 0x1p-149F);
  taken<double>(0.1F, static_cast<double>(0.1F));
  taken<float>(f16(0.5F), 0.5F);
  taken<double>(bf16(-3.0F), -3.0);
  const Value nan = core::initial_value(plus, Value(std::nan("")), Type::f32);
  CHECK(std::isnan(nan.as<float>()));
}

TEST_CASE("it is refused where that type does not hold it exactly") {
  refused(plus, 1000L, Type::i8);
  refused(plus, 128, Type::i8);
  refused(plus, -1, Type::u64);
  refused(plus, std::uint64_t{1} << 63, Type::i64);
  refused(plus, 16'777'217, Type::f32);
  refused(plus, std::numeric_limits<std::uint64_t>::max(), Type::f64);
  refused(plus, std::numeric_limits<std::int64_t>::max(), Type::f64);
  refused(plus, two_to_53 + 1, Type::f64);
  refused(plus, 0.1, Type::f32);
  refused(plus, 1e300, Type::f32);
  refused(plus, 0x1p-150, Type::f32);
  // Floating values are no integers, whatever they are.
  refused(plus, 1.9, Type::i32);
  refused(plus, 1.0, Type::i32);
  refused(maximum, std::nanf(""), Type::i64);
  refused(Operator::user("sum", "a + b", Value(0)), f16(2.0F), Type::i32);
  refused(plus, InitPair{1, 2}, Type::i32);
  const auto failure = test::failure_of([] {
    (void)core::initial_value(logical_or, Value(InitPair{1, 2}), Type::i32);
  });
  CHECK(failure.category == ErrorCategory::invalid_argument);
}

TEST_CASE("a logical operator counts it as 0 or 1 first") {
  CHECK(core::initial_value(logical_or, Value(0.5), Type::i32) == Value(1));
  CHECK(core::initial_value(logical_and, Value(f16(0.0F)), Type::i8) == Value(std::int8_t{0}));
  CHECK(core::initial_value(logical_and, Value(std::nan("")), Type::u64) ==
        Value(std::uint64_t{1}));
  CHECK(core::initial_value(logical_or, Value(1000), Type::i8) == Value(std::int8_t{1}));
}

TEST_SUITE_END();

}  // namespace bifold
