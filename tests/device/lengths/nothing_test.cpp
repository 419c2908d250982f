// What floating sums give of nothing, without an initial value: +0, while -0 is what changes none.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <initializer_list>
#include <limits>

#include "support/cases/rows.hpp"
#include "support/environment.hpp"

namespace app {
// Fields that are combined each by an operator of its own.
struct Ledger {
  float sum;
  std::int32_t count;
  float most;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Ledger, Ledger, sum, count, most);

namespace bifold {

using app::Ledger;

namespace {

/// More than a tile or a block of every scan, and not a whole number of them.
constexpr std::size_t many = 9'001;

template <class T>
const T zero = T(0.0F);
template <class T>
const T minus_zero = T(-0.0F);

template <class T>
bool same(T left, T right) {
  return Value(left).bits() == Value(right).bits();
}

template <class T>
Buffer<T> zeros(Queue& queue, std::size_t count) {
  const std::vector<T> values(count, minus_zero<T>);
  return queue.upload(std::span<const T>(values));
}

template <class T>
void check_reduction(Queue& queue) {
  INFO("of " << name_of(type_of<T>()));
  auto data = zeros<T>(queue, 3);
  CHECK(same(reduce(queue, data.view(1, 0), plus), zero<T>));
  CHECK(same(reduce(queue, data.view(1, 0), plus, minus_zero<T>), minus_zero<T>));
  CHECK(same(reduce(queue, data.view(1, 1), plus), minus_zero<T>));
  CHECK(same(reduce(queue, data, plus), minus_zero<T>));
}

/// Whether results between guards are `first` and then -0.
template <class T>
bool begins_with(const std::vector<T>& found, std::size_t begin, std::size_t n, T first, T guard) {
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool inside = i >= begin && i < begin + n;
    const T want = !inside ? guard : i == begin ? first : minus_zero<T>;
    if (!same(found[i], want)) return false;
  }
  return true;
}

template <class In, class Out>
void check_scan(Queue& queue, const gallery::Variant& row, std::optional<Type> accumulate = {}) {
  const Out guard(7.0F);
  auto data = zeros<In>(queue, many + 1);
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, many}) {
    for (const std::size_t offset : {0U, 1U}) {
      INFO("row " << row.name << " into " << name_of(type_of<Out>()) << ", n = " << n << ", offset "
                  << offset);
      const std::size_t begin = offset + 1;
      const std::vector<Out> around(n + begin + 2, guard);
      const ScanOptions options{.accumulate = accumulate, .variant = row.name};
      const auto scanned = [&](auto... init) {
        auto output = queue.upload(std::span<const Out>(around));
        exclusive_scan(queue, data.view(offset, n), output.view(begin, n), plus, init..., options);
        return queue.download(output);
      };
      CHECK(begins_with(scanned(), begin, n, zero<Out>, guard));
      CHECK(begins_with(scanned(minus_zero<Out>), begin, n, minus_zero<Out>, guard));
      if constexpr (std::is_same_v<In, Out>) {
        std::vector<Out> values = around;
        std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(begin), n, minus_zero<Out>);
        auto both = queue.upload(std::span<const Out>(values));
        exclusive_scan(queue, both.view(begin, n), both.view(begin, n), plus, options);
        CHECK(begins_with(queue.download(both), begin, n, zero<Out>, guard));
      }
    }
  }
}

template <class T>
void check_counted_reduction(Queue& queue, const gallery::Variant& row) {
  auto data = zeros<T>(queue, 3);
  auto result = queue.allocate<T>(1);
  for (const std::uint64_t counted : {0U, 1U, 3U}) {
    INFO("row " << row.name << " of " << name_of(type_of<T>()) << ", n = " << counted);
    auto count = queue.upload(std::span<const std::uint64_t>(&counted, 1));
    const ReduceOptions counting{.variant = row.name, .count_from = erase(count)};
    const T without = counted == 0 ? zero<T> : minus_zero<T>;
    reduce_into(queue, data, result, plus, counting);
    CHECK(same(queue.download(result)[0], without));
    reduce_into(queue, data, result, plus, minus_zero<T>, counting);
    CHECK(same(queue.download(result)[0], minus_zero<T>));
    // Of no memory there are no elements, whatever the count says.
    reduce_into(queue, data.view(1, 0), result, plus, counting);
    CHECK(same(queue.download(result)[0], zero<T>));
  }
}

