// Operators as values: names, identities, equality, and the lexical check of user text.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bifold/bifold.hpp>
#include <bifold/reference.hpp>
#include <complex>
#include <set>
#include <string>
#include <vector>

#include "core/kernel/kernel_source.hpp"
#include "support/errors.hpp"
#include "support/values/random.hpp"

namespace app {
struct Place {
  float x, y, z;
};
struct Mixed {
  float x;
  std::int32_t y;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Place, Place, x, y, z);
BIFOLD_STRUCT_NAMED(app::Mixed, Mixed, x, y);

namespace bifold {

using test::Failure;
using test::failure_of;

TEST_SUITE_BEGIN("operator");

TEST_CASE("the built-in operators stand in the order of their kinds, each with its name") {
  const auto& all = builtin_operators();
  REQUIRE(all.size() == 9);
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(static_cast<std::size_t>(all[i].kind()) == i);
    CHECK(names.insert(std::string(all[i].name())).second);
    CHECK(all[i].commutative());
    CHECK(all[i] == Operator(all[i].kind()));
    CHECK(all[i].id() == Operator(all[i].kind()).id());
  }
  CHECK(Operator(plus).name() == "plus");
  CHECK(Operator(logical_or).name() == "logical_or");
  CHECK(failure_of([] { (void)Operator(OperatorKind::user); }).category ==
        ErrorCategory::invalid_argument);
}

TEST_CASE("an identity is neutral on both sides, bit by bit") {
  test::Random random(7);
  for (const Operator& op : builtin_operators()) {
    for (const Type type : all_types) {
      if (!op.supports(type)) continue;
      const Value identity = op.identity(type);
      REQUIRE(identity.type() == type);
      visit_type(type, [&]<class T>(T) {
        const T neutral = identity.as<T>();
        const bool logical =
            op.kind() == OperatorKind::logical_and || op.kind() == OperatorKind::logical_or;
        for (int i = 0; i < 200; ++i) {
          T x = static_cast<T>(random.between(-128, 127));
          if (i < 2) x = i == 0 ? T{0} : static_cast<T>(-T{0});  // Both zeros of a float.
          if (logical) x = static_cast<T>(x != T{0});
          CHECK(Value(reference::combine(op.kind(), neutral, x)).bits() == Value(x).bits());
          CHECK(Value(reference::combine(op.kind(), x, neutral)).bits() == Value(x).bits());
        }
      });
    }
  }
}

TEST_CASE("of complex numbers sums and products are defined, and products have no identity") {
  for (const Type type : {Type::complex64, Type::complex128}) {
    for (const Operator& op : builtin_operators()) {
      const bool defined = op == Operator(plus) || op == Operator(multiplies);
      CHECK(op.supports(type) == defined);
      if (!defined) {
        CHECK(failure_of([&] { (void)op.of_nothing(type); }).mentions("is not defined on complex"));
      }
    }
    CHECK_FALSE(Operator(plus).exact(type));
    CHECK_FALSE(Operator(multiplies).exact(type));
    CHECK(failure_of([&] { (void)Operator(multiplies).identity(type); }).mentions("no identity"));
  }
  using Complex = std::complex<float>;
  const auto same = [](const Value& value, Complex wanted) { return value == Value(wanted); };
  CHECK(same(Operator(plus).identity(Type::complex64), {-0.0F, -0.0F}));
  CHECK(same(Operator(plus).of_nothing(Type::complex64), {0.0F, 0.0F}));
  CHECK(same(Operator(multiplies).of_nothing(Type::complex64), {1.0F, 0.0F}));
  CHECK(Operator(plus).expression(Type::complex128) == "make_complex128(a.re + b.re, a.im + b.im)");
  // Without an identity there is nothing of nothing, but in this one case.
  const Operator user = Operator::user("last", "b", Type::complex64);
  CHECK(failure_of([&] { (void)user.of_nothing(Type::complex64); }).mentions("no identity"));
}

TEST_CASE("bitwise operators are not defined on floating types, the others on every type") {
  for (const Operator& op : builtin_operators()) {
    const bool bitwise =
        op == Operator(bit_and) || op == Operator(bit_or) || op == Operator(bit_xor);
    for (const Type type : all_types) CHECK(op.supports(type) == !(bitwise && is_floating(type)));
  }
  using Plus = BuiltinOperator<OperatorKind::plus>;
  using BitAnd = BuiltinOperator<OperatorKind::bit_and>;
  static_assert(operator_on<Plus, float>);
  static_assert(!operator_on<BitAnd, float>);
  static_assert(operator_on<BitAnd, int>);
  static_assert(!operator_on<int, int>);
}

TEST_CASE("user operators compare by definition") {
  const auto make = [](const char* text, Commutativity order = Commutativity::non_commutative) {
    return Operator::user("twist", text, Value(std::int32_t{0}), order);
  };
  const Operator op = make("a + b + a * b");
  CHECK(op.kind() == OperatorKind::user);
  CHECK(op.name() == "twist");
  CHECK_FALSE(op.commutative());
  CHECK(op.supports(Type::i32));
  CHECK_FALSE(op.supports(Type::u32));
  CHECK_FALSE(op.supports(Type::f32));
  CHECK(op.identity(Type::i32).as<std::int32_t>() == 0);
  CHECK(op == make("a + b + a * b"));
  CHECK(op.id() == make("a + b + a * b").id());
  CHECK_FALSE(op == make("b + a + a * b"));
  CHECK(make("a + b", Commutativity::commutative).commutative());
  CHECK_FALSE(make("a + b") == make("a + b", Commutativity::commutative));
  CHECK_FALSE(op == Operator(plus));
}

TEST_CASE("bytes between the fields of an identity are no part of an operator") {
  const std::vector<StructField> fields{{"x", Type::f32, 0}, {"y", Type::f64, 8}};
  const Type type(StructType{"Padded", 16, fields});
  const auto make = [type](unsigned char between) {
    std::array<unsigned char, 16> bytes{};
    std::fill_n(bytes.begin() + 4, 4, between);
    return Operator::user("both", "make_Padded(a.x + b.x, a.y + b.y)",
                          Value::from_bytes(type, bytes.data()), Commutativity::commutative);
  };
  CHECK(make(0).id() == make(0xAB).id());
  CHECK(make(0) == make(0xAB));
}

TEST_CASE("text that is not one expression is refused with words") {
  const char* wrong[] = {
      "",         "   ", "(a + b",        "a + b)",        "a; b",      "a + b;",
      "#if 1\na", "a[b", "{ return a; }", "a + b /* open", "(a + b))(", "a\n#define a b\n+ b"};
  for (const char* text : wrong) {
    CAPTURE(std::string(text));
    const Failure failure =
        failure_of([&] { (void)Operator::user("wrong", text, Value(std::int32_t{0})); });
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions("wrong"));
  }
}

