// Values in device memory: what is refused, and scratch memory that such calls share with others.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <functional>
#include <numeric>

#include "core/call/reduce.hpp"
#include "core/call/scan.hpp"
#include "core/gallery/gallery.hpp"
#include "support/cases/group_sizes.hpp"
#include "support/cases/rows.hpp"
#include "support/cases/workload.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/values/random.hpp"

namespace bifold {

using test::failure_of;

namespace {

constexpr std::uint64_t length = 1000;
constexpr auto invalid = ErrorCategory::invalid_argument;

std::vector<std::int32_t> numbers(std::uint64_t count) {
  std::vector<std::int32_t> values(count);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = static_cast<std::int32_t>(i * 7 % 31) - 9;
  return values;
}

/// A queue with data and cells; checks the aftermath of wrong calls.
struct Stage {
  Queue queue{test::device()};
  std::vector<std::int32_t> host = numbers(length);
  Buffer<std::int32_t> input = queue.upload(std::span<const std::int32_t>(host));
  Buffer<std::int32_t> output = queue.upload(std::span<const std::int32_t>(host));
  Buffer<std::int32_t> cells = queue.upload(std::span<const std::int32_t>(host).first(16));
  Buffer<std::uint64_t> count = queue.upload(std::span(&half, 1));
  View<std::int32_t> result = cells.view(0, 1);
  View<std::int32_t> init = cells.view(3, 1);
  View<std::int32_t> total = cells.view(6, 1);

  static constexpr std::uint64_t half = length / 2;

  void refuses(const std::function<void()>& call, std::initializer_list<const char*> words,
               ErrorCategory category = invalid) {
    const auto failure = failure_of(call);
    CHECK_MESSAGE(failure.category == category, failure.what);
    for (const char* word : words) {
      CHECK_MESSAGE(failure.mentions(word), "no '", std::string(word), "' in: ", failure.what);
    }
    CHECK(queue.download(input) == host);
    CHECK(queue.download(output) == host);
    CHECK(queue.download(cells) == std::vector(host.begin(), host.begin() + 16));
    CHECK(queue.download(count)[0] == half);
  }
  void scan_refuses(const ScanOptions& options, std::initializer_list<const char*> words) {
    refuses([&] { inclusive_scan(queue, input, output, plus, options); }, words);
  }
  void reduce_refuses(const ReduceOptions& options, std::initializer_list<const char*> words) {
    refuses([&] { reduce_into(queue, input, result, plus, options); }, words);
  }
};

/// Running sums of the first n of `most` numbers; whether they and the total came out.
struct Counted {
  static constexpr std::uint64_t most = 60'000;

  explicit Counted(Queue& on) : queue(on) {
    queue.upload(std::span<const std::int32_t>(host), input);
    std::partial_sum(host.begin(), host.end(), sums.begin());
  }

  bool right(const ScanPlan& plan, std::uint64_t n, const Workspace* workspace) {
    queue.upload(std::span<const std::uint64_t>(&n, 1), count);
    queue.fill(output, -1);
    plan.run(queue, input, output, Value(0),
             {.workspace = workspace, .count_from = count, .total = total});
    const auto got = queue.download(output);
    const auto at = static_cast<std::ptrdiff_t>(n);
    return std::equal(got.begin(), got.begin() + at, sums.begin()) &&
           std::all_of(got.begin() + at, got.end(), [](std::int32_t x) { return x == -1; }) &&
           queue.download(total)[0] == (n == 0 ? 0 : sums[n - 1]);
  }
  /// The same with n from the host, and no total.
  bool right_from_host(const ScanPlan& plan, std::uint64_t n, const Workspace* workspace) {
    plan.run(queue, input.view(0, n), output.view(0, n), Value(0), {.workspace = workspace});
    const auto got = queue.download(output.view(0, n));
    return std::equal(got.begin(), got.end(), sums.begin());
  }

