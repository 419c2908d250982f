// Operators that combine the integers in a word at once: one element alone has to show in the
// result, wherever it lies.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/call/reduce.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "core/shape/plan_shape.hpp"
#include "support/cases/affordable.hpp"
#include "support/environment.hpp"
#include "support/values/random.hpp"

namespace bifold {

namespace {

// A row of the longest loads: what production has for large inputs on some devices.
constexpr std::size_t long_row = 512;
constexpr std::size_t leaf_rows = 32;

/// Values among which `needle` is the only one that decides.
template <class T>
struct Haystack {
  T least;
  T greatest;
  T needle;
};

/// Extremes meet the needle from close by, at both ends and where signs change.
template <class T>
std::vector<Haystack<T>> haystacks(OperatorKind kind) {
  using Limits = std::numeric_limits<T>;
  const auto made = [](int least, int greatest, int needle) {
    return Haystack<T>{static_cast<T>(least), static_cast<T>(greatest), static_cast<T>(needle)};
  };
  constexpr int high = Limits::max();
  constexpr int low = Limits::is_signed ? -high - 1 : 0;
  const int middle = Limits::is_signed ? 0 : high / 2 + 1;
  switch (kind) {
    case OperatorKind::minimum:
      return {made(middle, high, middle - 1), made(high, high, high - 1), made(low + 1, high, low)};
    case OperatorKind::maximum:
      return {made(low, middle - 1, middle), made(low, low, low + 1), made(low, high - 1, high)};
    case OperatorKind::bit_and:
      return {made(-1, -1, ~1), made(-1, -1, ~(1 << (sizeof(T) * 8 - 1)))};
    case OperatorKind::bit_or: return {made(0, 0, 1), made(0, 0, 1 << (sizeof(T) * 8 - 1))};
    default: return {made(low, high, 77)};
  }
}

/// Everywhere in the first rows' words, beside the borders of leaves, and in the last words.
std::vector<std::size_t> places(std::size_t n) {
  std::vector<std::size_t> chosen;
  const auto add = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, n); ++i) chosen.push_back(i);
  };
  add(0, 34);
  for (const std::size_t border :
       {long_row, leaf_rows * 128, leaf_rows * 256, leaf_rows * long_row}) {
    if (border + 3 < n) add(border - 3, border + 3);
  }
  add(std::max<std::size_t>(n, 34) - 34, n);
  return chosen;
}

template <class T, class Result>
void check_needles(Queue& queue, const ReducePlan& plan, OperatorKind kind, std::size_t n,
                   std::size_t offset) {
  // NOLINTNEXTLINE(bugprone-signed-char-misuse): an i8 is a number, not a character.
  const auto number = [](T value) { return static_cast<Result>(value); };
  test::Random random(test::seed());
  for (const Haystack<T>& values : haystacks<T>(kind)) {
    std::vector<T> host(offset + n);
    for (T& value : host) value = static_cast<T>(random.between(values.least, values.greatest));
    const auto places_of_needle = places(n);
    Buffer<T> input = queue.upload(std::span<const T>(host));
    Buffer<Result> results(queue.device(), places_of_needle.size());
    std::vector<Result> expected;
    for (std::size_t k = 0; k < places_of_needle.size(); ++k) {
      const std::size_t i = offset + places_of_needle[k];
      const T other = std::exchange(host[i], values.needle);
      queue.fill(input.view(i, 1), values.needle);
      plan.run(queue, input.view(offset, n), results.view(k, 1), {});
      queue.fill(input.view(i, 1), other);
      const auto others = std::span<const T>(host).subspan(offset + 1);
      expected.push_back(reference::reduce(kind, others, number(host[offset])));
      host[i] = other;
    }
    CHECK(queue.download(results) == expected);
  }
}