/// With a total; n is in device memory or, where nothing is said of that, the host's.
void check_total(Queue& queue, const gallery::Variant& row, ScanKind kind, bool counts) {
  auto data = zeros<float>(queue, 3);
  auto total = queue.allocate<float>(1);
  for (const std::uint64_t n : {0U, 1U, 3U}) {
    INFO("row " << row.name << ", " << name_of(kind) << ", n = " << n << ", counts " << counts);
    auto count = queue.upload(std::span<const std::uint64_t>(&n, 1));
    ScanOptions options{.variant = row.name, .total = erase(total)};
    if (counts) options.count_from = erase(count);
    const std::size_t length = counts ? 3 : n;
    const auto scanned = [&](const std::optional<Value>& init) {
      const std::vector<float> guards(3, 7.0F);
      auto output = queue.upload(std::span<const float>(guards));
      scan(queue, kind, erase(data.view(0, length)), erase(output.view(0, length)), plus, init,
           options);
      return queue.download(output);
    };
    const bool exclusive = kind == ScanKind::exclusive;
    CHECK(begins_with(scanned({}), 0, n, exclusive ? 0.0F : -0.0F, 7.0F));
    CHECK(same(queue.download(total)[0], n == 0 ? 0.0F : -0.0F));
    CHECK(begins_with(scanned(Value(-0.0F)), 0, n, -0.0F, 7.0F));
    CHECK(same(queue.download(total)[0], -0.0F));
  }
}

/// Rows of one algorithm by these names that the device has.
std::vector<const gallery::Variant*> named(Algorithm algorithm,
                                           std::initializer_list<std::string_view> names) {
  std::vector<const gallery::Variant*> rows;
  for (const auto* row : test::rows_on_device(algorithm, Type::f32, plus)) {
    if (std::ranges::find(names, row->name) != names.end()) rows.push_back(row);
  }
  return rows;
}

}  // namespace

TEST_SUITE_BEGIN("floating");

TEST_CASE("an exclusive scan of floating sums begins with +0, on every row") {
  Queue queue(test::device());
  for (const auto* row : test::families_on_device(Algorithm::scan, Type::f32, plus)) {
    check_scan<float, float>(queue, *row);
  }
}

TEST_CASE("of nothing a floating sum is +0 where the device knows n") {
  Queue queue(test::device());
  // Each ends in another way.
  for (const auto* row : named(Algorithm::reduce, {"vector", "order_v1", "order_v1_single",
                                                   "order_v1_single_chunks", "ordered"})) {
    check_counted_reduction<float>(queue, *row);
  }
  check_counted_reduction<f16>(queue, *gallery::find(Algorithm::reduce, "production"));
}

TEST_CASE("of nothing the total of floating sums is +0") {
  Queue queue(test::device());
  for (const auto* row : named(
           Algorithm::scan, {"reduce_then_scan", "order_v1", "order_v1_ring", "order_v1_packs"})) {
    check_total(queue, *row, ScanKind::exclusive, true);
  }
  for (const auto* row : named(Algorithm::scan, {"chunks", "lookback_warp", "order_v1_passes"})) {
    check_total(queue, *row, ScanKind::inclusive, true);
  }
  const auto& production = *gallery::find(Algorithm::scan, "production");
  check_total(queue, production, ScanKind::exclusive, false);
}

TEST_CASE("an initial value of -0 in device memory stays what it is") {
  Queue queue(test::device());
  auto data = zeros<float>(queue, 3);
  auto output = queue.allocate<float>(3);
  auto start = zeros<float>(queue, 1);
  exclusive_scan(queue, data, output, plus, ScanOptions{.init_from = erase(start)});
  CHECK(begins_with(queue.download(output), 0, 3, -0.0F, 0.0F));
  reduce_into(queue, data.view(0, 0), output.view(0, 1), plus,
              ReduceOptions{.init_from = erase(start)});
  CHECK(same(queue.download(output)[0], -0.0F));
}

