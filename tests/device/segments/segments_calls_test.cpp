// What calls on segments take besides, and what they refuse.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "device/selection/selections.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

using test::failure_of;
using test::uploaded;

namespace {

constexpr std::uint64_t n = 20'000;

// Three short ones, an empty one and a long one.
const std::vector<std::uint32_t> offsets{0, 3, 10, 10, 200, 20'000};

std::vector<std::int32_t> numbers() {
  std::vector<std::int32_t> host(n);
  for (std::uint64_t i = 0; i < n; ++i) host[i] = static_cast<std::int32_t>(i * 7919 % 1009);
  return host;
}

template <class Make>
auto of_each(const std::vector<std::int32_t>& host, const Make& make) {
  std::vector<decltype(make(std::span(host)))> values;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    values.push_back(make(std::span(host).subspan(offsets[s], offsets[s + 1] - offsets[s])));
  }
  return values;
}

}  // namespace

TEST_SUITE_BEGIN("segments_calls");

TEST_CASE("named reductions of segments, a map's index and a second array") {
  Queue queue(test::device());
  const auto host = numbers();
  const auto input = uploaded(queue, host);
  const auto bounds = uploaded(queue, offsets);
  ReduceOptions options;
  options.segments = Segments::of_offsets(bounds);
  auto places = queue.allocate<std::int64_t>(5);
  argmax_into(queue, erase(input), erase(places), options);
  CHECK(queue.download(places) == of_each(host, [](auto part) {
          const auto found = std::max_element(part.begin(), part.end());
          return part.empty() ? std::int64_t{-1} : std::int64_t{found - part.begin()};
        }));
  auto sums = queue.allocate<std::int64_t>(5);
  segmented_transform_reduce(queue, erase(input), *options.segments, erase(sums), plus, {},
                             "(i64)x * (i64)i");
  const auto weighted = of_each(host, [](auto part) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < part.size(); ++i) sum += part[i] * static_cast<std::int64_t>(i);
    return sum;
  });
  CHECK(queue.download(sums) == weighted);
  transform_reduce_into(queue, erase(input), erase(input), erase(sums), plus, {}, "(i64)x * (i64)y",
                        options);
  CHECK(queue.download(sums) == of_each(host, [](auto part) {
          return std::transform_reduce(part.begin(), part.end(), part.begin(), std::int64_t{0});
        }));
}