template <class T, class Result>
void check_type(Queue& queue) {
  const Operator operators[] = {plus, minimum, maximum, bit_and, bit_or, bit_xor};
  for (const Operator& op : operators) {
    const ReduceShape shape{type_of<T>(), type_of<Result>(), op, "production"};
    CAPTURE(name_of(shape.input));
    CAPTURE(name_of(shape.accumulator));
    CAPTURE(op.name());
    const ReducePlan whole(test::device(), shape);
    const core::PlanShape inside{type_of<T>(), type_of<Result>(), type_of<Result>(), {}, op};
    core::Tuning tuning = core::tuning_for({test::device(), inside}, whole.variant());
    const bool by_size = tuning.large_from_mib.value_or(0) > 0;
    if (by_size) {
      tuning.low_occupancy_max_mib = tuning.large_from_mib = tuning.half_kept_to_mib = 0;
    }
    const ReducePlan large = core::make_plan(test::device(), shape, tuning);
    const std::size_t n = leaf_rows * long_row + 2 * long_row + 77;
    for (const std::size_t length : test::affordable(std::vector<std::size_t>{5, 37, n})) {
      CAPTURE(length);
      for (const std::size_t offset : {0U, 3U}) {
        CAPTURE(offset);
        check_needles<T, Result>(queue, whole, op.kind(), length, offset);
        if (by_size) check_needles<T, Result>(queue, large, op.kind(), length, offset);
      }
    }
  }
}

}  // namespace

TEST_SUITE_BEGIN("narrow");

TEST_CASE("one element decides wherever it lies, of bytes") {
  Queue queue(test::device());
  check_type<std::uint8_t, std::uint8_t>(queue);
  check_type<std::int8_t, std::int8_t>(queue);
}

TEST_CASE("one element decides wherever it lies, of halves of words") {
  Queue queue(test::device());
  check_type<std::uint16_t, std::uint16_t>(queue);
  check_type<std::int16_t, std::int16_t>(queue);
}

TEST_CASE("and in accumulators of another width or sign") {
  Queue queue(test::device());
  check_type<std::uint8_t, std::int32_t>(queue);
  check_type<std::int8_t, std::int32_t>(queue);
  check_type<std::int8_t, std::uint16_t>(queue);
  check_type<std::int16_t, std::uint16_t>(queue);
  check_type<std::uint16_t, std::uint8_t>(queue);
}

TEST_CASE("a reduction of nothing is the initial value, beyond what elements can be") {
  Queue queue(test::device());
  const auto check = [&]<class T, class Result>(T /*element*/, const Operator& op, Result init) {
    CAPTURE(op.name());
    Buffer<std::uint32_t> count(test::device(), 1);
    queue.fill(count, 0U);
    // One group and several: what is left of groups is combined by another way.
    for (const std::uint64_t most : {1U, 1000U, 300'000U}) {
      CAPTURE(most);
      Buffer<T> input(test::device(), most);
      queue.fill(input, T{});
      Buffer<Result> result(test::device(), 1);
      ReduceOptions options;
      options.count_from = count.view();
      reduce_into(queue, input, result, op, init, options);
      CHECK(queue.download(result).front() == init);
      // In place of the initial value, and of no elements for the host either.
      options.init_from = result.view();
      reduce_into(queue, input, result, op, std::nullopt, options);
      options.count_from.reset();
      reduce_into(queue, input.view(0, 0), result, op, std::nullopt, options);
      CHECK(queue.download(result).front() == init);
    }
  };
  check(std::uint8_t{}, minimum, std::int32_t{1000});
  check(std::uint8_t{}, maximum, std::int32_t{-1});
  check(std::int8_t{}, maximum, std::int32_t{-1000});
  check(std::uint8_t{}, bit_and, std::uint32_t{0x12345678});
  check(std::uint16_t{}, minimum, std::uint32_t{100'000});
  check(std::int16_t{}, maximum, std::int32_t{-100'000});
  check(std::uint16_t{}, bit_and, std::int32_t{-2});
  check(std::int8_t{}, plus, std::int32_t{12'345});
}

TEST_SUITE_END();

}  // namespace bifold
