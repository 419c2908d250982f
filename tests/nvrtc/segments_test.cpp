// Reductions of segments through the real NVRTC: nothing is executed.
#include <doctest/doctest.h>

#include <bifold/reduce.hpp>
#include <bifold/struct.hpp>
#include <cstdint>
#include <vector>

#include "support/environment.hpp"

namespace {

// As large as elements come.
struct Segment {
  std::uint64_t a, b, c, d, e, f, g, h;
};

}  // namespace
BIFOLD_STRUCT_NAMED(Segment, NvrtcSegment, a, b, c, d, e, f, g, h);

namespace bifold {

TEST_SUITE_BEGIN("nvrtc");

TEST_CASE("reductions of segments compile: by columns and in order, of all widths") {
  std::vector<ReduceShape> shapes;
  for (const Type type : {Type::i8, Type::u16, Type::i32, Type::f32, Type::i64, Type::f64}) {
    shapes.push_back({.input = type, .accumulator = type});
  }
  for (const Type type : {Type::f16, Type::bf16}) {
    shapes.push_back({.input = type, .accumulator = Type::f32, .result = type});
  }
  shapes.push_back({.op = Operator::user("later", "b != 0 ? b : a", Value(0))});
  shapes.push_back({.op = Operator::user("bound", "max(a, b)", Type::i32)});
  const Type wide = type_of<Segment>();
  const std::vector<Operator> each(8, plus);
  shapes.push_back({.input = wide, .accumulator = wide, .op = Operator::fieldwise(wide, each)});
  shapes.push_back({.input = Type::f32, .accumulator = Type::f32, .map = "x * y + i"});
  shapes.back().second = Type::i32;
  shapes.push_back({.on_device = {.count = Type::u32, .init = true, .lines = Type::u64}});
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    shapes[i].segments = {i % 2 == 0 ? Type::u32 : Type::u64, i % 3 == 0};
    CAPTURE(i);
    CHECK_NOTHROW((void)ReducePlan(test::device(), shapes[i]));
  }
}

TEST_CASE("reductions by key compile: of runs, and of how long these are") {
  ReduceShape shape{.input = Type::f32, .accumulator = Type::f32};
  shape.keys = KeyShape{Type::i64, Type::i64, Type::u64, {}};
  CHECK_NOTHROW((void)ReducePlan(test::device(), shape));
  shape.input = type_of<Segment>();
  shape.accumulator = Type::u32;
  shape.map = "1";
  shape.keys = KeyShape{type_of<Segment>(), type_of<Segment>(), Type::u32, "x.a == y.a"};
  CHECK_NOTHROW((void)ReducePlan(test::device(), shape));
}

TEST_SUITE_END();

}  // namespace bifold
