// Several arrays that a map takes together: the bits are those of one array of structs.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <functional>

#include "support/cases/affordable.hpp"
#include "support/cases/rows.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/same_bits.hpp"

namespace app {
/// x -> slope * x + shift.
struct Turn {
  float slope;
  float shift;
};
/// What four arrays have at an index.
struct Four {
  float x;
  std::uint8_t y;
  double z;
  std::int16_t w;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Turn, ZippedStep, slope, shift);
BIFOLD_STRUCT_NAMED(app::Four, ZippedFour, x, y, z, w);

namespace bifold {

using test::failure_of;

namespace {

using app::Four;
using app::Turn;

Operator steps() {
  return Operator::user("steps", "make_ZippedStep(b.slope * a.slope, b.slope * a.shift + b.shift)",
                        Value(Turn{1, 0}));
}

Operator step_sums() {
  return Operator::fieldwise(type_of<Turn>(), std::vector<Operator>(2, Operator(plus)));
}

/// Maps of two to four arrays, and the same of structs of all.
struct Texts {
  const char* zipped;
  const char* together;
};
constexpr Texts texts[] = {
    {"make_ZippedStep(y < 100u ? -0.5f : 0.75f, x)",
     "make_ZippedStep(x.y < 100u ? -0.5f : 0.75f, x.x)"},
    {"make_ZippedStep((f32)z, y < 100u ? x : -x)",
     "make_ZippedStep((f32)x.z, x.y < 100u ? x.x : -x.x)"},
    {"make_ZippedStep((f32)z * 0.25f, (f32)w + (y < 100u ? x : 1.0f))",
     "make_ZippedStep((f32)x.z * 0.25f, (f32)x.w + (x.y < 100u ? x.x : 1.0f))"}};

/// Arrays of four types, each off another alignment.
class Arrays {
 public:
  Arrays(Queue& queue, std::size_t n) : n_(n) {
    std::vector<Four> all(n);
    std::vector<float> x(n + 1);
    std::vector<std::uint8_t> y(n + 3);
    std::vector<double> z(n + 1);
    std::vector<std::int16_t> w(n + 5);
    for (std::size_t i = 0; i < n; ++i) {
      all[i] = {static_cast<float>(i * 31 % 17) - 8.25F, static_cast<std::uint8_t>(i * 7),
                static_cast<double>(i * 13 % 11) / 8 - 0.5, static_cast<std::int16_t>(i % 7)};
      x[i + 1] = all[i].x;
      y[i + 3] = all[i].y;
      z[i + 1] = all[i].z;
      w[i + 5] = all[i].w;
    }
    together_ = queue.upload(std::span<const Four>(all));
    x_ = queue.upload(std::span<const float>(x));
    y_ = queue.upload(std::span<const std::uint8_t>(y));
    z_ = queue.upload(std::span<const double>(z));
    w_ = queue.upload(std::span<const std::int16_t>(w));
  }

  [[nodiscard]] ErasedView together() { return erase(together_); }
  [[nodiscard]] Zipped zipped(std::size_t count) {
    Zipped all{erase(x_.view(1, n_)), {erase(y_.view(3, n_))}};
    if (count > 2) all.more.push_back(erase(z_.view(1, n_)));
    if (count > 3) all.more.push_back(erase(w_.view(5, n_)));
    return all;
  }
  [[nodiscard]] View<float> x() { return x_.view(1, n_); }
  [[nodiscard]] View<double> z() { return z_.view(1, n_); }

 private:
  std::size_t n_;
  Buffer<Four> together_;
  Buffer<float> x_;
  Buffer<std::uint8_t> y_;
  Buffer<double> z_;
  Buffer<std::int16_t> w_;
};

bool same(const std::vector<Turn>& left, const std::vector<Turn>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Turn& a, const Turn& b) {
                      return test::same_bits(a.slope, b.slope) && test::same_bits(a.shift, b.shift);
                    });
}

std::string refusal(const std::function<void()>& call) {
  const test::Failure failure = failure_of(call);
  CHECK(failure.category == ErrorCategory::invalid_argument);
  return failure.what;
}

std::vector<std::size_t> lengths() {
  if (test::simulated()) return {1, 1000};
  return {1, 33, 1000, 4097, 70'001};
}

}  // namespace

TEST_SUITE_BEGIN("zip_lengths");

TEST_CASE("scans of two to four arrays") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  for (const std::size_t n : lengths()) {
    CAPTURE(n);
    Arrays arrays(queue, n);
    auto out = queue.allocate<Turn>(n);
    auto want = queue.allocate<Turn>(n);
    for (std::size_t count = 2; count <= 4; ++count) {
      CAPTURE(count);
      ScanOptions options;
      options.reverse = count == 3;
      transform_scan(queue, ScanKind::exclusive, arrays.zipped(count), erase(out), steps(),
                     Value(Turn{2, -3}), texts[count - 2].zipped, options);
      transform_scan(queue, ScanKind::exclusive, arrays.together(), erase(want), steps(),
                     Value(Turn{2, -3}), texts[count - 2].together, options);
      CHECK(same(queue.download(out), queue.download(want)));
    }
  }
}

