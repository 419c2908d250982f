// Selections through the real NVRTC: nothing is executed.
#include <doctest/doctest.h>

#include <bifold/gallery.hpp>
#include <bifold/selection/select.hpp>
#include <bifold/struct.hpp>
#include <cstdint>
#include <vector>

#include "support/environment.hpp"

namespace {

// As large as elements come.
struct Kept {
  std::uint64_t a, b, c, d, e, f, g, h;
};

// With padding, and not of a power of two.
struct Padded {
  std::int16_t key;
  float value;
  std::uint8_t mark;
};

}  // namespace
BIFOLD_STRUCT_NAMED(Kept, NvrtcKept, a, b, c, d, e, f, g, h);
BIFOLD_STRUCT_NAMED(Padded, NvrtcPadded, key, value, mark);

namespace bifold {

TEST_SUITE_BEGIN("nvrtc");

TEST_CASE("selections compile: of what, by what, and what is stored") {
  std::vector<SelectShape> shapes;
  for (const Type type : {Type::i8, Type::u16, Type::i32, Type::f64, Type::f16, Type::bf16}) {
    shapes.push_back({.input = type, .output = type, .predicate = "x > 3"});
  }
  shapes.push_back({.input = Type::f64, .output = Type::f16, .kept = Type::u32});
  shapes.push_back({.input = Type::bf16, .output = Type::f32, .flags = Type::u8});
  shapes.push_back({.input = Type::f32,
                    .output = Type::u64,
                    .predicate = "x != x && i > 7",
                    .selected = Selected::indices});
  shapes.push_back({.input = type_of<Kept>(), .output = type_of<Kept>(), .predicate = "x.c > x.d"});
  shapes.push_back({.input = type_of<Padded>(), .output = type_of<Padded>(), .flags = Type::f32});
  shapes.push_back({.on_device = {.count = Type::u32}});
  shapes.push_back({.input = Type::f32, .output = Type::f32, .first_of_runs = true});
  shapes.push_back({.predicate = "x > 3", .rejected = Rejected::in_order});
  shapes.push_back({.input = Type::u8,
                    .output = Type::u8,
                    .predicate = "x > 3",
                    .rejected = Rejected::reversed});
  shapes.push_back({.input = Type::i64,
                    .output = Type::i64,
                    .first_of_runs = true,
                    .values = Type::f64,
                    .stored_values = Type::f16});
  shapes.push_back({.input = type_of<Padded>(),
                    .output = type_of<Padded>(),
                    .predicate = "x.key == y.key",
                    .first_of_runs = true,
                    .values = type_of<Kept>()});
  for (const auto& row : gallery::variants()) {
    if (row.algorithm != Algorithm::select || row.requirements.backend == "opencl") continue;
    if (!gallery::supports(test::device(), row, Type::i32, plus)) continue;
    for (SelectShape& shape : shapes) {
      shape.variant = row.name;
      CAPTURE(row.name);
      CAPTURE(name_of(shape.input));
      // A ring holds elements that vectors or three words do, alone; one look-back has no place for
      // what lies behind all that is kept.
      const bool ring = row.name == "ring";
      const bool too_wide = ring && (size_of(shape.input) == sizeof(Kept) || shape.values);
      const bool too_early = row.name == "lookback" && shape.rejected == Rejected::in_order;
      if (too_wide || too_early) {
        CHECK_THROWS_AS((void)SelectPlan(test::device(), shape), Error);
      } else {
        CHECK_NOTHROW((void)SelectPlan(test::device(), shape));
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