  Queue& queue;
  std::vector<std::int32_t> host = numbers(most);
  std::vector<std::int32_t> sums = std::vector<std::int32_t>(most);
  Buffer<std::int32_t> input{test::device(), most};
  Buffer<std::int32_t> output{test::device(), most};
  Buffer<std::int32_t> total{test::device(), 1};
  Buffer<std::uint64_t> count{test::device(), 1};
};

std::vector<const gallery::Variant*> scans_with_values(Type type = Type::i32,
                                                       const Operator& op = plus) {
  auto rows = test::families_on_device(Algorithm::scan, type, op);
  std::erase_if(rows, [](const auto* row) { return !row->device_values; });
  return rows;
}

ScanShape counted_shape(const gallery::Variant& row) {
  return {.variant = row.name, .on_device = {.count = Type::u64, .total = true}};
}

}  // namespace

TEST_SUITE_BEGIN("device_values");

TEST_CASE("a value in device memory is one element of its type") {
  Stage stage;
  const auto two = stage.count.view().as<std::uint32_t>();
  stage.scan_refuses({.count_from = two}, {"count_from", "1 element", "2"});
  stage.scan_refuses({.count_from = stage.count.view(0, 0)}, {"count_from", "1 element"});
  stage.scan_refuses({.count_from = stage.init}, {"count", "u32 or u64", "i32"});
  stage.scan_refuses({.init_from = stage.count}, {"init_from", "u64", "i32"});
  stage.scan_refuses({.init_from = stage.cells}, {"init_from", "1 element", "16"});
  stage.scan_refuses({.total = stage.count}, {"total", "u64", "i32"});
  stage.scan_refuses({.total = stage.cells}, {"total", "1 element"});
  stage.scan_refuses({.total = View<const std::int32_t>(stage.total)}, {"total", "read-only"});
  stage.reduce_refuses({.count_from = two}, {"count_from", "1 element", "2"});
  stage.reduce_refuses({.init_from = stage.count}, {"init_from", "u64", "i32"});
  // Of the accumulator's type, which need not be the output's.
  stage.scan_refuses({.accumulate = Type::i64, .init_from = stage.init}, {"init_from", "i64"});
  stage.scan_refuses({.accumulate = Type::i64, .total = stage.total}, {"total", "i64"});
}

TEST_CASE("a value of another device is refused") {
  Stage stage;
  const Device other = test::open_again({});
  const Buffer<std::uint64_t> count(other, 1);
  Buffer<std::int32_t> cell(other, 1);
  if (count.view().memory().context == stage.count.view().memory().context) {
    MESSAGE("the device opened twice is one context");
    return;
  }
  stage.scan_refuses({.count_from = count}, {"count_from", "another device"});
  stage.scan_refuses({.init_from = cell}, {"init_from", "another device"});
  stage.scan_refuses({.total = cell}, {"total", "another device"});
}

TEST_CASE("values in device memory do not overlap what the call writes") {
  Stage stage;
  const auto inside = stage.output.view(500, 1);
  stage.scan_refuses({.init_from = inside}, {"init_from overlaps the output"});
  stage.scan_refuses({.total = inside}, {"total overlaps the output"});
  stage.scan_refuses({.total = stage.input.view(length - 1, 1)}, {"total overlaps the input"});
  stage.scan_refuses({.init_from = stage.total, .total = stage.total},
                     {"total overlaps init_from"});
  // Also where the output may be the input.
  stage.refuses(
      [&] {
        inclusive_scan(stage.queue, stage.input, stage.input, plus,
                       {.init_from = stage.input.view(3, 1)});
      },
      {"init_from overlaps the output"});
  const auto pair = stage.count.view().as<std::uint32_t>();
  stage.refuses(
      [&] {
        inclusive_scan(stage.queue, pair.subview(0, 1), pair.subview(1, 1), plus,
                       {.count_from = pair.subview(1, 1)});
      },
      {"count_from overlaps the output"});
  stage.refuses(
      [&] {
        inclusive_scan(stage.queue, stage.input, stage.output, plus,
                       {.accumulate = Type::u64, .count_from = stage.count, .total = stage.count});
      },
      {"total overlaps count_from"});
  stage.refuses(
      [&] {
        reduce_into(stage.queue, stage.input, stage.count, plus, {.count_from = stage.count});
      },
      {"count_from overlaps the output"});
}

TEST_CASE("values in device memory do not overlap the workspace") {
  Stage stage;
  const ScanPlan plan(test::device(), {.on_device = {Type::u64, true, true}});
  const std::uint64_t bytes = plan.workspace_bytes(length);
  auto memory = stage.queue.allocate<std::uint64_t>(bytes / 8 + 1);
  const Workspace workspace(memory.view().as<std::uint8_t>().subview(0, bytes));
  const ErasedView cell = erase(memory.view().as<std::int32_t>().subview(10, 1));
  const ErasedView count = erase(memory.view(5, 1));
  const test::ValueViews sets[] = {{count, stage.init, stage.total},
                                   {stage.count, cell, stage.total},
                                   {stage.count, stage.init, cell}};
  for (const test::ValueViews& values : sets) {
    const ScanOptions options{.workspace = &workspace,
                              .count_from = values.count,
                              .init_from = values.init,
                              .total = values.total};
    stage.refuses([&] { plan.run(stage.queue, stage.input, stage.output, Value(0), options); },
                  {"workspace overlaps"});
  }
}

TEST_CASE("a plan takes the values that it was made for, and no others") {
  Stage stage;
  const ScanPlan host(test::device(), {});
  const ScanPlan counted(test::device(), {.on_device = {.count = Type::u64}});
  const ScanPlan narrow(test::device(), {.on_device = {.count = Type::u32}});
  for (const auto& [plan, options] :
       {std::pair(&host, ScanOptions{.count_from = stage.count}),
        {&counted, ScanOptions{}},
        {&narrow, ScanOptions{.count_from = stage.count}},
        {&counted, ScanOptions{.count_from = stage.count, .total = stage.total}}}) {
    stage.refuses(
        [&, &made = *plan, &with = options] {
          made.run(stage.queue, stage.input, stage.output, Value(0), with);
        },
        {"other values in device memory"});
  }
  stage.refuses([&] { (void)ScanPlan(test::device(), {.on_device = {.count = Type::f32}}); },
                {"u32 or u64", "f32"});
  stage.refuses([&] { (void)ReducePlan(test::device(), {.on_device = {.total = true}}); },
                {"reduction", "total"});
}

TEST_CASE("rows that know n from the host only say so; production takes the values everywhere") {
  Stage stage;
  std::size_t refused = 0;
  for (const auto& row : gallery::variants()) {
    if (!gallery::supports(test::device(), row, Type::i32, plus) || row.device_values) continue;
    INFO(row.name);
    ++refused;
    stage.refuses(
        [&] {
          if (row.algorithm == Algorithm::scan) {
            inclusive_scan(stage.queue, stage.input, stage.output, plus,
                           {.variant = row.name, .count_from = stage.count});
          } else {
            reduce_into(stage.queue, stage.input, stage.result, plus,
                        {.variant = row.name, .init_from = stage.init});
          }
        },
        {"from the host only"}, ErrorCategory::unsupported);
  }
  CHECK(refused > 0);
  for (const Algorithm algorithm : {Algorithm::reduce, Algorithm::scan}) {
    const auto& production = *gallery::find(algorithm, "production");
    CHECK(production.device_values);
    const core::Recipe& rows = core::recipe_of(production);
    for (const auto* names : {&rows.on_gpu, &rows.on_lanes_of_32, &rows.on_cpu}) {
      for (const auto name : *names) CHECK(gallery::find(algorithm, name)->device_values);
    }
  }
}

TEST_CASE("a blocking reduction counts on the device, and waits and completes as any") {
  Stage stage;
  Event uploaded = stage.queue.record();
  Event done;
  const std::int32_t sum = reduce(stage.queue, stage.input, plus, 0,
                                  {.wait = {uploaded}, .done = &done, .count_from = stage.count});
  CHECK(sum == std::accumulate(stage.host.begin(), stage.host.begin() + Stage::half, 0));
  CHECK(done.complete());
}

TEST_CASE("the initial value of a logical operator counts as 0 or 1, of no elements too") {
  Queue queue(test::device());
  const float values[] = {7, 0, 0.5F};
  const auto inits = queue.upload(std::span<const float>(values));
  const auto zeros = queue.upload(std::span<const float>(std::vector<float>(50)));
  const std::uint64_t counts[] = {0, 20};
  const auto counted = queue.upload(std::span<const std::uint64_t>(counts));
  for (const auto* row : scans_with_values(Type::f32, logical_or)) {
    for (std::uint64_t at = 0; at < 3; ++at) {
      INFO(row->name << ", init " << values[at]);
      const float truth = values[at] != 0 ? 1 : 0;
      auto output = queue.allocate<float>(50);
      auto total = queue.allocate<float>(2);
      for (std::uint64_t c = 0; c < 2; ++c) {
        exclusive_scan(queue, zeros, output, logical_or,
                       {.variant = row->name,
                        .count_from = counted.view(c, 1),
                        .init_from = inits.view(at, 1),
                        .total = total.view(c, 1)});
      }
      CHECK(queue.download(output.view(0, 20)) == std::vector<float>(20, truth));
      CHECK(queue.download(total) == std::vector<float>(2, truth));
      CHECK(reduce(queue, zeros, logical_or, 0.0F,
                   {.count_from = counted.view(0, 1), .init_from = inits.view(at, 1)}) == truth);
    }
  }
}

TEST_CASE("scans of few of many elements leave scratch memory right for the next") {
  test::Random random(test::seed());
  Queue queue(test::device());
  Counted data(queue);
  for (const auto* row : scans_with_values()) {
    const ScanPlan counted(test::device(), counted_shape(*row));
    const ScanPlan host(test::device(), {.variant = row->name});
    Buffer<std::uint8_t> memory(test::device(), counted.workspace_bytes(Counted::most));
    // Rows over lines keep nothing for a line of one tile.
    CHECK((row->lines || counted.workspace_bytes(0) > 0));
    CHECK(counted.workspace_bytes(0) <= counted.workspace_bytes(1));
    queue.fill(memory, 0x5a);
    Workspace raw(memory);
    Workspace prepared(memory);
    for (int round = 0; round < 24; ++round) {
      // Raw, then prepared, then the queue's own.
      if (round == 8) prepared.prepare(queue);
      const Workspace* workspace = round < 8 ? &raw : round < 16 ? &prepared : nullptr;
      const std::uint64_t n = round % 6 == 0 ? 0 : random.below(Counted::most + 1);
      INFO(row->name << ", round " << round << ", n " << n);
      CHECK(data.right(counted, n, workspace));
      CHECK(data.right_from_host(host, random.below(Counted::most) + 1, workspace));
    }
  }
}

TEST_CASE("epochs wrap and tiles are missed in scans of few of many elements") {
  test::Random random(test::seed() + 1);
  for (const core::TestHooks& hooks : {core::TestHooks{.epoch_limit = 2}, {.spin_limit = 0}}) {
    for (const auto* row : scans_with_values()) {
      if (!test::publishes(*row)) continue;
      const core::Tuning tuning = test::default_tuning_of(test::workload_of(*row, Type::i32, plus));
      Queue queue(test::device());
      Counted data(queue);
      const ScanPlan plan = core::make_plan(test::device(), counted_shape(*row), tuning, hooks);
      for (int round = 0; round < 20; ++round) {
        const std::uint64_t n = round % 5 == 0 ? 0 : random.below(Counted::most + 1);
        INFO(row->name << ", " << (hooks.epoch_limit ? "epochs" : "spins") << ", round " << round
                       << ", n " << n);
        CHECK(data.right(plan, n, nullptr));
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
