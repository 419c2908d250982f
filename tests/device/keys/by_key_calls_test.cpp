// What calls by key take besides, and what they refuse.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "device/keys/keys.hpp"
#include "device/selection/selections.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/variable.hpp"

namespace bifold {

using test::failure_of;
using test::uploaded;

namespace {

// Keys, elements and outputs of a few thousand runs.
struct Data {
  explicit Data(Queue& queue)
      : lengths(test::run_lengths(20'000, 21)), host_keys(test::keys_of<std::int32_t>(lengths)) {
    host.resize(host_keys.size());
    for (std::size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::int32_t>(i % 1009);
    keys = uploaded(queue, host_keys);
    input = uploaded(queue, host);
    unique = queue.allocate<std::int32_t>(lengths.size());
    runs = queue.allocate<std::uint64_t>(1);
  }

  // What `make` makes of the elements of each run of the first n.
  template <class Make>
  [[nodiscard]] auto of_each(const Make& make, std::size_t n = ~std::size_t{0}) const {
    n = std::min(n, host.size());
    std::vector<decltype(make(std::span(host)))> values;
    std::size_t first = 0;
    for (const std::uint64_t length : lengths) {
      if (first >= n) break;
      values.push_back(make(std::span(host).subspan(first, std::min(length, n - first))));
      first += length;
    }
    return values;
  }
  [[nodiscard]] Keys by(const Map& equality = {}) {
    return {erase(keys), erase(unique), erase(runs), equality};
  }

  std::vector<std::uint64_t> lengths;
  std::vector<std::int32_t> host_keys;
  std::vector<std::int32_t> host;
  Buffer<std::int32_t> keys{};
  Buffer<std::int32_t> input{};
  Buffer<std::int32_t> unique{};
  Buffer<std::uint64_t> runs{};
};

constexpr auto sum = [](auto part) {
  return std::accumulate(part.begin(), part.end(), std::int32_t{0});
};

}  // namespace

TEST_SUITE_BEGIN("by_key_calls");

TEST_CASE("named reductions by key, a map's index, a second array and a second output") {
  Queue queue(test::device());
  Data data(queue);
  const std::size_t runs = data.lengths.size();
  ReduceOptions options;
  options.keys = data.by();
  auto places = queue.allocate<std::int64_t>(runs);
  argmax_into(queue, erase(data.input), erase(places), options);
  CHECK(queue.download(places) == data.of_each([](auto part) {
    return std::int64_t{std::max_element(part.begin(), part.end()) - part.begin()};
  }));
  auto sums = queue.allocate<std::int64_t>(runs);
  transform_reduce_by_key(queue, data.by(), erase(data.input), erase(sums), plus, {},
                          "(i64)x * (i64)i");
  CHECK(queue.download(sums) == data.of_each([](auto part) {
    std::int64_t weighted = 0;
    for (std::size_t i = 0; i < part.size(); ++i) {
      weighted += part[i] * static_cast<std::int64_t>(i);
    }
    return weighted;
  }));
  auto halves = queue.allocate<float>(runs);
  options.more_outputs = {{erase(halves), "s * 0.5f"}};
  options.accumulate = Type::i64;
  transform_reduce_into(queue, erase(data.input), erase(data.input), erase(sums), plus, {},
                        "(i64)x + (i64)y", options);
  CHECK(queue.download(sums) ==
        data.of_each([](auto part) { return std::int64_t{2} * sum(part); }));
  CHECK(queue.download(halves) ==
        data.of_each([](auto part) { return static_cast<float>(sum(part)); }));
}

TEST_CASE("a plan with a workspace, n and an initial value in device memory") {
  Queue queue(test::device());
  Data data(queue);
  const std::size_t runs = data.lengths.size();
  const std::size_t n = data.host.size();
  const auto count = uploaded(queue, std::vector<std::uint32_t>{15'000});
  const auto start = uploaded(queue, std::vector<std::int32_t>{100});
  ReduceShape shape;
  shape.on_device = {Type::u32, true};
  shape.keys = KeyShape{Type::i32, Type::i32, Type::u64};
  const ReducePlan plan(queue.device(), shape);
  shape.map = "1";
  const ReducePlan counting(queue.device(), shape);
  auto memory =
      queue.allocate<std::uint8_t>(std::max(plan.workspace_bytes(n), counting.workspace_bytes(n)));
  const Workspace workspace(memory.view());
  ReduceOptions options{.workspace = &workspace};
  options.count_from = erase(count);
  options.init_from = erase(start);
  options.keys = data.by();
  auto result = uploaded(queue, std::vector<std::int32_t>(runs, -1));
  plan.run(queue, erase(data.input), erase(result), {}, options);
  auto want = data.of_each([](auto part) { return 100 + sum(part); }, 15'000);
  CHECK(queue.download(data.runs)[0] == want.size());
  want.resize(runs, -1);
  CHECK(queue.download(result) == want);
  counting.run(queue, erase(data.input), erase(result), {}, options);
  auto counts = data.of_each([](auto part) { return 100 + static_cast<int>(part.size()); }, 15'000);
  counts.resize(runs, -1);
  CHECK(queue.download(result) == counts);
}

TEST_CASE("scalars of the equality and of the map, from the host and from device memory") {
  Queue queue(test::device());
  Data data(queue);
  const std::size_t runs = data.lengths.size();
  const auto factor = uploaded(queue, std::vector<std::int32_t>{3});
  const Map scaled("x * factor", {{"factor", Type::i32}});
  const Map equality("(x & mask) == (y & mask)", {{"mask", Type::i32}});
  auto result = queue.allocate<std::int32_t>(runs);
  ReduceOptions options;
  options.scalars = {Scalar("mask", Value(~std::int32_t{0})), Scalar("factor", erase(factor))};
  transform_reduce_by_key(queue, data.by(equality), erase(data.input), erase(result), plus, {},
                          scaled, options);
  CHECK(queue.download(result) == data.of_each([](auto part) { return 3 * sum(part); }));
  options.scalars[0] = Scalar("mask", Value(std::int32_t{0}));
  transform_reduce_by_key(queue, data.by(equality), erase(data.input), erase(result), plus, {},
                          scaled, options);
  CHECK(queue.download(data.runs)[0] == 1);
  CHECK(queue.download(result)[0] == 3 * sum(std::span(data.host)));
  // A plain call with the same map has scalars of its own.
  auto all = queue.allocate<std::int32_t>(1);
  ReduceOptions plain;
  plain.scalars = {Scalar("factor", Value(std::int32_t{2}))};
  transform_reduce_into(queue, erase(data.input), erase(all), plus, {}, scaled, plain);
  CHECK(queue.download(all)[0] == 2 * sum(std::span(data.host)));
}

TEST_CASE("of no elements there are no runs, and nothing but their number is written") {
  Queue queue(test::device());
  Data data(queue);
  auto result = uploaded(queue, std::vector<std::int32_t>{5, 6});
  for (const std::uint64_t places : {0U, 2U}) {
    queue.fill(data.runs, std::uint64_t{77});
    const auto unique = data.unique.view(0, places);
    const Keys none{erase(data.keys.view(0, 0)), erase(unique), erase(data.runs)};
    reduce_by_key(queue, none, erase(data.input.view(0, 0)), erase(result.view(0, places)), plus,
                  {});
    CHECK(queue.download(data.runs)[0] == 0);
    CHECK(queue.download(result) == std::vector<std::int32_t>{5, 6});
  }
}

TEST_CASE("runs that two passes find leave what lies behind the workspace as it is") {
  const test::Variable disabled("BIFOLD_DISABLE", "ring,lookback,drawn");
  const Device device = test::open_again({});
  Queue queue(device);
  Data data(queue);
  const std::uint64_t n = data.host.size();
  constexpr std::uint8_t untouched = 0xa5;
  // Accumulators are narrower and wider than the number of runs.
  for (const Type result : {Type::u8, Type::i32, Type::i64}) {
    CAPTURE(name_of(result));
    ReduceShape shape{.input = Type::i32, .accumulator = result, .map = "x % 2"};
    shape.keys = KeyShape{};
    const ReducePlan plan(device, shape);
    const std::uint64_t bytes = plan.workspace_bytes(n);
    auto memory = queue.allocate<std::uint8_t>(8 * bytes);
    queue.fill(memory, untouched);
    const Workspace workspace(memory.view(0, bytes));
    ReduceOptions options{.workspace = &workspace};
    options.keys = data.by();
    auto sums = queue.allocate<std::int64_t>(data.lengths.size());
    const ErasedView view{erase(sums).memory, erase(sums).byte_offset, data.lengths.size(), result,
                          true};
    plan.run(queue, erase(data.input), view, {}, options);
    CHECK(queue.download(data.runs)[0] == data.lengths.size());
    const auto all = queue.download(memory);
    CHECK(std::all_of(all.begin() + static_cast<std::ptrdiff_t>(bytes), all.end(),
                      [](std::uint8_t byte) { return byte == untouched; }));
  }
}

TEST_CASE("lengths by rows of segments, and their workspace by any row of lines") {
  Queue queue(test::device());
  Data data(queue);
  auto lengths = queue.allocate<std::uint64_t>(data.lengths.size());
  const std::string_view row =
      test::device().info().kind == DeviceKind::gpu ? "segments_v1" : "segments_chunks_v1";
  ReduceOptions options;
  options.variant = row;
  run_length_encode(queue, data.by(), erase(lengths), options);
  CHECK(queue.download(lengths) == data.lengths);
  ReduceShape shape{.input = Type::i32, .accumulator = Type::u64, .map = "1"};
  shape.keys = KeyShape{};
  shape.variant = "lines_v1_ordered";
  const ReducePlan plan(queue.device(), shape);
  const std::uint64_t n = data.host.size();
  CHECK(plan.workspace_bytes(n) < 100 * n);
  auto memory = queue.allocate<std::uint8_t>(plan.workspace_bytes(n));
  const Workspace workspace(memory.view());
  options = {.workspace = &workspace};
  options.keys = data.by();
  queue.fill(lengths, std::uint64_t{0});
  plan.run(queue, erase(data.keys), erase(lengths), {}, options);
  CHECK(queue.download(lengths) == data.lengths);
}

TEST_CASE("an operator without identity, with a count in device memory or of nothing") {
  Queue queue(test::device());
  Data data(queue);
  const Operator greatest = Operator::user("bound", "max(a, b)", Type::i32);
  const auto count = uploaded(queue, std::vector<std::uint32_t>{15'000});
  auto result = queue.allocate<std::int32_t>(data.lengths.size());
  ReduceOptions options;
  options.count_from = erase(count);
  reduce_by_key(queue, data.by(), erase(data.input), erase(result), greatest, {}, options);
  auto got = queue.download(result);
  const auto want =
      data.of_each([](auto part) { return *std::max_element(part.begin(), part.end()); }, 15'000);
  got.resize(want.size());
  CHECK(got == want);
  const Keys none{erase(data.keys.view(0, 0)), erase(data.unique), erase(data.runs)};
  reduce_by_key(queue, none, erase(data.input.view(0, 0)), erase(result), greatest, {});
  CHECK(queue.download(data.runs)[0] == 0);
}

TEST_CASE("a workspace holds any number of segments") {
  Queue queue(test::device());
  constexpr std::uint64_t n = 2'000'000;
  const auto input = uploaded(queue, std::vector<std::int32_t>(n, 1));
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t at = 0; at <= n; at += 2000) offsets.push_back(at);
  const auto bounds = uploaded(queue, offsets);
  ReduceShape shape;
  shape.segments = {Type::u32, false};
  const ReducePlan plan(queue.device(), shape);
  auto memory = queue.allocate<std::uint8_t>(plan.workspace_bytes(n));
  const Workspace workspace(memory.view());
  ReduceOptions options{.workspace = &workspace};
  options.segments = Segments::of_offsets(bounds);
  auto result = queue.allocate<std::int32_t>(offsets.size() - 1);
  plan.run(queue, erase(input), erase(result), {}, options);
  CHECK(queue.download(result) == std::vector<std::int32_t>(offsets.size() - 1, 2000));
}

TEST_CASE("keys that do not fit, memory that overlaps, and calls that take none") {
  Queue queue(test::device());
  Data data(queue);
  const std::size_t runs = data.lengths.size();
  auto result = queue.allocate<std::int32_t>(runs);
  const auto refused = [&](const auto& call, const char* words) {
    const test::Failure failure = failure_of(call);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  const auto reduce_to = [&](const Keys& by, const ErasedView& to,
                             const ReduceOptions& options = {}) {
    reduce_by_key(queue, by, erase(data.input), to, plus, {}, options);
  };
  Keys keys = data.by();
  keys.keys.count -= 1;
  refused([&] { reduce_to(keys, erase(result)); }, "keys of");
  refused([&] { reduce_to(data.by(), erase(result.view(0, 3))); }, "3 elements, for");
  keys = data.by();
  keys.runs = erase(result.view(0, 1));
  refused([&] { reduce_to(keys, erase(result)); }, "u32 or u64");
  keys = data.by();
  keys.unique = erase(result);
  refused([&] { reduce_to(keys, erase(result)); }, "unique keys overlap");
  refused([&] { reduce_to(data.by(), erase(data.keys.view(0, runs))); }, "keys overlap");
  keys = data.by();
  keys.unique = erase(data.keys.view(0, runs));
  refused([&] { reduce_to(keys, erase(result)); }, "unique keys overlap");
  ReduceOptions options;
  options.lines = Lines::rows(1, data.host.size());
  refused([&] { reduce_to(data.by(), erase(result), options); }, "beside lines");
  ReduceShape both;
  both.keys = KeyShape{};
  both.segments = SegmentShape{};
  refused([&] { static_cast<void>(ReducePlan(queue.device(), both)); }, "beside lines");
  options = {};
  options.count_from = erase(data.runs);
  refused([&] { reduce_to(data.by(), erase(result), options); }, "count_from overlaps");
  options = {};
  options.keys = data.by();
  auto scalar = queue.allocate<float>(runs);
  refused([&] { mean_into(queue, erase(data.input), erase(scalar), options); }, "keys");
  refused([&] { static_cast<void>(reduce(queue, erase(data.input), plus, Value(0), options)); },
          "one line");
  const ReducePlan plan(queue.device(), ReduceShape{});
  refused([&] { plan.run(queue, erase(data.input), erase(result), {}, options); }, "without");
  reduce_to(data.by(), erase(result));
  CHECK(queue.download(result) == data.of_each(sum));
}

TEST_SUITE_END();

}  // namespace bifold
