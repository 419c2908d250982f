// find_if, any, all and none: the first element that a predicate holds for, in pieces.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "support/cases/affordable.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

namespace {

// The lengths of the first pieces: find_if.cpp.
constexpr std::uint64_t piece = std::uint64_t{1} << 22U;

using Found = std::optional<std::uint64_t>;

/// Zeros but for a few places.
std::vector<std::uint8_t> ones_at(std::uint64_t count, const std::vector<std::uint64_t>& places) {
  std::vector<std::uint8_t> all(count);
  for (const std::uint64_t at : places) all[at] = 1;
  return all;
}

template <class T>
Buffer<T> uploaded(Queue& queue, const std::vector<T>& elements) {
  return queue.upload(std::span<const T>(elements));
}

void check_refused(Queue& queue, const ErasedView& view, const ReduceOptions& options) {
  const test::Failure failure =
      test::failure_of([&] { (void)find_if(queue, view, "x > 0", options); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("no lines"));
}

}  // namespace

TEST_SUITE_BEGIN("reductions");

TEST_CASE("find_if gives the first place, wherever it is") {
  Queue queue(test::device());
  constexpr std::uint64_t count = 5'000;
  std::vector<std::int32_t> host(count);
  for (std::uint64_t i = 0; i < count; ++i) host[i] = static_cast<std::int32_t>(i) - 2'000;
  const auto data = queue.upload(std::span<const std::int32_t>(host));
  const Map above("x > limit && i % 3 == 1", {{"limit", Type::i32}});
  const auto found = [&](const View<const std::int32_t>& view, std::int32_t limit) {
    return find_if(queue, view, above, {.scalars = {{"limit", Value(limit)}}});
  };
  for (const std::int32_t limit : {-2'001, -2'000, -1'999, 0, 1'234, 2'997}) {
    std::uint64_t first = 0;
    while (host[first] <= limit || first % 3 != 1) ++first;
    CHECK(found(data.view(0, count), limit) == Found(first));
  }
  CHECK(found(data.view(0, count), 2'999) == std::nullopt);
  CHECK(found(data.view(7, count - 7), 0) == Found(1'996));
  CHECK(found(data.view(0, 0), -2'001) == std::nullopt);
  const auto nan = uploaded<float>(queue, {0.0F, -0.0F, std::numeric_limits<float>::quiet_NaN()});
  CHECK(find_if(queue, nan, {}) == Found(2));
}

TEST_CASE("any, all and none") {
  Queue queue(test::device());
  const auto data = uploaded<std::int32_t>(queue, {0, 0, 3, 0});
  const Map above("x > limit", {{"limit", Type::i32}});
  const auto limit = [](std::int32_t is) {
    return ReduceOptions{.scalars = {{"limit", Value(is)}}};
  };
  CHECK(any(queue, data));
  CHECK(any(queue, data, above, limit(2)));
  CHECK_FALSE(any(queue, data, above, limit(3)));
  CHECK_FALSE(all(queue, data, above, limit(0)));
  CHECK(all(queue, data, above, limit(-1)));
  CHECK_FALSE(none(queue, data, above, limit(2)));
  CHECK(none(queue, data, above, limit(3)));
  CHECK_FALSE(any(queue, data.view(0, 0)));
  CHECK(all(queue, data.view(0, 0), above, limit(0)));
  CHECK(none(queue, data.view(0, 0)));
}

TEST_CASE("find_if goes on behind a piece, with indices of the whole array") {
  if (test::too_long_here()) return;
  Queue queue(test::device());
  constexpr std::uint64_t count = 3 * piece + 1'000;
  for (const std::uint64_t at : {piece - 1, piece, 3 * piece - 1, 3 * piece, count - 1}) {
    const auto data = queue.upload(std::span<const std::uint8_t>(ones_at(count, {at, count - 1})));
    CHECK(find_if(queue, data, "x == 1") == Found(at));
    CHECK(find_if(queue, data, Map("i >= begin", {{"begin", Type::u64}}),
                  {.scalars = {{"begin", Value(at)}}}) == Found(at));
  }
}

TEST_CASE("find_if reads no piece behind that of the first element found") {
  if (test::too_long_here()) return;
  Queue queue(test::device());
  const auto data = queue.upload(std::span<const std::uint8_t>(ones_at(3 * piece, {piece + 3})));
  // Pieces of these elements that memory does not hold are refused when they are reached.
  ErasedView more = erase(data);
  more.count = 4 * piece;
  CHECK(find_if(queue, more, "x == 1") == Found(piece + 3));
  const test::Failure failure = test::failure_of([&] { (void)find_if(queue, more, "x == 2"); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
}

TEST_CASE("find_if_into: unsigned, signed, of lines and of nothing") {
  Queue queue(test::device());
  const auto data = uploaded<std::int32_t>(queue, {0, 0, 3, 0, 5, 0});
  auto unsigned_ones = queue.allocate<std::uint64_t>(3);
  auto signed_ones = queue.allocate<std::int64_t>(3);
  find_if_into(queue, erase(data), erase(unsigned_ones.view(0, 1)), "x > 3");
  find_if_into(queue, erase(data), erase(signed_ones.view(0, 1)), "x > 5");
  CHECK(queue.download(unsigned_ones)[0] == 4);
  CHECK(queue.download(signed_ones)[0] == -1);
  find_if_into(queue, erase(data.view(0, 0)), erase(unsigned_ones.view(0, 1)), "1");
  CHECK(queue.download(unsigned_ones)[0] == no_index);
  ReduceOptions options;
  options.lines = Lines::rows(3, 2);
  find_if_into(queue, erase(data), erase(signed_ones), {}, options);
  CHECK(queue.download(signed_ones) == std::vector<std::int64_t>{-1, 0, 0});
  options.lines = Lines::columns(3, 2);
  find_if_into(queue, erase(data), erase(unsigned_ones.view(0, 2)), "x > 0 && i > 1ul", options);
  CHECK(queue.download(unsigned_ones)[0] == 2);
  CHECK(queue.download(unsigned_ones)[1] == no_index);
}

TEST_CASE("find_if refuses what has no one result for the host") {
  Queue queue(test::device());
  const auto data = uploaded<std::uint64_t>(queue, {0, 1});
  const ErasedView view = erase(data);
  check_refused(queue, view, {.count_from = erase(data.view(0, 1))});
  check_refused(queue, view, {.init_from = erase(data.view(0, 1))});
  check_refused(queue, view, {.lines = Lines::rows(1, 2)});
  check_refused(queue, view, {.accumulate = Type::u64});
  check_refused(queue, view, {.result_map = "s + 1"});
  const test::Failure failure = test::failure_of([&] { (void)any(queue, data, "x > limit"); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("limit"));
}

TEST_SUITE_END();

}  // namespace bifold
