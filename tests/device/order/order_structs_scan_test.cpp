// Order v1 of scans of structs, wherever input and output lie: as packs, by words, field by field.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bifold/bifold.hpp>
#include <bifold/reference/v1.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/call/scan.hpp"
#include "core/tuning/tuning_space.hpp"
#include "support/cases/affordable.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/values/numbers.hpp"

namespace app {
// Runs of the first two are packs of 16 bytes. The next have three words, the last one with
// padding.
struct Point {
  float x, y;
};
struct Counts {
  std::uint16_t a, b;
};
struct Sums {
  float a, b, c;
};
struct Marked {
  float sum;
  std::int8_t count;
  float other;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Point, Point, x, y);
BIFOLD_STRUCT_NAMED(app::Counts, Counts, a, b);
BIFOLD_STRUCT_NAMED(app::Sums, Sums, a, b, c);
BIFOLD_STRUCT_NAMED(app::Marked, Marked, sum, count, other);

// What of them a test finds by its arguments.
namespace app {

inline Point made(const Point&, float x, float y) { return {x, y}; }
inline Counts made(const Counts&, float x, float y) {
  const auto cut = [](float v) { return static_cast<std::uint16_t>(std::fabs(v)); };
  return {cut(x), cut(y)};
}
inline Sums made(const Sums&, float x, float y) { return {x, y, x - y}; }
inline Marked made(const Marked&, float x, float y) {
  return {x, static_cast<std::int8_t>(std::fmod(y, 100.0F)), y};
}

inline Point sum(const Point& l, const Point& r) { return {l.x + r.x, l.y + r.y}; }
inline Counts sum(const Counts& l, const Counts& r) {
  const auto added = [](int a, int b) { return static_cast<std::uint16_t>(a + b); };
  return {added(l.a, r.a), added(l.b, r.b)};
}
inline Sums sum(const Sums& l, const Sums& r) { return {l.a + r.a, l.b + r.b, l.c + r.c}; }
inline Marked sum(const Marked& l, const Marked& r) {
  return {l.sum + r.sum, static_cast<std::int8_t>(l.count + r.count), l.other + r.other};
}

inline auto fields(const Point& s) { return std::pair(s.x, s.y); }
inline auto fields(const Counts& s) { return std::pair(s.a, s.b); }
inline auto fields(const Sums& s) { return std::array{s.a, s.b, s.c}; }
inline auto fields(const Marked& s) {
  return std::array{s.sum, static_cast<float>(s.count), s.other};
}

}  // namespace app

namespace bifold {

namespace {

/// Where a scan reads and writes: elements from the beginnings of two buffers.
struct Places {
  std::size_t input;
  std::size_t output;
};

constexpr std::array places{Places{0, 0}, Places{1, 0}, Places{0, 1}, Places{3, 2}, Places{21, 22}};
constexpr std::size_t around = 24;

template <class S>
std::vector<S> elements(std::size_t count) {
  const auto numbers = test::numbers<double>(2 * count);
  std::vector<S> values;
  for (std::size_t i = 0; i < count; ++i) {
    const auto field = [&](std::size_t k) {
      return static_cast<float>(std::fmod(numbers[2 * i + k], 0x1p14));
    };
    values.push_back(made(S{}, field(0), field(1)));
  }
  return values;
}

/// The output is what it should be from `begin` on, and what `before` says around it.
template <class S>
bool is_scan(const std::vector<S>& got, std::size_t begin, const std::vector<S>& want,
             const std::vector<S>& before) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const bool inside = i >= begin && i < begin + want.size();
    if (fields(got[i]) != fields(inside ? want[i - begin] : before[i])) return false;
  }
  return true;
}

template <class S>
void check_scans() {
  const Type type = type_of<S>();
  const std::vector<OperatorKind> kinds(type.structure()->fields.size(), OperatorKind::plus);
  const Operator op = Operator::fieldwise(type, {kinds.begin(), kinds.end()});
  const std::size_t tile = order_v1::scan_tile(sizeof(S));
  const std::size_t longest = test::simulated() ? 300 : 2 * tile + 133;
  const std::vector<S> values = elements<S>(longest + around);
  const S init = values.back();
  Queue queue(test::device());
  const Buffer<S> input = queue.upload(std::span<const S>(values));
  int rows = 0;
  for (const auto* row : test::rows_on_device(Algorithm::scan, type, op)) {
    if (row->order != gallery::Order::v1) continue;
    ++rows;
    ScanOptions options;
    options.variant = row->name;
    for (const std::size_t n : {std::size_t{1}, std::size_t{259}, longest}) {
      if (n > longest) continue;
      for (const auto& [from, to] : places) {
        INFO(row->name << " of " << name_of(type) << ", n " << n << ", from " << from << " to "
                       << to);
        const auto part = std::span<const S>(values).subspan(from, n);
        std::vector<S> want(n);
        const auto expect = [&](ScanKind kind) {
          reference::v1::scan(
              kind, part, std::span(want), init, [](const S& x) { return x; },
              [](const S& a, const S& b) { return sum(a, b); });
        };
        Buffer<S> output = queue.upload(std::span<const S>(values));
        expect(ScanKind::exclusive);
        exclusive_scan(queue, input.view(from, n), output.view(to, n), op, init, options);
        CHECK(is_scan(queue.download(output), to, want, values));
        expect(ScanKind::inclusive);
        inclusive_scan(queue, input.view(from, n), output.view(to, n), op, init, options);
        CHECK(is_scan(queue.download(output), to, want, values));
        if (!test::device().capabilities().acquire_release && row->requirements.published_words) {
          continue;  // In place is refused there.
        }
        output = queue.upload(std::span<const S>(values));
        inclusive_scan(queue, output.view(from, n), output.view(from, n), op, init, options);
        CHECK(is_scan(queue.download(output), from, want, values));
      }
    }
  }
  CHECK(rows > 0);
}

/// With results that go past the caches, which takes an output at a 16-byte boundary.
template <class S>
void check_past_caches() {
  const Type type = type_of<S>();
  const std::vector<OperatorKind> kinds(type.structure()->fields.size(), OperatorKind::plus);
  const Operator op = Operator::fieldwise(type, {kinds.begin(), kinds.end()});
  const std::size_t tile = order_v1::scan_tile(sizeof(S));
  const std::vector<S> values = elements<S>(test::simulated() ? 300 : 2 * tile + 133);
  Queue queue(test::device());
  const Buffer<S> input = queue.upload(std::span<const S>(values));
  int rows = 0;
  for (const auto* row : test::rows_on_device(Algorithm::scan, type, op)) {
    const core::Tuning own = test::default_tuning_of(test::workload_of(*row, type, op));
    if (row->order != gallery::Order::v1 || !own.past_caches_from_kib) {
      continue;
    }
    ++rows;
    for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
      const ScanShape shape{type, type, type, kind, op, row->name};
      core::Tuning past = own;
      past.past_caches_from_kib = 0;
      const ScanPlan plan = core::make_plan(test::device(), shape, past);
      std::vector<S> want(values.size());
      reference::v1::scan(
          kind, std::span<const S>(values), std::span(want), values.back(),
          [](const S& x) { return x; }, [](const S& a, const S& b) { return sum(a, b); });
      Buffer<S> output = queue.upload(std::span<const S>(values));
      plan.run(queue, erase(input), erase(output), Value(values.back()));
      CHECK_MESSAGE(is_scan(queue.download(output), 0, want, values), row->name, " of ",
                    name_of(type));
    }
  }
  if (test::device().info().kind == DeviceKind::cpu) CHECK(rows > 0);
}

