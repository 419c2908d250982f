// Result maps on every row, whose results have the accumulator's type.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <numeric>

#include "support/cases/affordable.hpp"
#include "support/cases/rows.hpp"
#include "support/environment.hpp"

namespace bifold {

namespace {

// Around the borders of runs, warp tiles, leaves and tiles.
std::vector<std::size_t> lengths() {
  if (test::simulated()) return {0, 1, 33, 1000, 4097};
  return {0, 1, 33, 1000, 4097, 70'001};
}

std::vector<std::int32_t> numbers(std::size_t count) {
  std::vector<std::int32_t> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = static_cast<std::int32_t>(i * 7919 % 2003) - 1000;
  }
  return values;
}

}  // namespace

TEST_SUITE_BEGIN("operands");

TEST_CASE("a reduction with a result map, on every row") {
  Queue queue(test::device());
  const auto host = numbers(70'010);
  const auto data = queue.upload(std::span<const std::int32_t>(host));
  auto out = queue.allocate<std::int32_t>(3);
  const core::PlanShape shape{.input = Type::i32,
                              .accumulator = Type::i32,
                              .output = Type::i32,
                              .op = plus,
                              .result_map = "s * 4 + 1"};
  for (const auto* row : test::families_on_device(Algorithm::reduce, Type::i32, plus)) {
    if (!test::takes(*row, shape)) continue;
    for (const std::size_t n : lengths()) {
      for (const std::optional<Value>& init : {std::optional<Value>(), {Value(-7)}}) {
        ReduceOptions options;
        options.variant = row->name;
        options.result_map = "s * 4 + 1";
        const auto view = data.view(n % 5, n);
        queue.fill(out, -1);
        reduce_into(queue, erase(view), erase(out.view(1, 1)), plus, init, options);
        const auto begin = host.begin() + static_cast<std::ptrdiff_t>(n % 5);
        const int sum =
            std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(n), init ? -7 : 0);
        const std::vector<std::int32_t> want{-1, sum * 4 + 1, -1};
        CHECK_MESSAGE(queue.download(out) == want, row->name, ", n ", n);
      }
    }
  }
}

TEST_CASE("a scan with a result map, on every row, in place as well") {
  Queue queue(test::device());
  const auto host = numbers(70'010);
  for (const auto* row : test::families_on_device(Algorithm::scan, Type::i32, plus)) {
    for (const std::size_t n : lengths()) {
      for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
        if (!test::takes(*row, {.input = Type::i32,
                                .accumulator = Type::i32,
                                .output = Type::i32,
                                .kind = kind,
                                .op = plus,
                                .result_map = "s"})) {
          continue;
        }
        CAPTURE(row->name);
        CAPTURE(n);
        auto data = queue.upload(std::span<const std::int32_t>(host));
        ErasedView input = erase(data.view(n % 3, n));
        auto apart = queue.allocate<std::int32_t>(n);
        ScanOptions options;
        options.variant = row->name;
        options.result_map = "s * 4 + 1";
        std::vector<std::int32_t> want(n);
        int running = 11;
        for (std::size_t i = 0; i < n; ++i) {
          const int earlier = running;
          running += host[n % 3 + i];
          want[i] = (kind == ScanKind::inclusive ? running : earlier) * 4 + 1;
        }
        scan(queue, kind, input, erase(apart), plus, Value(11), options);
        CHECK(queue.download(apart) == want);
        scan(queue, kind, input, input, plus, Value(11), options);
        CHECK(queue.download(data.view(n % 3, n)) == want);
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