TEST_CASE("a plan with a workspace, counts and initial values in device memory") {
  Queue queue(test::device());
  const auto host = numbers();
  const auto input = uploaded(queue, host);
  const auto bounds = uploaded(queue, offsets);
  const auto count = uploaded(queue, std::vector<std::uint64_t>{15'000});
  auto segments = uploaded(queue, std::vector<std::uint32_t>{4});
  const auto starts = uploaded(queue, std::vector<std::int32_t>{100, 200, 300, 400, 500});
  auto faults = queue.allocate<std::uint64_t>(1);
  ReduceShape shape;
  shape.on_device = {Type::u64, true, false, Type::u32};
  shape.segments = {Type::u32, true};
  const ReducePlan plan(queue.device(), shape);
  auto memory = queue.allocate<std::uint8_t>(plan.workspace_bytes(n));
  const Workspace workspace(memory.view());
  ReduceOptions options{.workspace = &workspace};
  options.count_from = erase(count);
  options.init_from = erase(starts);
  options.lines_from = erase(segments);
  options.segments = Segments::of_offsets(bounds);
  options.segments->faults = erase(faults);
  for (const bool all : {false, true}) {
    if (all) queue.fill(segments, 5U);
    auto result = uploaded(queue, std::vector<std::int32_t>(5, -1));
    plan.run(queue, erase(input), erase(result), {}, options);
    auto want = of_each(
        host, [](auto part) { return std::accumulate(part.begin(), part.end(), std::int32_t{0}); });
    want[4] = std::accumulate(host.begin() + 200, host.begin() + 15'000, std::int32_t{0});
    for (std::size_t s = 0; s < 5; ++s) want[s] += static_cast<std::int32_t>(100 * (s + 1));
    if (!all) want[4] = -1;
    CHECK(queue.download(result) == want);
    CHECK(queue.download(faults)[0] == (all ? 1U : 0U));
  }
}

TEST_CASE("two queues at once, and a result map") {
  Queue one(test::device());
  Queue other(test::device());
  const auto host = numbers();
  const auto input = uploaded(one, host);
  const auto bounds = uploaded(one, offsets);
  one.finish();
  auto first = one.allocate<std::int32_t>(5);
  auto second = one.allocate<float>(5);
  ReduceOptions halved;
  halved.accumulate = Type::i32;
  halved.result_map = "s * 0.5f";
  for (int turn = 0; turn < 20; ++turn) {
    segmented_reduce(one, input, Segments::of_offsets(bounds), first, plus, 1);
    segmented_reduce(other, erase(input), Segments::of_offsets(bounds), erase(second), plus, {},
                     halved);
  }
  one.finish();
  other.finish();
  CHECK(one.download(first) == of_each(host, [](auto part) {
          return std::accumulate(part.begin(), part.end(), std::int32_t{1});
        }));
  CHECK(one.download(second) == of_each(host, [](auto part) {
          return 0.5F * static_cast<float>(std::accumulate(part.begin(), part.end(), 0));
        }));
}

TEST_CASE("segments that do not fit, and calls that take none") {
  Queue queue(test::device());
  const auto input = uploaded(queue, numbers());
  const auto bounds = uploaded(queue, offsets);
  auto result = queue.allocate<std::int32_t>(5);
  auto scalar = queue.allocate<float>(5);
  const auto refused = [&](const auto& call, const char* words) {
    const test::Failure failure = failure_of(call);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  const Segments segments = Segments::of_offsets(bounds);
  const auto reduce_to = [&](const Segments& by, const ErasedView& to,
                             const ReduceOptions& options = {}) {
    segmented_reduce(queue, erase(input), by, to, plus, {}, options);
  };
  const auto some = [&](std::uint64_t count) { return erase(result.view(0, count)); };
  refused([&] { static_cast<void>(Segments::of_offsets(bounds.view(0, 0))); }, "offsets");
  refused([&] { reduce_to(segments, some(4)); }, "4 elements, for 5 segments");
  refused([&] { reduce_to(Segments::of_bounds(bounds.view(0, 4), bounds.view(0, 5)), some(4)); },
          "4 begins and 5 ends");
  refused([&] { reduce_to(Segments::of_offsets(input.view(0, 6)), some(5)); }, "u32 or u64");
  refused(
      [&] {
        reduce_to({erase(bounds.view(0, 5)), erase(input.view(0, 5))}, some(5));
      },
      "different types");
  ReduceOptions by_lines;
  by_lines.lines = Lines::rows(5, 4000);
  refused([&] { reduce_to(segments, some(5), by_lines); }, "lines and segments");
  Segments counted = segments;
  counted.faults = erase(result.view(0, 1));
  refused([&] { reduce_to(counted, some(5)); }, "faults");
  const auto count = uploaded(queue, std::vector<std::uint64_t>{2});
  counted.faults = erase(count);
  counted.faults->writable = true;
  ReduceOptions counting;
  counting.count_from = erase(count);
  refused([&] { reduce_to(counted, some(5), counting); }, "count_from overlaps");
  ReduceOptions of_segments;
  of_segments.segments = segments;
  refused([&] { static_cast<void>(reduce(queue, erase(input), plus, Value(0), of_segments)); },
          "one line");
  refused([&] { mean_into(queue, erase(input), erase(scalar), of_segments); }, "no segments");
  const ReducePlan plan(queue.device(), ReduceShape{});
  refused([&] { plan.run(queue, erase(input), some(5), {}, of_segments); }, "without");
  reduce_to(segments, some(5));
  CHECK(queue.download(result)[0] == 0 + 7919 % 1009 + 2 * 7919 % 1009);
}

TEST_SUITE_END();

}  // namespace bifold
