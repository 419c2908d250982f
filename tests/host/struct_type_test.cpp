// Definitions of structs that are made by hand: which ones are taken, and how long they live.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bifold/bifold.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/element/struct_types.hpp"
#include "support/errors.hpp"
#include "support/own_definition.hpp"

namespace bifold {

using test::failure_of;
using test::OwnDefinition;

namespace {

constexpr std::array two{StructField{"low", Type::i16, 0}, StructField{"high", Type::i32, 4}};

void refused(const StructType& definition, const std::string& words) {
  const test::Failure failure = failure_of([&] { static_cast<void>(Type(definition)); });
  INFO(failure.what);
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions(words));
}

template <class Fields>
void refused(const Fields& fields, std::size_t size, const std::string& words) {
  refused(StructType{"Pair", size, fields}, words);
}

}  // namespace

TEST_SUITE_BEGIN("type");

TEST_CASE("definitions that no struct has are refused") {
  for (const std::size_t size : {0UL, 7UL, 12UL, 4096UL}) refused(two, size, "its fields fill 8");
  refused(std::span<const StructField>(), 0, "1 to 8 fields");
  refused(std::vector<StructField>(9, {"x", Type::i8, 0}), 9, "1 to 8 fields");
  using Fields = std::vector<StructField>;
  refused(Fields{{"low", Type::i16, 0}, {"high", Type::i32, 2}}, 8, "C puts it at 4");
  refused(Fields{{"x", Type::i32, 0}, {"x", Type::i32, 4}}, 8, "two fields x");
  refused(Fields{{"x", Type::f16, 0}}, 2, "no field may be f16");
  refused(Fields{{"x; int y", Type::i32, 0}}, 4, "\"x; int y\" is no identifier");
  refused(Fields{{"", Type::i32, 0}}, 4, "is no identifier");
  for (const char* name : {"", "3d", "a b", "app::Pair"}) {
    refused(StructType{name, 8, two}, "struct name");
  }
  Fields wide;
  const std::array<std::string, 8> names{"a", "b", "c", "d", "e", "f", "g", "h"};
  for (const std::string& name : names) wide.push_back({name, Type::f64, wide.size() * 8});
  CHECK(size_of(Type(StructType{"Whole", 64, wide})) == max_element_bytes);
  const Type inner(StructType{"Pair", 8, two});
  refused(Fields{{"inner", inner, 0}}, 8, "no field may be Pair");
}

TEST_CASE("equal definitions are one type, whoever made them") {
  const Type one(StructType{"Pair", 8, two});
  const OwnDefinition other("Pair", {"low", "high"});
  CHECK(Type(other.type()).structure() != one.structure());  // Both of its fields are i32.
  const std::vector<StructField> same(two.begin(), two.end());
  CHECK(Type(StructType{"Pair", 8, same}).structure() == one.structure());
  CHECK(one == Type(StructType{"Pair", 8, same}));
  static constexpr StructType constant{"Pair", 8, two};
  constexpr Type in_program(constant);
  CHECK(in_program == one);
  CHECK(core::kept(in_program).structure() == one.structure());
}

TEST_CASE("threads that meet a definition at once agree on one copy") {
  std::array<const StructType*, 8> met{};
  std::vector<std::thread> threads;
  threads.reserve(met.size());
  for (const StructType*& found : met) {
    threads.emplace_back([&found] {
      for (int round = 0; round < 50; ++round) {
        const OwnDefinition own("Met_" + std::to_string(round), {"a", "b"});
        found = Type(own.type()).structure();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(std::count(met.begin(), met.end(), met.front()) == static_cast<std::ptrdiff_t>(met.size()));
}

TEST_CASE("types, values and operators outlive the definition that they were made of") {
  auto definition = std::make_unique<OwnDefinition>("Passing", std::array{"first", "second"});
  const Type type(definition->type());
  // A constant of a library that is unloaded refers to the definition itself.
  const Type constant = Type::of_kept(definition->type());
  const std::array<std::int32_t, 2> bytes{3, 4};
  const Value value = Value::from_bytes(type, bytes.data());
  const Operator sums = Operator::fieldwise(constant, {plus, plus});
  const Operator text =
      Operator::user("both", "make_Passing(a.first + b.first, a.second * b.second)",
                     Value::from_bytes(constant, bytes.data()));
  const Operator without = Operator::user("last", "b", constant);
  definition.reset();  // Overwritten, too.
  CHECK(name_of(type) == "Passing");
  CHECK(value.size() == 8);
  CHECK(type.structure()->fields[1].name == "second");
  const OwnDefinition again("Passing", {"first", "second"});
  const Type later(again.type());
  CHECK(later == type);
  for (const Operator& op : {sums, text, without}) CHECK(op.supports(later));
  CHECK(sums == Operator::fieldwise(later, {plus, plus}));
  CHECK(text.identity(later) == Value::from_bytes(later, bytes.data()));
  CHECK_FALSE(text == without);
}

TEST_CASE("a number stands for each definition") {
  const std::size_t number = core::number_of_struct({"Numbered", 8, two});
  CHECK(core::number_of_struct({"Numbered", 8, two}) == number);
  CHECK(core::struct_of_number(number) == Type(StructType{"Numbered", 8, two}));
  CHECK_FALSE(core::struct_of_number(number + 1'000'000).has_value());
}

TEST_SUITE_END();

}  // namespace bifold
