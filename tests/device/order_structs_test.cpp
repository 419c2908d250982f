// Order v1 of reductions of structs, wherever they lie: loaded as packs, field by field, or made by
// a map.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bifold/bifold.hpp>
#include <bifold/reference_v1.hpp>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/order_leaves.hpp"
#include "core/plan.hpp"
#include "support/affordable.hpp"
#include "support/environment.hpp"
#include "support/group_sizes.hpp"
#include "support/numbers.hpp"
#include "support/rows.hpp"
#include "support/workload.hpp"

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
  if (core::has_quick_leaves(test::device(),
                             {shape.input, type, type, ScanKind::inclusive, shape.op})) {
    plans.push_back(core::make_plan(test::device(), shape, tuning.set("quick_to_mib", 0)));
  }
  return plans;
}

template <class S, class Field>
void check_places() {
  const Type type = type_of<S>();
  if (!test::device().supports(type_of<Field>())) return;
  const std::vector<OperatorKind> kinds(Fields<S, Field>{}.size(), OperatorKind::plus);
  const Operator op = Operator::fieldwise(type, {kinds.begin(), kinds.end()});
  const std::size_t leaf = order_v1::leaf_elements(type);
  const std::size_t longest = test::simulated() ? leaf + 1 : 5 * leaf + 133;
  constexpr std::size_t offsets = 5;
  const std::vector<S> values = structs<S, Field>(longest + offsets);
  const S init = values.back();
  Queue queue(test::device());
  const Buffer<S> data = queue.upload(std::span<const S>(values));
  Buffer<S> result(test::device(), 1);
  int rows = 0;
  for (const auto* row : test::rows_on_device(Algorithm::reduce, type, op)) {
    if (row->order != gallery::Order::v1 || !row->requirements.commutative) continue;
    ++rows;
    for (const ReducePlan& plan : plans_of(*row, {type, type, op, row->name})) {
      for (std::size_t offset = 0; offset < offsets; ++offset) {
        for (const std::size_t n :
             {std::size_t{1}, std::size_t{131}, leaf - 1, leaf, leaf + 1, longest}) {
          plan.run(queue, erase(data.view(offset, n)), erase(result), Value(init));
          const S got = queue.download(result)[0];
          const S want = reference::v1::reduce(
              std::span<const S>(values).subspan(offset, n), init, [](const S& x) { return x; },
              sum_of<S, Field>);
          // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): the same bits are asked for.
          const bool same = std::memcmp(&got, &want, sizeof(S)) == 0;
          CHECK_MESSAGE(same, row->name, " of ", name_of(type), ", n ", n, ", offset ", offset);
        }
      }
    }
  }
  CHECK(rows > 0);
}

app::Mark mark_of(std::int16_t x) {
  return {static_cast<float>(x), static_cast<std::int8_t>(x % 100), static_cast<float>(x) / 3.0F};
}

app::Mark sum_of_marks(const app::Mark& l, const app::Mark& r) {
  return {l.sum + r.sum, static_cast<std::int8_t>(l.count + r.count), l.other + r.other};
}

void check_map_to_padding() {
  const Type type = type_of<app::Mark>();
  const std::vector<OperatorKind> kinds(3, OperatorKind::plus);
  const Operator op = Operator::fieldwise(type, {kinds.begin(), kinds.end()});
  const Map map("make_Mark((float)x, (char)(x % 100), (float)x / 3.0f)");
  const std::size_t leaf = order_v1::leaf_elements(type);
  const std::size_t longest = test::simulated() ? leaf + 1 : 5 * leaf + 133;
  constexpr std::size_t offsets = 9;
  const std::vector<std::int16_t> values = test::numbers<std::int16_t>(longest + offsets);
  const app::Mark init = mark_of(values.back());
  Queue queue(test::device());
  const auto data = queue.upload(std::span<const std::int16_t>(values));
  Buffer<app::Mark> result(test::device(), 1);
  int rows = 0;
  for (const auto* row : test::rows_on_device(Algorithm::reduce, type, op)) {
    if (row->order != gallery::Order::v1 || !row->requirements.commutative) continue;
    ++rows;
    ReduceShape shape{Type::i16, type, op, row->name};
    shape.map = map;
    for (const ReducePlan& plan : plans_of(*row, shape)) {
      for (std::size_t offset = 0; offset < offsets; ++offset) {
        for (const std::size_t n : {std::size_t{1}, std::size_t{131}, leaf - 1, leaf, longest}) {
          plan.run(queue, erase(data.view(offset, n)), erase(result), Value(init));
          const app::Mark got = queue.download(result)[0];
          const app::Mark want =
              reference::v1::reduce(std::span<const std::int16_t>(values).subspan(offset, n), init,
                                    mark_of, sum_of_marks);
          const bool same =
              got.sum == want.sum && got.count == want.count && got.other == want.other;
          CHECK_MESSAGE(same, row->name, ", n ", n, ", offset ", offset);
        }
      }
    }
  }
  CHECK(rows > 0);
}

}  // namespace

TEST_SUITE_BEGIN("order_structs");

TEST_CASE("pairs of floats") { check_places<app::Complex, float>(); }
TEST_CASE("three floats") { check_places<app::Vector, float>(); }
TEST_CASE("pairs of doubles") { check_places<app::Twice, double>(); }
TEST_CASE("three short integers") { check_places<app::Shorts, std::int16_t>(); }
TEST_CASE("five floats, too long for packs") { check_places<app::Five, float>(); }
TEST_CASE("short integers mapped to a struct with padding") { check_map_to_padding(); }

TEST_SUITE_END();

}  // namespace bifold
