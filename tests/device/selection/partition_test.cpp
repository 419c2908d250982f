// Partitions, and the first elements of runs, on every row that the device runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "device/selection/selections.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace select_test {

struct Keyed {
  std::int32_t key;
  float value;
  friend bool operator==(const Keyed&, const Keyed&) = default;
};

}  // namespace select_test
BIFOLD_STRUCT_NAMED(select_test::Keyed, SelectKeyed, key, value);

namespace bifold {

namespace {

using select_test::Keyed;
using test::numbers;
using test::Places;
using test::uploaded;

std::vector<const gallery::Variant*> rows() { return test::selecting_rows(); }

std::vector<std::size_t> lengths() {
  return {0, 1, 2, 33, 255, 257, 1024, 2049, 4096, 4097, 12289, 70'001};
}

constexpr const char* predicates[] = {"0", "1", "x % 3 == 0", "i == 0", "i % 1024 != 1023"};

bool holds(std::size_t predicate, std::int32_t x, std::size_t i) {
  switch (predicate) {
    case 0: return false;
    case 1: return true;
    case 2: return x % 3 == 0;
    case 3: return i == 0;
    default: return i % 1024 != 1023;
  }
}

// Whether the row can store what is rejected behind all that is kept.
bool counts_first(const gallery::Variant& row) {
  return row.name == "production" || row.name == "passes" || row.name == "ring";
}

TEST_SUITE_BEGIN("select");

TEST_CASE("a partition has what is kept in front, and all others behind it, either way") {
  Queue queue(test::device());
  const auto host = numbers<std::int32_t>(lengths().back());
  const auto data = uploaded(queue, host);
  auto kept = queue.allocate<std::uint64_t>(1);
  for (const auto* row : rows()) {
    CAPTURE(row->name);
    for (std::size_t p = 0; p < std::size(predicates); ++p) {
      CAPTURE(predicates[p]);
      for (const std::size_t n : lengths()) {
        CAPTURE(n);
        std::vector<std::int32_t> front;
        std::vector<std::int32_t> behind;
        for (std::size_t i = 0; i < n; ++i) {
          (holds(p, host[i], i) ? front : behind).push_back(host[i]);
        }
        const std::size_t count = front.size();
        std::vector<std::int32_t> want = front;
        want.insert(want.end(), behind.rbegin(), behind.rend());
        Places<std::int32_t> reversed(queue, n + 3, -1);
        partition_reversed(queue, data.view(0, n), reversed.buffer.view(0, n), kept, predicates[p],
                           {.variant = row->name});
        CHECK(queue.download(kept)[0] == count);
        reversed.check(queue, want);
        if (!counts_first(*row)) continue;
        std::copy(behind.begin(), behind.end(), want.begin() + static_cast<std::ptrdiff_t>(count));
        Places<std::int32_t> stable(queue, n + 3, -1);
        partition(queue, data.view(0, n), stable.buffer.view(0, n), kept, predicates[p],
                  {.variant = row->name});
        CHECK(queue.download(kept)[0] == count);
        stable.check(queue, want);
      }
    }
  }
}

TEST_CASE("a partition of fewer elements than the input has, by n in device memory") {
  Queue queue(test::device());
  const auto host = numbers<std::int32_t>(30'000);
  const auto data = uploaded(queue, host);
  auto kept = queue.allocate<std::uint32_t>(1);
  for (const auto* row : rows()) {
    CAPTURE(row->name);
    for (const std::uint32_t n : {0U, 1U, 9'999U}) {
      const auto count = uploaded(queue, std::vector<std::uint32_t>{n});
      std::vector<std::int32_t> want;
      for (std::size_t i = 0; i < n; ++i) {
        if (host[i] > 40) want.push_back(host[i]);
      }
      for (std::size_t i = n; i-- > 0;) {
        if (host[i] <= 40) want.push_back(host[i]);
      }
      Places<std::int32_t> out(queue, host.size(), -1);
      partition_reversed(queue, data, out.buffer, kept, "x > 40",
                         {.variant = row->name, .count_from = erase(count)});
      out.check(queue, want);
      if (!counts_first(*row)) continue;
      const auto front = std::find_if(want.begin(), want.end(), [](auto x) { return x <= 40; });
      std::reverse(front, want.end());
      Places<std::int32_t> stable(queue, host.size(), -1);
      partition(queue, data, stable.buffer, kept, "x > 40",
                {.variant = row->name, .count_from = erase(count)});
      stable.check(queue, want);
    }
  }
}

TEST_CASE("the first elements of runs, on every row, and in place") {
  Queue queue(test::device());
  auto kept = queue.allocate<std::uint64_t>(1);
  for (const auto* row : rows()) {
    if (!test::takes(*row, {.first_of_runs = true})) continue;
    CAPTURE(row->name);
    for (const std::int32_t most : {1, 3, 1000}) {
      for (const std::size_t n : lengths()) {
        CAPTURE(most);
        CAPTURE(n);
        auto host = numbers<std::int32_t>(n);
        // Runs of every length up to `most`, across borders of tiles.
        for (std::size_t i = 0; i < n; ++i) {
          host[i] = static_cast<std::int32_t>(i / static_cast<std::size_t>(most)) + host[i] / 99;
        }
        std::vector<std::int32_t> want = host;
        want.erase(std::unique(want.begin(), want.end()), want.end());
        auto data = uploaded(queue, host);
        Places<std::int32_t> out(queue, n + 2, -7);
        unique(queue, data, out.buffer, kept, {}, {.variant = row->name});
        CHECK(queue.download(kept)[0] == want.size());
        out.check(queue, want);
        if (row->launches > 1) continue;
        unique(queue, data, data, kept, {}, {.variant = row->name});
        CHECK(queue.download(kept)[0] == want.size());
        CHECK(queue.download(data.view(0, want.size())) == want);
      }
    }
  }
}

TEST_CASE("runs are not found in place where their elements change") {
  Queue queue(test::device());
  auto kept = queue.allocate<std::uint64_t>(1);
  auto data = uploaded(queue, std::vector<std::int32_t>{1, 1, 2, 3, 3});
  ErasedView converted = erase(data);
  converted.type = Type::u32;
  const auto failure =
      test::failure_of([&] { unique(queue, erase(data), converted, erase(kept)); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
  CHECK(failure.mentions("overlap"));
  // Where each element is looked at alone, they may change.
  select(queue, erase(data), converted, erase(kept), "x > 1");
  CHECK(queue.download(kept)[0] == 3);
}

TEST_CASE("each NaN is a run of its own, and -0 goes on with +0") {
  Queue queue(test::device());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto data = uploaded(queue, std::vector<float>{nan, nan, 0.0F, -0.0F, 0.0F, 1, 1, nan});
  auto out = queue.allocate<float>(8);
  auto kept = queue.allocate<std::uint64_t>(1);
  for (const auto* row : rows()) {
    if (!test::takes(*row, {.first_of_runs = true})) continue;
    unique(queue, data, out, kept, {}, {.variant = row->name});
    CHECK(queue.download(kept)[0] == 5);
    CHECK(queue.download(out)[2] == 0);
    CHECK(queue.download(out)[3] == 1);
    // An equality of one's own, by which NaN are equal and zeros are not.
    unique(queue, data, out, kept, "x == y ? 1 / x == 1 / y : x != x && y != y",
           {.variant = row->name});
    CHECK(queue.download(kept)[0] == 6);
  }
}

TEST_CASE("structs are equal by a text, which is wanted") {
  Queue queue(test::device());
  std::vector<Keyed> host;
  std::vector<Keyed> want;
  for (std::int32_t i = 0; i < 9000; ++i) {
    host.push_back({i / 7, static_cast<float>(i)});
    if (i % 7 == 0) want.push_back(host.back());
  }
  const auto data = uploaded(queue, host);
  auto out = queue.allocate<Keyed>(host.size());
  auto kept = queue.allocate<std::uint64_t>(1);
  for (const auto* row : rows()) {
    if (!test::takes(*row, {.first_of_runs = true})) continue;
    unique(queue, data, out, kept, "x.key == y.key", {.variant = row->name});
    CHECK(queue.download(kept)[0] == want.size());
    CHECK(queue.download(out.view(0, want.size())) == want);
  }
  const test::Failure failure = test::failure_of([&] { unique(queue, data, out, kept); });
  CHECK(failure.category == ErrorCategory::invalid_argument);
}

TEST_CASE("what partitions refuse, in words") {
  Queue queue(test::device());
  auto data = uploaded(queue, numbers<std::int32_t>(100));
  auto out = queue.allocate<std::int32_t>(100);
  auto kept = queue.allocate<std::uint64_t>(1);
  const auto refused = [](ErrorCategory category, const auto& call, const char* words) {
    const test::Failure failure = test::failure_of(call);
    CHECK_MESSAGE(failure.category == category, failure.what);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  constexpr auto invalid = ErrorCategory::invalid_argument;
  refused(
      invalid, [&] { partition_reversed(queue, data, out.view(0, 99), kept, "1"); }, "places");
  refused(
      invalid, [&] { partition(queue, data, data, kept, "1"); }, "overlap");
  refused(
      invalid, [&] { partition_reversed(queue, data, data, kept, "1"); }, "overlap");
  refused(
      ErrorCategory::unsupported,
      [&] { partition(queue, data, out, kept, "1", {.variant = "lookback"}); }, "lookback");
}

TEST_SUITE_END();

}  // namespace

}  // namespace bifold
