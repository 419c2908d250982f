// Order v1 of reductions: the bits of reference::v1, whatever the launch shape.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/reference/v1.hpp>
#include <cmath>
#include <limits>

#include "core/call/reduce.hpp"
#include "core/tuning/parameters.hpp"
#include "support/cases/affordable.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/values/numbers.hpp"
#include "support/values/random.hpp"
#include "support/values/same_bits.hpp"

namespace bifold {

namespace {

using Rows = std::vector<const gallery::Variant*>;

/// The rows of operators that commute.
Rows order_rows(Type type) {
  Rows rows;
  for (const auto* row : test::rows_on_device(Algorithm::reduce, type, plus)) {
    const bool commutes = row->order == gallery::Order::v1 && row->requirements.commutative;
    if (commutes) rows.push_back(row);
  }
  REQUIRE(!rows.empty());
  return rows;
}

/// Factors whose product stays finite and never becomes zero.
template <class T>
std::vector<T> factors(std::size_t count) {
  test::Random random(test::seed());
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = i % 2 == 0 ? static_cast<T>(1 + random.real() / 10) : T{1} / values[i - 1];
  }
  return values;
}

template <class T, class Combine>
T expected(std::span<const T> input, T init, Combine combine) {
  return reference::v1::reduce(
      input, init, [](T x) { return x; }, combine);
}

/// Input on the device, behind which and before which elements lie that must not count.
template <class T>
struct Bench {
  explicit Bench(std::vector<T> values) : host(std::move(values)) {
    data = queue.upload(std::span<const T>(host));
    result = queue.template allocate<T>(1);
  }

  T run(const ReducePlan& plan, std::size_t offset, std::size_t n, T init) {
    plan.run(queue, erase(std::as_const(data).view(offset, n)), erase(result), Value(init));
    return queue.download(result)[0];
  }
  [[nodiscard]] std::span<const T> part(std::size_t offset, std::size_t n) const {
    return std::span<const T>(host).subspan(offset, n);
  }

  Queue queue{test::device()};
  std::vector<T> host;
  Buffer<T> data;
  Buffer<T> result;
};

/// The row's plan; of `forced` it takes the values that it has.
ReducePlan plan_of(const gallery::Variant& row, Type type, const Operator& op = plus,
                   const core::Tuning& forced = {}, const core::TestHooks& hooks = {}) {
  core::Tuning tuning = test::default_tuning_of(test::workload_of(row, type, op));
  for (const core::Parameter& parameter : core::parameters()) {
    const auto& value = forced.*parameter.member;
    if (tuning.*parameter.member && value) tuning.*parameter.member = value;
  }
  return core::make_plan(test::device(), {type, type, op, row.name}, tuning, hooks);
}

// Short inputs may have a kernel of their own, which would run instead of the one under test.
const core::Tuning without_quick{.low_occupancy_max_mib = 0};

template <class T>
void check_lengths(const std::vector<std::size_t>& all, const core::Tuning& forced = {},
                   const core::TestHooks& hooks = {}) {
  if (!test::device().supports(type_of<T>())) return;
  const std::vector<std::size_t> lengths = test::affordable(all);
  REQUIRE(!lengths.empty());
  const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
  Bench<T> bench(test::numbers<T>(longest + 32, 40));
  for (const auto* row : order_rows(type_of<T>())) {
    const ReducePlan plan = plan_of(*row, type_of<T>(), plus, forced, hooks);
    for (const std::size_t n : lengths) {
      const std::size_t offset = n % 17;
      const T init = n % 3 == 0 ? T{0.125} : T{-0.0};
      const T sum = expected(bench.part(offset, n), init, std::plus<T>());
      const T got = bench.run(plan, offset, n, init);
      CHECK_MESSAGE(test::same_bits(got, sum), row->name, ", n ", n, ": ", got, " not ", sum);
    }
  }
}

/// Around every border of the formula: columns, rows, leaves and subtrees of them.
std::vector<std::size_t> borders(Type type) {
  const std::size_t leaf = order_v1::leaf_elements(type);
  std::vector<std::size_t> lengths;
  for (const std::size_t leaves :
       {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u, 64u, 127u, 300u}) {
    for (const std::size_t n : {leaves * leaf - 1, leaves * leaf, leaves * leaf + 1}) {
      lengths.push_back(n);
    }
    lengths.push_back(leaves * leaf + leaf / 3);
  }
  return lengths;
}

}  // namespace

