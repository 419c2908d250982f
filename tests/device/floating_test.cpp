// Floating-point values with rules of their own: NaN, infinities, both zeros, denormals.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bit>
#include <cmath>
#include <limits>

#include "support/cases/rows.hpp"
#include "support/environment.hpp"
#include "support/values/random.hpp"

namespace bifold {

namespace {

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T inf = std::numeric_limits<T>::infinity();

template <class T>
std::vector<T> noise(std::size_t count) {
  test::Random random(test::seed());
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random.real() * 100);
  return values;
}

template <class T>
bool same_bits(T left, T right) {
  return Value(left).bits() == Value(right).bits();
}

template <class T>
T reduced(Queue& queue, const std::vector<T>& values, const Operator& op, std::string_view row) {
  auto data = queue.upload(std::span<const T>(values));
  return reduce(queue, erase(data), op, op.identity(type_of<T>()), {.variant = row})
      .template as<T>();
}

template <class T>
std::vector<T> scanned(Queue& queue, const std::vector<T>& values, const Operator& op,
                       std::string_view row) {
  auto data = queue.upload(std::span<const T>(values));
  auto output = queue.allocate<T>(values.size());
  scan(queue, ScanKind::inclusive, erase(data), erase(output), op, {}, {.variant = row});
  return queue.download(output);
}

/// Whether every kernel is tried: on float, by one operator of those that come alike.
template <class T>
bool tries_all(const Operator& op) {
  return sizeof(T) == 4 && op != maximum && op != logical_and;
}

/// Every reduction kernel on float; on double one of each file.
template <class T>
std::vector<const gallery::Variant*> reductions(const Operator& op) {
  return tries_all<T>(op) ? test::families_on_device(Algorithm::reduce, type_of<T>(), op)
                          : test::files_on_device(Algorithm::reduce, type_of<T>(), op,
                                                  static_cast<std::size_t>(op.kind()));
}

/// Every scan family on float; on double the production row and another.
template <class T>
std::vector<const gallery::Variant*> scans(const Operator& op) {
  return tries_all<T>(op) ? test::families_on_device(Algorithm::scan, type_of<T>(), op)
                          : test::rows_in_turn(Algorithm::scan, type_of<T>(), op,
                                               static_cast<std::size_t>(op.kind()));
}

/// Positions where a value meets other paths of a kernel: ends, pack, group and tile borders.
const std::size_t positions[] = {0, 1, 3, 4, 31, 32, 255, 256, 1000, 4095, 4096, 9998, 9999};

/// Whether to test T here: the device has it.
template <class T>
bool present() {
  if (test::device().supports(type_of<T>())) return true;
  MESSAGE("the device has no ", std::string(name_of(type_of<T>())));
  return false;
}

}  // namespace

TEST_SUITE_BEGIN("floating");