TEST_CASE("reductions of two to four arrays, by either kind of operator") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  for (const std::size_t n : {std::size_t{1}, lengths().back()}) {
    CAPTURE(n);
    Arrays arrays(queue, n);
    for (std::size_t count = 2; count <= 4; ++count) {
      CAPTURE(count);
      for (const Operator& op : {step_sums(), steps()}) {
        const auto got = transform_reduce(queue, arrays.zipped(count), type_of<Turn>(), op,
                                          Value(Turn{2, -3}), texts[count - 2].zipped);
        const auto want = transform_reduce(queue, arrays.together(), type_of<Turn>(), op,
                                           Value(Turn{2, -3}), texts[count - 2].together);
        CHECK(same({got.as<Turn>()}, {want.as<Turn>()}));
      }
    }
  }
}

TEST_CASE("lines of several arrays, which lie otherwise than those of the first") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  for (const Lines& lines : {Lines::rows(5, 3), Lines::rows(3, 4097), Lines::columns(40, 37),
                             Lines::columns(1, 50), Lines::columns(4097, 3)}) {
    CAPTURE(lines.length);
    CAPTURE(lines.inner);
    const std::size_t n = lines.count() * lines.length;
    Arrays arrays(queue, n);
    auto out = queue.allocate<Turn>(n);
    auto want = queue.allocate<Turn>(n);
    auto results = queue.allocate<Turn>(lines.count());
    auto wanted = queue.allocate<Turn>(lines.count());
    // Kernels of three arrays differ from those of four in a list alone.
    for (const std::size_t count : {std::size_t{2}, std::size_t{4}}) {
      CAPTURE(count);
      ScanOptions options;
      options.lines = lines;
      transform_scan(queue, ScanKind::inclusive, arrays.zipped(count), erase(out), steps(), {},
                     texts[count - 2].zipped, options);
      transform_scan(queue, ScanKind::inclusive, arrays.together(), erase(want), steps(), {},
                     texts[count - 2].together, options);
      CHECK(same(queue.download(out), queue.download(want)));
      ReduceOptions reduction;
      reduction.lines = lines;
      transform_reduce_into(queue, arrays.zipped(count), erase(results), step_sums(), {},
                            texts[count - 2].zipped, reduction);
      transform_reduce_into(queue, arrays.together(), erase(wanted), step_sums(), {},
                            texts[count - 2].together, reduction);
      CHECK(same(queue.download(results), queue.download(wanted)));
    }
  }
  // Arrays beside the first one by columns, that one by rows.
  const Lines rows = Lines::rows(7, 41);
  const Lines columns = Lines::columns(41, 7);
  std::vector<std::int32_t> x(7 * 41);
  std::vector<std::int32_t> y(7 * 41);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int32_t>(i * 31 % 101);
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<std::int32_t>(i * 17 % 103);
  const auto first = queue.upload(std::span<const std::int32_t>(x));
  const auto second = queue.upload(std::span<const std::int32_t>(y));
  auto sums = queue.allocate<std::int32_t>(x.size());
  ScanOptions options;
  options.lines = rows;
  options.second_lines = columns;
  transform_scan(queue, ScanKind::inclusive, zip(first, second, second), erase(sums), plus, {},
                 "x * y + z", options);
  std::vector<std::int32_t> want(x.size());
  for (std::size_t line = 0; line < 7; ++line) {
    std::int32_t sum = 0;
    for (std::size_t k = 0; k < 41; ++k) {
      sum += x[line * 41 + k] * y[k * 7 + line] + y[k * 7 + line];
      want[line * 41 + k] = sum;
    }
  }
  CHECK(queue.download(sums) == want);
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("zip");

TEST_CASE("outputs may take the places of arrays of elements of their size") {
  if (!test::device().supports(Type::f64)) return;
  Queue queue(test::device());
  const std::size_t n = test::simulated() ? 5003 : 70'001;
  Arrays arrays(queue, n);
  auto shifts = queue.allocate<float>(n);
  auto slopes = queue.allocate<double>(n);
  const auto scanned = [&](const ErasedView& shift, const ErasedView& slope) {
    ScanOptions options;
    options.result_map = "s.shift";
    options.more_outputs = {{slope, "s.slope"}};
    transform_scan(queue, ScanKind::inclusive, arrays.zipped(4), shift, steps(), {},
                   texts[2].zipped, options);
  };
  scanned(erase(shifts), erase(slopes));
  scanned(erase(arrays.x()), erase(arrays.z()));
  CHECK(queue.download(arrays.x()) == queue.download(shifts));
  CHECK(queue.download(arrays.z()) == queue.download(slopes));
}