/// Operators other than sums: products of factors that leave the exponent near where it was, and
/// extrema.
void check_operators() {
  const Type type = type_of<app::Sums>();
  const auto numbers = test::numbers<std::int16_t>(std::size_t{3} * 4229);
  std::vector<app::Sums> values;
  for (std::size_t i = 0; i + 2 < numbers.size(); i += 3) {
    const auto field = [&](std::size_t k) {
      const int x = std::abs(int{numbers[i + k]});
      const float part = 1.0F + static_cast<float>(x / 2 % 8) / 1024.0F;
      return x % 2 == 0 ? part * 2.0F : part * 0.5F;
    };
    values.push_back({field(0), -field(1), field(2)});
  }
  if (test::simulated()) values.resize(300);
  Queue queue(test::device());
  const Buffer<app::Sums> input = queue.upload(std::span<const app::Sums>(values));
  const auto check = [&](const Operator& each, float (*combine)(float, float), float neutral) {
    const Operator op = Operator::fieldwise(type, {each, each, each});
    const auto both = [combine](const app::Sums& l, const app::Sums& r) {
      return app::Sums{combine(l.a, r.a), combine(l.b, r.b), combine(l.c, r.c)};
    };
    const auto same = [](const app::Sums& x) { return x; };
    const app::Sums init{neutral, neutral, neutral};
    const app::Sums total =
        reference::v1::reduce(std::span<const app::Sums>(values), init, same, both);
    CHECK(fields(reduce(queue, input, op, init)) == fields(total));
    std::vector<app::Sums> want(values.size());
    reference::v1::scan(ScanKind::inclusive, std::span<const app::Sums>(values), std::span(want),
                        init, same, both);
    Buffer<app::Sums> output = queue.upload(std::span<const app::Sums>(values));
    inclusive_scan(queue, input, output, op, init);
    CHECK(is_scan(queue.download(output), 0, want, values));
  };
  check(
      multiplies, [](float a, float b) { return a * b; }, 1.0F);
  check(
      minimum, [](float a, float b) { return std::min(a, b); }, 100.0F);
  check(
      maximum, [](float a, float b) { return std::max(a, b); }, -100.0F);
}

}  // namespace

TEST_SUITE_BEGIN("order_structs");

TEST_CASE("scans of two floats") { check_scans<app::Point>(); }
TEST_CASE("scans of two short integers") { check_scans<app::Counts>(); }
TEST_CASE("scans of three floats") { check_scans<app::Sums>(); }
TEST_CASE("scans of three words with padding") { check_scans<app::Marked>(); }
TEST_CASE("scans of structs whose results go past the caches") {
  check_past_caches<app::Point>();
  check_past_caches<app::Counts>();
  check_past_caches<app::Sums>();
  check_past_caches<app::Marked>();
}
TEST_CASE("products and extrema of all fields") { check_operators(); }

TEST_SUITE_END();

}  // namespace bifold