TEST_SUITE_BEGIN("order_reduce");

TEST_CASE("every short length has the bits of order v1") {
  std::vector<std::size_t> lengths(4201);
  for (std::size_t n = 0; n < lengths.size(); ++n) lengths[n] = n;
  check_lengths<float>(lengths);
  for (std::size_t n = 0; n < lengths.size(); n += 2) lengths[n] = n;
  check_lengths<double>(lengths);
}

TEST_CASE("the borders of leaves and subtrees") {
  check_lengths<float>(borders(Type::f32));
  check_lengths<double>(borders(Type::f64));
}

TEST_CASE("the borders by the kernels of longer inputs") {
  check_lengths<float>(borders(Type::f32), without_quick);
  check_lengths<double>(borders(Type::f64), without_quick);
  core::Tuning large{.low_occupancy_max_mib = 0, .large_from_mib = 0};
  check_lengths<float>(borders(Type::f32), large);
  large.half_kept_to_mib = 0;
  check_lengths<double>(borders(Type::f64), large);
}

TEST_CASE("long inputs, and more subtrees than the last group takes at a time") {
  if (test::too_long_here()) return;
  check_lengths<float>({(std::size_t{1} << 24) + 1, 20'000'003});
  check_lengths<float>({(std::size_t{1} << 21) + 12345}, {.group_size = 32});
}

TEST_CASE("no tuning changes a bit") {
  const std::vector<std::size_t> lengths{1, 127, 4096, 70'001, 262'145};
  for (const std::uint32_t group : {32U, 64U, 512U}) {
    if (group > test::device().capabilities().max_group_size) continue;
    check_lengths<float>(lengths, {.group_size = group});
  }
  for (const std::uint32_t rows : {1U, 4U, 32U}) {
    check_lengths<float>(lengths, {.unroll = rows, .low_occupancy_max_mib = 0});
  }
  for (const std::uint32_t groups : {1U, 3U, 64U}) {
    check_lengths<float>(lengths, {.groups_per_unit = groups});
  }
  // A leaf's columns by one pass and by two, whatever registers the processor has.
  for (const std::uint32_t held : {256U, 512U}) {
    check_lengths<float>(lengths, {}, {.held_bytes = held});
    check_lengths<double>(lengths, {}, {.held_bytes = held});
  }
}

TEST_CASE("groups in sets, of which the last may be a single one or not full") {
  if (test::too_long_here()) return;
  const std::size_t leaf = order_v1::leaf_elements(Type::f32);
  std::vector<std::size_t> lengths;
  // A group of 32 work-items takes a leaf, and combines 512 nodes at once.
  for (const std::size_t leaves : {512u, 513u, 514u, 543u, 544u, 1024u, 1025u}) {
    lengths.push_back(leaves * leaf);
    lengths.push_back(leaves * leaf - leaf / 3);
  }
  check_lengths<float>(lengths, {.group_size = 32, .small_group = 32});
  // Leaves of f64 have half as many elements.
  check_lengths<double>(lengths, {.group_size = 32, .small_group = 32});
}

TEST_CASE("sets of groups of which only the first have elements") {
  if (test::too_long_here()) return;
  const std::size_t leaf = order_v1::leaf_elements(Type::f32);
  const std::size_t most = 600 * leaf;
  Bench<float> bench(test::numbers<float>(most, 40));
  int rows = 0;
  for (const auto* row : order_rows(Type::f32)) {
    if (!row->device_values) continue;
    core::Tuning tuning = test::default_tuning_of(test::workload_of(*row, Type::f32, plus));
    if (!tuning.small_group) continue;
    tuning.group_size = tuning.small_group = 32;
    ReduceShape shape{Type::f32, Type::f32, plus, row->name};
    shape.on_device.count = Type::u64;
    const ReducePlan plan = core::make_plan(test::device(), shape, tuning);
    ++rows;
    // A set has 16 of the 600 groups.
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, 16 * leaf - 1, 16 * leaf,
                                16 * leaf + 1, 17 * leaf + 1, 592 * leaf, 592 * leaf + 1, most}) {
      const std::vector<std::uint64_t> count{n};
      const auto counted = bench.queue.upload(std::span<const std::uint64_t>(count));
      ReduceOptions options;
      options.count_from = erase(counted.view());
      plan.run(bench.queue, erase(std::as_const(bench.data).view(0, most)), erase(bench.result),
               Value(0.5F), options);
      const float got = bench.queue.download(bench.result)[0];
      const float sum = expected(bench.part(0, n), 0.5F, std::plus<>());
      CHECK_MESSAGE(test::same_bits(got, sum), row->name, ", n ", n, ": ", got, " not ", sum);
    }
  }
  const auto* const single = gallery::find(Algorithm::reduce, "order_v1_single");
  REQUIRE(single != nullptr);
  const bool runs = static_cast<bool>(gallery::supports(test::device(), *single, Type::f32, plus));
  CHECK((rows > 0) == runs);
}