TEST_CASE_TEMPLATE("NaN wins every extremum, wherever it stands", T, float, double) {
  if (!present<T>()) return;
  Queue queue(test::device());
  const Operator operators[] = {minimum, maximum};
  for (const Operator& op : operators) {
    for (const auto* row : reductions<T>(op)) {
      for (const std::size_t position : positions) {
        auto values = noise<T>(10'000);
        values[position] = nan<T>;
        INFO(row->name << ", NaN at " << position);
        CHECK(std::isnan(reduced(queue, values, op, row->name)));
      }
    }
    for (const auto* row : scans<T>(op)) {
      for (const std::size_t position : positions) {
        auto values = noise<T>(10'000);
        values[position] = nan<T>;
        const auto result = scanned(queue, values, op, row->name);
        std::size_t first = 0;
        while (first < result.size() && !std::isnan(result[first])) ++first;
        std::size_t after = first;
        while (after < result.size() && std::isnan(result[after])) ++after;
        INFO(row->name << ", NaN at " << position);
        CHECK(first == position);
        CHECK(after == result.size());
      }
    }
  }
}

TEST_CASE_TEMPLATE("-0 is less than +0", T, float, double) {
  if (!present<T>()) return;
  Queue queue(test::device());
  for (const bool odd_one_negative : {true, false}) {
    const Operator op = odd_one_negative ? Operator(minimum) : Operator(maximum);
    const T odd = odd_one_negative ? T{-0.0} : T{0.0};
    for (const auto* row : reductions<T>(op)) {
      for (const std::size_t position : positions) {
        std::vector<T> values(10'000, -odd);
        INFO(row->name << ", zero at " << position);
        CHECK(same_bits(reduced(queue, values, op, row->name), -odd));
        values[position] = odd;
        CHECK(same_bits(reduced(queue, values, op, row->name), odd));
      }
    }
    for (const auto* row : scans<T>(op)) {
      std::vector<T> values(10'000, -odd);
      values[4097] = odd;
      const auto result = scanned(queue, values, op, row->name);
      CHECK(same_bits(result[4096], -odd));
      CHECK(same_bits(result[4097], odd));
      CHECK(same_bits(result[9'999], odd));
    }
  }
}

TEST_CASE_TEMPLATE("infinities are ordinary extrema, and the identities give way to them", T, float,
                   double) {
  if (!present<T>()) return;
  Queue queue(test::device());
  for (const auto* row : reductions<T>(minimum)) {
    const std::vector<T> all_inf(1'001, inf<T>);
    CHECK(reduced(queue, all_inf, minimum, row->name) == inf<T>);
    CHECK(reduced(queue, std::vector<T>(1'001, -inf<T>), maximum, row->name) == -inf<T>);
    CHECK(reduced(queue, all_inf, plus, row->name) == inf<T>);
    auto values = noise<T>(1'001);
    values[17] = inf<T>;
    values[900] = -inf<T>;
    CHECK(reduced(queue, values, minimum, row->name) == -inf<T>);
    CHECK(std::isnan(reduced(queue, values, plus, row->name)));
  }
}

TEST_CASE_TEMPLATE("a sum of negative zeros keeps its sign", T, float, double) {
  if (!present<T>()) return;
  Queue queue(test::device());
  const std::vector<T> values(5'001, T{-0.0});
  auto data = queue.upload(std::span<const T>(values));
  for (const auto* row : reductions<T>(plus)) {
    INFO("row " << row->name);
    CHECK(same_bits(reduced(queue, values, plus, row->name), T{-0.0}));
    // Without an initial value, too; but of nothing comes +0.
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, values.size()}) {
      INFO("n = " << n);
      const T sum = reduce(queue, data.view(0, n), plus, {.variant = row->name});
      CHECK(same_bits(sum, n == 0 ? T{0} : T{-0.0}));
    }
  }
  for (const auto* row : scans<T>(plus)) {
    INFO("row " << row->name);
    const auto result = scanned(queue, values, plus, row->name);
    CHECK(std::all_of(result.begin(), result.end(),
                      [](T value) { return same_bits(value, T{-0.0}); }));
  }
}

TEST_CASE_TEMPLATE("denormals are kept where the device says so", T, float, double) {
  if (!present<T>()) return;
  const Capabilities& capabilities = test::device().capabilities();
  if (!(sizeof(T) == 4 ? capabilities.denormals_f32 : capabilities.denormals_f64)) {
    MESSAGE("the device flushes denormals");
    return;
  }
  Queue queue(test::device());
  const T tiny = std::numeric_limits<T>::denorm_min();
  const std::vector<T> values(1'000, tiny);
  for (const auto* row : reductions<T>(plus)) {
    CHECK(same_bits(reduced(queue, values, plus, row->name), tiny * T{1'000}));
    CHECK(same_bits(reduced(queue, values, maximum, row->name), tiny));
  }
  for (const auto* row : scans<T>(plus)) {
    CHECK(same_bits(scanned(queue, values, plus, row->name)[776], tiny * T{777}));
  }
}

TEST_CASE_TEMPLATE("logical operators: NaN is true, results are 0 or 1", T, float, double) {
  if (!present<T>()) return;
  Queue queue(test::device());
  for (const auto* row : reductions<T>(logical_or)) {
    INFO("row " << row->name);
    CHECK(reduced<T>(queue, {T{-7}}, logical_or, row->name) == T{1});
    CHECK(reduced<T>(queue, {static_cast<T>(0.25)}, logical_and, row->name) == T{1});
    CHECK(reduced<T>(queue, {T{-0.0}}, logical_or, row->name) == T{0});
    CHECK(reduced<T>(queue, {nan<T>}, logical_and, row->name) == T{1});
    std::vector<T> values(5'000, T{0});
    CHECK(reduced(queue, values, logical_or, row->name) == T{0});
    values[4'321] = nan<T>;
    CHECK(reduced(queue, values, logical_or, row->name) == T{1});
    values.assign(5'000, static_cast<T>(-2.5));
    CHECK(reduced(queue, values, logical_and, row->name) == T{1});
    values[1'234] = T{0};
    CHECK(reduced(queue, values, logical_and, row->name) == T{0});
  }
  for (const auto* row : scans<T>(logical_and)) {
    INFO("row " << row->name);
    CHECK(scanned<T>(queue, {T{9}}, logical_and, row->name)[0] == T{1});
    std::vector<T> values(5'000, nan<T>);
    values[3'000] = T{0};
    const auto result = scanned(queue, values, logical_and, row->name);
    CHECK(result[0] == T{1});
    CHECK(result[2'999] == T{1});
    CHECK(result[3'000] == T{0});
    CHECK(result[4'999] == T{0});
  }
}

TEST_CASE("logical initial values count as true or false") {
  Queue queue(test::device());
  auto data = queue.upload(std::span<const std::int32_t>(std::vector<std::int32_t>{3, 4}));
  CHECK(reduce(queue, data, logical_and, 42) == 1);
  CHECK(reduce(queue, data, logical_and, 0) == 0);
  CHECK(reduce(queue, data.view(0, 0), logical_or, -5) == 1);
  auto output = queue.allocate<std::int32_t>(2);
  exclusive_scan(queue, data, output, logical_and, 42);
  CHECK(queue.download(output) == std::vector<std::int32_t>{1, 1});
}

TEST_SUITE_END();

}  // namespace bifold