TEST_CASE("of nothing a floating sum is +0, of every type") {
  Queue queue(test::device());
  const auto& production = *gallery::find(Algorithm::scan, "production");
  const auto& order_v1 = *gallery::find(Algorithm::scan, "order_v1_passes");
  check_reduction<float>(queue);
  check_reduction<f16>(queue);
  check_reduction<bf16>(queue);
  check_scan<f16, f16>(queue, production);
  check_scan<bf16, bf16>(queue, production);
  check_scan<f16, float>(queue, order_v1);
  if (!test::device().supports(Type::f64)) return;
  check_reduction<double>(queue);
  check_scan<double, double>(queue, production);
  check_scan<float, double>(queue, order_v1);
  check_scan<f16, float>(queue, production, Type::f64);
}

TEST_CASE("of nothing a struct has +0 in fields that are floating sums") {
  Queue queue(test::device());
  const Operator op = Operator::fieldwise(type_of<Ledger>(), {plus, plus, maximum});
  const float least = -std::numeric_limits<float>::infinity();
  const auto is = [](const Ledger& found, float sum, std::int32_t count, float most) {
    return same(found.sum, sum) && found.count == count && found.most == most;
  };
  const std::vector<Ledger> host(many, Ledger{-0.0F, 1, 3.0F});
  auto data = queue.upload(std::span<const Ledger>(host));
  CHECK(is(reduce(queue, data.view(0, 0), op), 0.0F, 0, least));
  CHECK(is(reduce(queue, data.view(0, 2), op), -0.0F, 2, 3.0F));
  for (const auto* row : test::rows_in_turn(Algorithm::scan, type_of<Ledger>(), op, 0)) {
    INFO("row " << row->name);
    auto output = queue.allocate<Ledger>(many);
    exclusive_scan(queue, data, output, op, ScanOptions{.variant = row->name});
    const auto found = queue.download(output);
    CHECK(is(found[0], 0.0F, 0, least));
    CHECK(is(found[1], -0.0F, 1, 3.0F));
    CHECK(is(found[many - 1], -0.0F, many - 1, 3.0F));
  }
}

TEST_CASE("of nothing several sums, products and compensated sums are +0 without init") {
  Queue queue(test::device());
  auto data = zeros<float>(queue, 2);
  const std::vector<Reduction> three{{plus, Type::f32},
                                     {.op = plus, .accumulator = Type::f32, .init = Value(-0.0F)},
                                     {multiplies, Type::f32}};
  std::uint64_t none = 0;
  auto count = queue.upload(std::span<const std::uint64_t>(&none, 1));
  for (const bool counts : {false, true}) {
    ReduceOptions options;
    if (counts) options.count_from = erase(count);
    const auto empty = data.view(0, counts ? 2 : 0);
    const auto found = reduce_many(queue, erase(empty), three, options);
    CHECK(same(found[0].as<float>(), 0.0F));
    CHECK(same(found[1].as<float>(), -0.0F));
    CHECK(found[2].as<float>() == 1.0F);
    const auto product = [&](const std::optional<Value>& init) {
      return inner_product(queue, erase(empty), erase(empty), Type::f32, init, options).as<float>();
    };
    CHECK(same(product({}), 0.0F));
    CHECK(same(product(Value(-0.0F)), -0.0F));
    const auto sum = [&](const std::optional<Value>& init) {
      return sum_compensated(queue, erase(empty), Type::f32, init, options).as<float>();
    };
    CHECK(same(sum({}), 0.0F));
    CHECK(same(sum(Value(-0.0F)), -0.0F));
  }
  CHECK(same(reduce_many(queue, data, plus)[0], -0.0F));
  CHECK(same(sum_compensated(queue, erase(data), Type::f32, {}).as<float>(), -0.0F));
}

TEST_CASE("of nothing a user's operator gives its identity") {
  Queue queue(test::device());
  auto data = zeros<float>(queue, 2);
  auto output = queue.allocate<float>(2);
  const Operator sum = Operator::user("sum", "a + b", Value(-0.0F), Commutativity::commutative);
  CHECK(same(reduce(queue, data.view(0, 0), sum), -0.0F));
  exclusive_scan(queue, data, output, sum);
  CHECK(begins_with(queue.download(output), 0, 2, -0.0F, 0.0F));
}

TEST_SUITE_END();

}  // namespace bifold