TEST_CASE_TEMPLATE("every offset has the same bits", T, float, double) {
  if (!test::device().supports(type_of<T>())) return;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  const std::size_t longest = test::simulated() ? 9'001 : 50'001;
  // A part of a row, whole rows, whole leaves, and some of each.
  for (const std::size_t n : {std::size_t{3}, std::size_t{1024}, std::size_t{8192}, longest}) {
    const std::vector<T> values = test::numbers<T>(n, 40);
    const T sum = expected(std::span<const T>(values), T{0}, std::plus<>());
    for (std::size_t offset = 0; offset <= 16; ++offset) {
      std::vector<T> shifted(offset, nan);
      shifted.insert(shifted.end(), values.begin(), values.end());
      shifted.resize(offset + n + 32, nan);
      Bench<T> moved(shifted);
      for (const auto* row : order_rows(type_of<T>())) {
        const T got = moved.run(plan_of(*row, type_of<T>()), offset, n, T{0});
        CHECK_MESSAGE(test::same_bits(got, sum), row->name, ", n ", n, ", offset ", offset);
      }
    }
  }
}

TEST_CASE("products, and elements of other types than the accumulator's") {
  constexpr std::size_t n = 40'003;
  Bench<float> bench(factors<float>(n));
  const float product = expected(bench.part(0, n), 3.0F, std::multiplies<>());
  auto wide = bench.queue.allocate<double>(1);
  for (const auto* row : order_rows(Type::f32)) {
    const float got = bench.run(plan_of(*row, Type::f32, multiplies), 0, n, 3.0F);
    CHECK_MESSAGE(test::same_bits(got, product), row->name, ": ", got, " not ", product);
  }
  if (!test::device().supports(Type::f64)) return;
  const double sum = reference::v1::reduce(
      bench.part(1, n - 1), 0.25, [](float x) { return static_cast<double>(x); }, std::plus<>());
  const auto narrow_host = test::numbers<double>(n, 40);
  const auto narrow = bench.queue.upload(std::span<const double>(narrow_host));
  const float narrow_sum = reference::v1::reduce(
      std::span<const double>(narrow_host), 0.5F, [](double x) { return static_cast<float>(x); },
      std::plus<>());
  for (const auto* row : order_rows(Type::f64)) {
    ReduceOptions options;
    options.variant = row->name;
    CHECK(test::same_bits(
        reduce(bench.queue, std::as_const(bench.data).view(1, n - 1), plus, 0.25, options), sum));
    CHECK(test::same_bits(reduce(bench.queue, narrow, plus, 0.5F, options), narrow_sum));
  }
}

TEST_CASE("signed zeros, denormals, infinities and NaN") {
  using Limits = std::numeric_limits<float>;
  const std::vector<std::vector<float>> inputs{std::vector<float>(5000, -0.0F),
                                               std::vector<float>(5000, Limits::denorm_min()),
                                               std::vector<float>(300, Limits::min() / 3),
                                               {1.0F, Limits::infinity(), 2.0F},
                                               {Limits::infinity(), 1.0F, -Limits::infinity()},
                                               std::vector<float>(129, Limits::max())};
  for (const auto& input : inputs) {
    Bench<float> bench(input);
    for (const float init : {-0.0F, 0.0F}) {
      const float sum = expected(bench.part(0, input.size()), init, std::plus<>());
      for (const auto* row : order_rows(Type::f32)) {
        const float got = bench.run(plan_of(*row, Type::f32), 0, input.size(), init);
        CHECK_MESSAGE(test::same_bits(got, sum), row->name, ": ", got, " not ", sum);
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