TEST_CASE("plans, an index, and typed calls") {
  Queue queue(test::device());
  const std::vector<std::int32_t> host{1, 2, 3, 4, 5};
  const auto x = queue.upload(std::span<const std::int32_t>(host));
  auto out = queue.allocate<std::int32_t>(5);
  const ScanPlan plan(test::device(), {.input = Type::i32,
                                       .output = Type::i32,
                                       .accumulator = Type::i32,
                                       .map = "x * y + z + (i32)i",
                                       .more_inputs = {Type::i32, Type::i32}});
  plan.run(queue, zip(x, x, x), erase(out), {});
  CHECK(queue.download(out) == std::vector<std::int32_t>{2, 9, 23, 46, 80});
  CHECK(refusal([&] {
          plan.run(queue, zip(x, x), erase(out), {});
        }).find("the plan takes three arrays") != std::string::npos);
  const ReducePlan sum(test::device(), {.input = Type::i32,
                                        .accumulator = Type::i32,
                                        .map = "x * y + z * w",
                                        .more_inputs = {Type::i32, Type::i32, Type::i32}});
  sum.run(queue, zip(x, x, x, x), erase(out.view(0, 1)), {});
  CHECK(queue.download(out).front() == 110);
  transform_inclusive_scan(queue, zip(x, x), out, plus, "x * y");
  CHECK(queue.download(out) == std::vector<std::int32_t>{1, 5, 14, 30, 55});
  transform_exclusive_scan(queue, zip(x, x), out, plus, 7, "x + y");
  CHECK(queue.download(out) == std::vector<std::int32_t>{7, 9, 13, 19, 27});
  CHECK(transform_reduce(queue, zip(x, x, x), plus, 0, "x * y * z") == 225);
}

TEST_CASE("arrays that do not fit are refused before anything is written") {
  Queue queue(test::device());
  auto room = queue.upload(std::span<const std::int32_t>(std::vector<std::int32_t>(40, 3)));
  auto out = queue.upload(std::span<const std::int32_t>(std::vector<std::int32_t>(10, 9)));
  const auto before = queue.download(out);
  const auto scanned = [&](const Zipped& all, const char* map) {
    return refusal(
        [&] { transform_scan(queue, ScanKind::inclusive, all, erase(out), plus, {}, map, {}); });
  };
  const auto part = [&](std::size_t from, std::size_t count) { return room.view(from, count); };
  CHECK(scanned(zip(part(0, 10), part(10, 9)), "x + y")
            .find("the second array has 9 elements, the first 10") != std::string::npos);
  CHECK(scanned(zip(part(0, 10), part(0, 10), part(20, 11)), "x + y + z")
            .find("the third array has 11 elements, the first 10") != std::string::npos);
  CHECK(scanned(zip(part(0, 10), part(0, 10)), "x + y + z").find("the map names z") !=
        std::string::npos);
  CHECK(scanned(zip(part(0, 10), part(0, 10)), "").find("expression") != std::string::npos);
  Zipped five = zip(part(0, 10), part(0, 10), part(0, 10), part(0, 10));
  five.more.push_back(five.x);
  CHECK(scanned(five, "x + y + z + w").find("at most 4 arrays") != std::string::npos);
  CHECK(refusal([&] {
          transform_scan(queue, ScanKind::inclusive, zip(part(0, 10), part(11, 10)),
                         erase(part(10, 10)), plus, {}, "x + y", {});
        }).find("array 2 and output overlap without being the same range") != std::string::npos);
  CHECK(refusal([&] {
          transform_reduce_into(queue, zip(part(0, 10), part(0, 10), part(10, 10)),
                                erase(part(12, 1)), plus, {}, "x + y + z", {});
        }).find("array 3 and output overlap") != std::string::npos);
  ScanOptions options;
  options.variant = "lookback_warp";
  CHECK(failure_of([&] {
          transform_scan(queue, ScanKind::inclusive, zip(part(0, 10), part(0, 10)), erase(out),
                         plus, {}, "x + y", options);
        }).category == ErrorCategory::unsupported);
  CHECK(queue.download(out) == before);
  transform_scan(queue, ScanKind::inclusive, zip(part(0, 10), part(0, 10)), erase(out), plus, {},
                 "x + y", {});
  CHECK(queue.download(out).back() == 60);
}

TEST_SUITE_END();

}  // namespace bifold
