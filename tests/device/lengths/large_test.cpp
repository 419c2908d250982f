// More than 2^31 and more than 2^32 elements, with results known in closed form.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <iostream>

#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

namespace {

/// Whether `bytes` of device memory may be used at once; says so when not.
bool fits(const char* what, std::uint64_t bytes) {
  const Capabilities& capabilities = test::device().capabilities();
  if (bytes <= test::memory_budget() * 2 && bytes <= capabilities.global_bytes / 10 * 8) {
    return true;
  }
  std::cout << "SKIPPED: " << what << " needs " << (bytes >> 20) << " MiB, the device has "
            << (capabilities.global_bytes >> 20) << '\n';
  return false;
}

/// A buffer, or nothing where the device has no room after all.
std::optional<Buffer<std::uint8_t>> try_allocate(std::uint64_t bytes) {
  if (bytes > test::device().capabilities().max_allocation_bytes) {
    std::cout << "SKIPPED: no allocation of " << (bytes >> 20) << " MiB\n";
    return {};
  }
  std::optional<Buffer<std::uint8_t>> buffer;
  const auto failure = test::failure_of([&] { buffer.emplace(test::device(), bytes); });
  if (!buffer) {
    REQUIRE(failure.category == ErrorCategory::out_of_memory);
    std::cout << "SKIPPED: " << failure.what << '\n';
  }
  return buffer;
}

// Elements are 3, except for a 200 at each of a few marks beyond the borders of 32-bit numbers.
std::vector<std::uint64_t> marks(std::uint64_t n) {
  std::vector<std::uint64_t> positions;
  for (const std::uint64_t candidate : {std::uint64_t{0}, (std::uint64_t{1} << 31) - 1,
                                        std::uint64_t{1} << 31, std::uint64_t{1} << 32, n - 1}) {
    if (candidate < n && (positions.empty() || positions.back() < candidate)) {
      positions.push_back(candidate);
    }
  }
  return positions;
}

void fill(Queue& queue, Buffer<std::uint8_t>& data) {
  queue.fill(data, 3);
  for (const std::uint64_t mark : marks(data.size())) queue.fill(data.view(mark, 1), 200);
}

/// The sum of the first `count` elements of n.
std::uint64_t sum_of_first(std::uint64_t count, std::uint64_t n) {
  std::uint64_t sum = 3 * count;
  for (const std::uint64_t mark : marks(n)) sum += mark < count ? 197u : 0u;
  return sum;
}

void check_reduce(std::uint64_t n) {
  if (!fits("a reduction", n)) return;
  auto data = try_allocate(n);
  if (!data) return;
  Queue queue(test::device());
  fill(queue, *data);
  CHECK(reduce(queue, *data, plus, std::uint64_t{1} << 50) ==
        (std::uint64_t{1} << 50) + sum_of_first(n, n));
  CHECK(reduce(queue, data->view(1, n - 2), plus, std::uint64_t{0}) ==
        sum_of_first(n - 1, n) - 200);
}

/// The last element is the one that is searched for, in up to 2^31 elements and in more.
void check_searches(std::uint64_t n) {
  if (!fits("a search", n)) return;
  auto data = try_allocate(n);
  if (!data) return;
  Queue queue(test::device());
  queue.fill(*data, 100);
  const std::uint64_t most = std::uint64_t{1} << 31;
  for (const std::uint64_t count : {most - 1, most, most + 1, n}) {
    queue.fill(data->view(count - 1, 1), 101);
    CHECK(argmax(queue, data->view(0, count)) == Indexed<std::uint8_t>{101, count - 1});
    queue.fill(data->view(count - 1, 1), 99);
    CHECK(argmin(queue, data->view(0, count)) == Indexed<std::uint8_t>{99, count - 1});
    queue.fill(data->view(count - 1, 1), 100);
    CHECK(argmin(queue, data->view(0, count)) == Indexed<std::uint8_t>{100, 0});
  }
}

/// In place, as two such arrays may not fit; the result is downloaded in pieces.
void check_scan(std::uint64_t n) {
  if (!fits("a scan", n)) return;
  auto data = try_allocate(n);
  if (!data) return;
  Queue queue(test::device());
  fill(queue, *data);
  inclusive_scan(queue, *data, *data, plus);
  constexpr std::uint64_t piece = std::uint64_t{1} << 26;
  std::vector<std::uint8_t> host(piece);
  const auto positions = marks(n);
  std::uint64_t sum = 0;
  for (std::uint64_t begin = 0; begin < n; begin += piece) {
    const std::uint64_t count = std::min(piece, n - begin);
    queue.download(data->view(begin, count), std::span<std::uint8_t>(host).first(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      sum += 3;
      for (const std::uint64_t mark : positions) sum += mark == begin + i ? 197u : 0u;
      if (host[i] == static_cast<std::uint8_t>(sum)) continue;
      FAIL("index ", begin + i, " of ", n, ": expected ", sum % 256, ", got ", +host[i]);
    }
  }
}

/// That `n` results are their elements and one more.
void check_one_more(Queue& queue, const Buffer<std::uint8_t>& results) {
  const std::uint64_t n = results.size();
  CHECK(reduce(queue, results, plus, std::uint64_t{0}) == sum_of_first(n, n) + n);
  for (const std::uint64_t mark : marks(n)) {
    CHECK(queue.download(results.view(mark, 1))[0] == 201);
  }
}

/// Lines of one element each, with an initial value of 1.
void check_lines(std::uint64_t n) {
  if (!fits("a scan of lines and their totals", 2 * n)) return;
  auto data = try_allocate(n);
  auto results = try_allocate(n);
  if (!data || !results) return;
  Queue queue(test::device());
  fill(queue, *data);
  const Lines lines{.length = 1, .inner = n, .inner_stride = 1};
  reduce_into(queue, *data, *results, plus, std::uint8_t{1}, {.lines = lines});
  check_one_more(queue, *results);
  queue.fill(*results, 0);
  inclusive_scan(queue, *data, *data, plus, std::uint8_t{1},
                 {.total = erase(results->view()), .lines = lines});
  check_one_more(queue, *data);
  check_one_more(queue, *results);
}

const std::uint64_t beyond_31 = (std::uint64_t{1} << 31) + 17;
const std::uint64_t beyond_32 = (std::uint64_t{1} << 32) + 4099;
const std::uint64_t beyond_33 = (std::uint64_t{1} << 33) + 5;

}  // namespace

TEST_SUITE_BEGIN("large_reduce");
TEST_CASE("a reduction of more than 2^31 elements") { check_reduce(beyond_31); }
TEST_CASE("a search in more than 2^31 elements") { check_searches(beyond_31); }
TEST_SUITE_END();

TEST_SUITE_BEGIN("large_scan");
TEST_CASE("a scan of more than 2^31 elements") { check_scan(beyond_31); }
TEST_SUITE_END();

TEST_SUITE_BEGIN("large_gpu");
TEST_CASE("a reduction of more than 2^32 elements") { check_reduce(beyond_32); }
TEST_CASE("a scan of more than 2^32 elements") { check_scan(beyond_32); }
TEST_CASE("more than 2^33 lines of one element, and their totals") { check_lines(beyond_33); }
TEST_CASE("byte offsets beyond 2^32 with fewer elements than that") {
  const std::uint64_t n = (std::uint64_t{1} << 29) + 1;
  if (!fits("a scan of u64", n * 8)) return;
  auto bytes = try_allocate(n * 8);
  if (!bytes) return;
  Queue queue(test::device());
  const auto data = bytes->view().as<std::uint64_t>();
  queue.fill(data, 3);
  exclusive_scan(queue, data, data, plus, 5);
  for (const std::uint64_t index : {std::uint64_t{0}, n / 2, n - 1}) {
    CHECK(queue.download(data.subview(index, 1))[0] == 5 + 3 * index);
  }
  CHECK(reduce(queue, data, maximum) == 5 + 3 * (n - 1));
}
TEST_SUITE_END();

}  // namespace bifold
