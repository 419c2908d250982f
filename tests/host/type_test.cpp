// Element types, their names and sizes, and values of run-time type.
#include <doctest/doctest.h>

#include <bifold/struct.hpp>
#include <bifold/type.hpp>
#include <bifold/value.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <set>
#include <string>

namespace bifold {

TEST_SUITE_BEGIN("type");

TEST_CASE("every type has its own name, and the name leads back to it") {
  std::set<std::string> names;
  for (const Type type : all_types) {
    const std::string name(name_of(type));
    CHECK(parse_type(name) == type);
    CHECK(names.insert(name).second);
    // The name spells kind and width: i8, u16, f64.
    CHECK(std::stoul(name.substr(1)) == size_of(type) * 8);
    CHECK((name[0] == 'f') == is_floating(type));
    CHECK((name[0] == 'u') != is_signed(type));
  }
  for (const char* wrong : {"", "i", "i128", "int", "F32", "f32 ", "u7"}) {
    CHECK_FALSE(parse_type(wrong).has_value());
  }
}

TEST_CASE("C++ types and tags lead to one another") {
  CHECK(type_of<std::int8_t>() == Type::i8);
  CHECK(type_of<std::uint16_t>() == Type::u16);
  CHECK(type_of<long>() == type_of<long long>());
  CHECK(type_of<unsigned long long>() == Type::u64);
  CHECK(type_of<float>() == Type::f32);
  CHECK(type_of<const double>() == Type::f64);
  for (const Type type : all_types) {
    const Type back = visit_type(type, []<class T>(T) { return type_of<T>(); });
    CHECK(back == type);
    CHECK(visit_type(type, [](auto zero) { return sizeof zero; }) == size_of(type));
  }
}

TEST_CASE("only numbers of one to eight bytes are elements") {
  static_assert(element<std::int8_t> && element<std::uint64_t> && element<double>);
  static_assert(!element<bool> && !element<long double> && !element<int*>);
  CHECK(true);
}

TEST_CASE("complex types are structs of two parts, apart from the built-in names") {
  CHECK(size_of(Type::complex64) == 8);
  CHECK(size_of(Type::complex128) == 16);
  CHECK(align_of(Type::complex128) == 8);
  CHECK(name_of(Type::complex64) == "complex64");
  CHECK(type_of<std::complex<double>>() == Type::complex128);
  CHECK(Type::complex64 != Type::complex128);
  CHECK_FALSE(parse_type("complex64").has_value());
  CHECK(is_complex(Type(StructType{"complex64", 8, Type::complex64.structure()->fields})));
  CHECK_FALSE(is_complex(Type(StructType{"Other", 8, Type::complex64.structure()->fields})));
  for (const Type type : all_types) CHECK_FALSE(is_complex(type));
}

TEST_CASE("a value keeps the bits it was made from") {
  CHECK(Value(std::int8_t{-1}).bits() == 0xff);
  CHECK(Value(std::uint64_t{1} << 63).bits() == std::uint64_t{1} << 63);
  CHECK(Value(-0.0f).bits() == 0x80000000u);
  CHECK(Value(std::int16_t{-300}).as<std::int16_t>() == -300);
  CHECK(Value(1.5).type() == Type::f64);
  CHECK(Value(1.5f).size() == 4);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(Value(nan).as<double>()));
  const std::uint32_t word = 0x7fc12345u;
  const Value value = Value::from_bytes(Type::f32, &word);
  CHECK(value.type() == Type::f32);
  CHECK(value.bits() == word);
}

TEST_SUITE_END();

}  // namespace bifold
