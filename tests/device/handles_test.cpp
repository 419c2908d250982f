// Handles: what a device, plan, buffer or view promises beyond the data it moves.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstdlib>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/messages.hpp"
#include "support/variable.hpp"

namespace bifold {

namespace {

template <class From, class To>
concept readable_as = requires(const View<From>& view) { view.template as<To>(); };

// Reading through another type keeps what is read-only read-only.
static_assert(readable_as<float, std::uint32_t>);
static_assert(readable_as<const float, const std::uint32_t>);
static_assert(!readable_as<const float, std::uint32_t>);

// A bitwise operator on floating elements does not compile.
static_assert(operator_on<BuiltinOperator<OperatorKind::bit_and>, std::uint32_t>);
static_assert(!operator_on<BuiltinOperator<OperatorKind::bit_and>, float>);

std::vector<std::int32_t> some_numbers() { return {5, -3, 8, 1, -9, 4}; }

}  // namespace

TEST_SUITE_BEGIN("handles");

TEST_CASE("a plan runs in its own context only, and a queue that refused one stays usable") {
  const Device other = test::open_again({});
  const ReducePlan plan(other, {});
  Queue queue(test::device());
  const auto host = some_numbers();
  auto data = queue.upload(std::span<const std::int32_t>(host));
  auto result = queue.allocate<std::int32_t>(1);
  queue.fill(result, 77);
  const test::Failure failure =
      test::failure_of([&] { plan.run(queue, erase(data), erase(result), Value(0)); });
  if (test::device().info().backend == "cuda") {
    // There a device opened twice is one context, the primary one, and plans fit both handles.
    CHECK_FALSE(failure.category.has_value());
    CHECK(queue.download(result)[0] == 6);
  } else {
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions("another device"));
    CHECK(queue.download(result)[0] == 77);
  }
  CHECK(reduce(queue, data, plus, 0) == 6);
}

TEST_CASE("empty braces are options, never an initial value") {
  Queue queue(test::device());
  const auto host = some_numbers();
  auto data = queue.upload(std::span<const std::int32_t>(host));
  auto scanned = queue.allocate<std::int32_t>(host.size());
  inclusive_scan(queue, data, scanned, multiplies, {});
  CHECK(queue.download(scanned)[1] == -15);
  exclusive_scan(queue, data, scanned, multiplies, {});
  CHECK(queue.download(scanned)[0] == 1);
}

TEST_CASE("a moved-from buffer is empty, and the moved one keeps its elements") {
  Queue queue(test::device());
  const auto host = some_numbers();
  auto data = queue.upload(std::span<const std::int32_t>(host));
  Buffer<std::int32_t> moved(std::move(data));
  // NOLINTNEXTLINE(bugprone-use-after-move,clang-analyzer-cplusplus.Move): this is promised.
  CHECK(data.size() == 0);
  CHECK(data.view().empty());
  CHECK(queue.download(moved) == host);
  data = std::move(moved);
  CHECK(moved.empty());  // NOLINT(bugprone-use-after-move)
  CHECK(queue.download(data) == host);
}

TEST_CASE("buffers convert to the type-erased view that every call takes") {
  Queue queue(test::device());
  const auto host = some_numbers();
  auto data = queue.upload(std::span<const std::int32_t>(host));
  const Buffer<std::int32_t>& constant = data;
  const ErasedView writable = data;
  const ErasedView readable = constant;
  CHECK(writable.writable);
  CHECK_FALSE(readable.writable);
  CHECK(reduce(queue, readable, plus, Value(0)).as<std::int32_t>() == 6);
  const test::Failure failure = test::failure_of([&] { queue.fill(readable, Value(1)); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("read-only"));
  CHECK(queue.download(data) == host);
}

TEST_CASE("a logical scan counts its initial value before it converts it") {
  Queue queue(test::device());
  const std::vector<float> host{0.0F, 0.0F};
  auto data = queue.upload(std::span<const float>(host));
  auto scanned = queue.allocate<float>(host.size());
  exclusive_scan(queue, data, scanned, logical_or, 0.5F, {.accumulate = Type::i32});
  CHECK(queue.download(scanned) == std::vector<float>{1.0F, 1.0F});
}

TEST_CASE("BIFOLD_DISABLE keeps production from a variant, and the next best one runs") {
  const auto production = [] {
    return std::string(ReducePlan(test::open_again({}), {}).variant().name);
  };
  const std::string usual = production();
  {
    const test::Variable disabled("BIFOLD_DISABLE", "nothing, " + usual + " ,");
    CHECK(production() != usual);
  }
  CHECK(production() == usual);
}

TEST_CASE("a name in BIFOLD_DISABLE that no variant has is warned of, with the nearest one") {
  const test::Warnings warnings;
  {
    const test::Variable disabled("BIFOLD_DISABLE", "chunk,order_v1, lookback_warp,no such row,");
    (void)test::open_again({});
  }
  CHECK(warnings.count("BIFOLD_DISABLE") == 2);
  CHECK(warnings.mention("\"chunk\"; did you mean \"chunks\"?"));
  CHECK(warnings.mention("\"no such row\""));
  (void)test::open_again({});
  CHECK(warnings.count("BIFOLD_DISABLE") == 2);
}

TEST_CASE("what a log callback throws goes nowhere, and the call succeeds") {
  set_log(LogLevel::debug, [](LogLevel, std::string_view) { throw std::string("from a test"); });
  Queue queue(test::open_again({}));
  const auto host = some_numbers();
  auto data = queue.upload(std::span<const std::int32_t>(host));
  const int sum = reduce(queue, data, plus, 0);
  set_log(LogLevel::off, {});
  CHECK(sum == 6);
}

TEST_CASE_TEMPLATE("fills of any offset and length touch nothing else", T, std::uint8_t,
                   std::uint16_t, float, std::uint64_t) {
  Queue queue(test::device());
  constexpr std::size_t size = 200;
  const T before{3};
  const T filled{77};
  for (const std::size_t offset : {0u, 1u, 2u, 7u, 16u, 33u}) {
    for (const std::size_t count : {1u, 2u, 15u, 16u, 31u, 63u, 64u, 65u, 130u}) {
      auto buffer = queue.upload(std::span<const T>(std::vector<T>(size, before)));
      queue.fill(buffer.view(offset, count), filled);
      std::vector<T> expected(size, before);
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(offset), count, filled);
      CHECK_MESSAGE(queue.download(buffer) == expected, offset, " ", count);
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