TEST_CASE("operands are values: assignments, comments and trigraphs are refused") {
  for (const char* text : {"a = b", "a += b", "a <<= b", "a++ + b", "a + b // later", "a ?\?( b",
                           "\"a\" + b", "a + b\\"}) {
    CAPTURE(std::string(text));
    CHECK(failure_of([&] {
            (void)Operator::user("wrong", text, Value(std::int32_t{0}));
          }).category == ErrorCategory::invalid_argument);
  }
  // Comparisons are expressions.
  for (const char* text : {"a == b ? a : b", "a <= b ? a : b", "a >= b ? a : b", "a != b"}) {
    CAPTURE(std::string(text));
    CHECK(Operator::user("right", text, Value(std::int32_t{0})).expression(Type::i32) != "");
  }
}

TEST_CASE("the name of an operator is an identifier") {
  for (const char* name : {"", "1st", "two words", "quo\"te", "line\nbreak"}) {
    CAPTURE(std::string(name));
    CHECK(failure_of([&] {
            (void)Operator::user(name, "a + b", Value(std::int32_t{0}));
          }).category == ErrorCategory::invalid_argument);
  }
}

TEST_CASE("one operator for all fields is found where fields have one type") {
  const Type place = type_of<app::Place>();
  for (const Operator& op :
       {Operator(plus), Operator(multiplies), Operator(minimum), Operator(maximum)}) {
    CHECK(core::field_operator(Operator::fieldwise(place, {op, op, op}), place) == op.kind());
  }
  CHECK_FALSE(core::field_operator(Operator::fieldwise(place, {plus, plus, minimum}), place));
  const Operator text =
      Operator::user("sums", "make_Place(a.x + b.x, a.y + b.y, a.z + b.z)", app::Place{0, 0, 0});
  CHECK_FALSE(core::field_operator(text, place));
  const Type mixed = type_of<app::Mixed>();
  CHECK_FALSE(core::field_operator(Operator::fieldwise(mixed, {plus, plus}), mixed));
  CHECK_FALSE(core::field_operator(plus, Type::f32));
}

TEST_SUITE_END();

}  // namespace bifold
