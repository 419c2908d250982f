// Order v1 of reductions of structs, wherever they lie: loaded as packs, field by field, or made by
// a map.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bifold/bifold.hpp>
#include <bifold/reference/v1.hpp>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/call/reduce.hpp"
#include "core/sequences/order_leaves.hpp"
#include "support/cases/affordable.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/values/numbers.hpp"

namespace app {
// Packs of these are two units of 16 bytes, three of 16, two of 16 of which each is an element, and
// three of 8. The last is too long for packs.
struct Complex {
  float re, im;
};
struct Vector {
  float x, y, z;
};
struct Twice {
  double x, y;
};
struct Shorts {
  std::int16_t a, b, c;
};
struct Five {
  float a, b, c, d, e;
};
// With padding.
struct Mark {
  float sum;
  std::int8_t count;
  float other;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Complex, Complex, re, im);
BIFOLD_STRUCT_NAMED(app::Vector, Vector, x, y, z);
BIFOLD_STRUCT_NAMED(app::Twice, Twice, x, y);
BIFOLD_STRUCT_NAMED(app::Shorts, Shorts, a, b, c);
BIFOLD_STRUCT_NAMED(app::Five, Five, a, b, c, d, e);
BIFOLD_STRUCT_NAMED(app::Mark, Mark, sum, count, other);

namespace bifold {

namespace {

/// Elements that reductions begin at: more than a pack has.
constexpr std::size_t starts = 9;

/// A struct as its fields, of which each has type Field.
template <class S, class Field>
using Fields = std::array<Field, sizeof(S) / sizeof(Field)>;

template <class S, class Field>
S sum_of(const S& left, const S& right) {
  auto a = std::bit_cast<Fields<S, Field>>(left);
  const auto b = std::bit_cast<Fields<S, Field>>(right);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<Field>(a[i] + b[i]);
  return std::bit_cast<S>(a);
}

template <class S, class Field>
std::vector<S> structs(std::size_t count) {
  const auto numbers = test::numbers<double>(count * std::tuple_size_v<Fields<S, Field>>);
  std::vector<Field> fields(numbers.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i] = static_cast<Field>(std::fmod(numbers[i], 0x1p14));
  }
  std::vector<S> values(count);
  std::memcpy(values.data(), fields.data(), count * sizeof(S));
  return values;
}

/// The row's plans of a shape: with its own tuning, and that of longer inputs where short ones have
/// a kernel.
std::vector<ReducePlan> plans_of(const gallery::Variant& row, const ReduceShape& shape) {
  const Type type = shape.accumulator;
  core::Tuning tuning = test::default_tuning_of(test::workload_of(row, type, shape.op));
  std::vector<ReducePlan> plans;
  plans.push_back(core::make_plan(test::device(), shape, tuning));
  if (core::has_quick_leaves(
          {test::device(), {shape.input, type, type, ScanKind::inclusive, shape.op}})) {
    tuning.low_occupancy_max_mib = 0;
    plans.push_back(core::make_plan(test::device(), shape, tuning));
  }
  return plans;
}

/// Reductions of `values` to S, by sums of fields, from each of the first few elements on.
template <class S, class T, class Lift, class Sum, class Same>
void check_places(const std::vector<T>& values, const Map& map, Lift lift, Sum sum, Same same) {
  const Type type = type_of<S>();
  const std::vector<OperatorKind> kinds(type.structure()->fields.size(), OperatorKind::plus);
  const Operator op = Operator::fieldwise(type, {kinds.begin(), kinds.end()});
  const std::size_t leaf = order_v1::leaf_elements(type);
  const std::size_t longest = values.size() - starts;
  const S init = lift(values.back());
  Queue queue(test::device());
  const Buffer<T> data = queue.upload(std::span<const T>(values));
  Buffer<S> result(test::device(), 1);
  int rows = 0;
  for (const auto* row : test::rows_on_device(Algorithm::reduce, type, op)) {
    if (row->order != gallery::Order::v1 || !row->requirements.commutative) continue;
    ++rows;
    ReduceShape shape{type_of<T>(), type, op, row->name};
    shape.map = map;
    for (const ReducePlan& plan : plans_of(*row, shape)) {
      for (std::size_t offset = 0; offset < starts; ++offset) {
        for (const std::size_t n :
             {std::size_t{1}, std::size_t{131}, leaf - 1, leaf, leaf + 1, longest}) {
          plan.run(queue, erase(data.view(offset, n)), erase(result), Value(init));
          const S got = queue.download(result)[0];
          const S want =
              reference::v1::reduce(std::span<const T>(values).subspan(offset, n), init, lift, sum);
          CHECK_MESSAGE(same(got, want), row->name, " of ", name_of(type_of<T>()), " to ",
                        name_of(type), ", n ", n, ", offset ", offset);
        }
      }
    }
  }
  CHECK(rows > 0);
}

/// Elements to check reductions to S with.
template <class S>
std::size_t enough() {
  const std::size_t leaf = order_v1::leaf_elements(type_of<S>());
  return (test::simulated() ? leaf + 1 : 5 * leaf + 133) + starts;
}

template <class S, class Field>
void check_structs() {
  if (!test::device().supports(type_of<Field>())) return;
  check_places<S>(
      structs<S, Field>(enough<S>()), {}, [](const S& x) { return x; }, sum_of<S, Field>,
      // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the same bits are asked for.
      [](const S& a, const S& b) { return std::memcmp(&a, &b, sizeof(S)) == 0; });
}

void check_map_to_padding() {
  const auto mark_of = [](std::int16_t x) {
    return app::Mark{static_cast<float>(x), static_cast<std::int8_t>(x % 100),
                     static_cast<float>(x) * 0.3F};
  };
  const auto sum = [](const app::Mark& l, const app::Mark& r) {
    return app::Mark{l.sum + r.sum, static_cast<std::int8_t>(l.count + r.count), l.other + r.other};
  };
  const auto same = [](const app::Mark& a, const app::Mark& b) {
    return a.sum == b.sum && a.count == b.count && a.other == b.other;
  };
  check_places<app::Mark>(test::numbers<std::int16_t>(enough<app::Mark>()),
                          "make_Mark((f32)x, (i8)(x % 100), (f32)x * 0.3f)", mark_of, sum, same);
}

}  // namespace

TEST_SUITE_BEGIN("order_structs");

TEST_CASE("pairs of floats") { check_structs<app::Complex, float>(); }
TEST_CASE("three floats") { check_structs<app::Vector, float>(); }
TEST_CASE("pairs of doubles") { check_structs<app::Twice, double>(); }
TEST_CASE("three short integers") { check_structs<app::Shorts, std::int16_t>(); }
TEST_CASE("five floats, too long for packs") { check_structs<app::Five, float>(); }
TEST_CASE("short integers mapped to a struct with padding") { check_map_to_padding(); }

TEST_SUITE_END();

}  // namespace bifold
