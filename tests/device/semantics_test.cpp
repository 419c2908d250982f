// What the library promises of results: nothing in, wrap-around, accumulators, initial values.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <limits>
#include <numeric>

#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/random.hpp"

namespace bifold {

using test::failure_of;
using test::Run;
using test::Workload;

namespace {

template <class T>
std::vector<T> random_values(std::size_t count, std::int64_t low, std::int64_t high) {
  test::Random random(test::seed());
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(random.between(low, high));
  return values;
}

template <class T>
Buffer<T> upload(Queue& queue, const std::vector<T>& values) {
  return queue.upload(std::span<const T>(values));
}

}  // namespace

TEST_SUITE_BEGIN("semantics");

TEST_CASE("a reduction of nothing is the initial value, or the identity, on every row") {
  Queue queue(test::device());
  auto data = upload(queue, std::vector<std::int32_t>{5, 6, 7});
  const Buffer<std::int32_t> none(test::device(), 0);
  for (const auto* row : test::families_on_device(Algorithm::reduce, Type::i32, plus)) {
    INFO("row " << row->name);
    const ReduceOptions options{.variant = row->name};
    CHECK(reduce(queue, none, plus, std::int32_t{-9}, options) == -9);
    CHECK(reduce(queue, data.view(3, 0), plus, std::int32_t{11}, options) == 11);
    auto result = upload(queue, std::vector<std::int32_t>{1, 2, 3});
    reduce_into(queue, data.view(0, 0), result.view(1, 1), plus, 77, options);
    CHECK(queue.download(result) == std::vector<std::int32_t>{1, 77, 3});
  }
  CHECK(reduce(queue, none, minimum) == std::numeric_limits<std::int32_t>::max());
  CHECK(reduce(queue, none, multiplies) == 1);
  CHECK(reduce(queue, none, bit_and) == -1);
}

TEST_CASE("a scan of nothing writes nothing, on every row") {
  Queue queue(test::device());
  for (const auto* row : test::families_on_device(Algorithm::scan, Type::i32, plus)) {
    INFO("row " << row->name);
    auto output = upload(queue, std::vector<std::int32_t>{1, 2, 3});
    Event done;
    const ScanOptions options{.done = &done, .variant = row->name};
    inclusive_scan(queue, output.view(2, 0), output.view(1, 0), plus, 5, options);
    done.wait();
    exclusive_scan(queue, output.view(0, 0), output.view(3, 0), plus, 5, options);
    CHECK(queue.download(output) == std::vector<std::int32_t>{1, 2, 3});
  }
}

TEST_CASE("signed sums and products wrap around") {
  Queue queue(test::device());
  const std::vector<std::int32_t> host(1000, std::numeric_limits<std::int32_t>::max());
  auto data = upload(queue, host);
  // 1000 (2^31 - 1) = 500 2^32 - 1000.
  CHECK(reduce(queue, data, plus, 0) == -1000);
  CHECK(reduce(queue, data, plus, std::numeric_limits<std::int32_t>::min()) ==
        static_cast<std::int32_t>(0x80000000u - 1000u));
  auto output = queue.allocate<std::int32_t>(host.size());
  inclusive_scan(queue, data, output, multiplies);
  const auto products = queue.download(output);
  // (2^31 - 1)^2 = 1 modulo 2^32.
  for (std::size_t i = 0; i < products.size(); ++i) {
    if (products[i] != (i % 2 == 0 ? host[0] : 1)) {
      FAIL_CHECK("product ", i, " is ", products[i]);
      break;
    }
  }
}

TEST_CASE("a reduction accumulates in the type of its initial value, on every row") {
  Queue queue(test::device());
  const auto host = random_values<std::uint8_t>(60'001, 0, 255);
  auto data = upload(queue, host);
  const auto total = std::accumulate(host.begin(), host.end(), std::uint64_t{0});
  // Every kernel on one type, one kernel of each file on the others.
  for (const auto* row : test::families_on_device(Algorithm::reduce, Type::u64, plus)) {
    INFO("row " << row->name);
    CHECK(reduce(queue, data, plus, std::uint64_t{1} << 40, {.variant = row->name}) ==
          (std::uint64_t{1} << 40) + total);
  }
  const auto check = [&](auto init, std::size_t turn) {
    const Type type = type_of<decltype(init)>();
    for (const auto* row : test::files_on_device(Algorithm::reduce, type, plus, turn)) {
      INFO("row " << row->name);
      const auto expected = static_cast<decltype(init)>(init + static_cast<decltype(init)>(total));
      CHECK(reduce(queue, data, plus, init, {.variant = row->name}) == expected);
    }
  };
  check(std::int32_t{-3}, 0);
  check(std::uint8_t{0}, 1);
  check(0.0f, 2);
  if (test::device().supports(Type::f64)) check(0.5, 3);
}

TEST_CASE("a scan accumulates in the output's type, or in the one that is asked for") {
  Queue queue(test::device());
  struct Types {
    Type input, accumulator, output;
  };
  const Types all[] = {{Type::u8, Type::u64, Type::u64}, {Type::u8, Type::u32, Type::u32},
                       {Type::u8, Type::f32, Type::f32}, {Type::i8, Type::i32, Type::i16},
                       {Type::u16, Type::u64, Type::u8}, {Type::i32, Type::i64, Type::i32},
                       {Type::i16, Type::f32, Type::f32}};
  std::size_t turn = 0;
  for (const Types& types : all) {
    for (const auto* row : test::rows_in_turn(Algorithm::scan, types.accumulator, plus, turn++)) {
      Workload workload = test::workload_of(*row, types.input, plus, ScanKind::inclusive);
      workload.accumulator = types.accumulator;
      workload.output = types.output;
      // Production, the first of them, takes all.
      if (row->name == "order_v1_packs" && !test::supports(workload)) continue;
      const Run runs[] = {{1, 0}, {255, 3}, {257, 1, false, true}, {30'001, 7, false, true}};
      test::check_runs(queue, workload, runs);
    }
  }
}

TEST_CASE("options.accumulate decides where a scan wraps around") {
  Queue queue(test::device());
  const std::vector<std::int8_t> host(100, 5);
  auto data = upload(queue, host);
  auto output = queue.allocate<std::int32_t>(host.size());
  inclusive_scan(queue, data, output, plus, ScanOptions{.accumulate = Type::i8});
  auto result = queue.download(output);
  CHECK(result[24] == 125);
  CHECK(result[25] == -126);
  inclusive_scan(queue, data, output, plus);
  CHECK(queue.download(output)[99] == 500);
  // The carry before the first element is of the output's type, and converted.
  exclusive_scan(queue, data, output, plus, 300, ScanOptions{.accumulate = Type::u64});
  result = queue.download(output);
  CHECK(result[0] == 300);
  CHECK(result[99] == 795);
}

TEST_CASE("floating values are not turned into integers") {
  Queue queue(test::device());
  auto data = upload(queue, std::vector<float>{1.5f, 2.5f});
  auto output = upload(queue, std::vector<std::int32_t>{8, 9});
  auto failure = failure_of([&] { inclusive_scan(queue, data, output, plus); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("f32"));
  CHECK(failure.mentions("i32"));
  failure = failure_of([&] { (void)reduce(queue, data, plus, 0); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(queue.download(output) == std::vector<std::int32_t>{8, 9});
  // Truth values are neither: any number is true or false in an integer too.
  CHECK(reduce(queue, data, logical_and, 1) == 1);
}

TEST_CASE("the initial value is folded in once, whatever the number of groups") {
  Queue queue(test::device());
  const auto host = random_values<std::int64_t>(300'000, -50, 50);
  auto data = upload(queue, host);
  const auto total = std::accumulate(host.begin(), host.end(), std::int64_t{0});
  for (const auto* row : test::files_on_device(Algorithm::reduce, Type::i64, plus, 1)) {
    CHECK(reduce(queue, data, plus, std::int64_t{1'000'000'007},
                 ReduceOptions{.variant = row->name}) == total + 1'000'000'007);
  }
}

TEST_CASE("exclusive[0] is init and exclusive[i + 1] is inclusive[i], bit by bit") {
  Queue queue(test::device());
  const auto check = [&]<class T>(const std::vector<T>& host, T init, auto op) {
    auto data = upload(queue, host);
    for (const auto* row : test::rows_in_turn(Algorithm::scan, type_of<T>(), op, sizeof(T))) {
      INFO("row " << row->name << ", seed " << test::seed());
      auto inclusive = queue.allocate<T>(host.size());
      auto exclusive = queue.allocate<T>(host.size());
      const ScanOptions options{.variant = row->name};
      inclusive_scan(queue, data, inclusive, op, init, options);
      exclusive_scan(queue, data, exclusive, op, init, options);
      const auto left = queue.download(inclusive);
      const auto right = queue.download(exclusive);
      CHECK(right[0] == init);
      CHECK(std::equal(right.begin() + 1, right.end(), left.begin()));
    }
  };
  check(random_values<std::int32_t>(50'003, -1'000'000, 1'000'000), 12'345, plus);
  check(random_values<float>(50'003, -8, 8), 3.0f, plus);
  check(random_values<std::uint16_t>(50'003, 0, 60'000), std::uint16_t{40'000}, maximum);
}

TEST_SUITE_END();

}  // namespace bifold
