// Plans over a group: over a transport that enqueues and over one that blocks, the bits of one
// device's call.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/group/group_plans.hpp>

#include "core/group/fold.hpp"
#include "group/cuts.hpp"
#include "group/queue_transport.hpp"
#include "support/errors.hpp"
#include "support/values/arithmetic.hpp"
#include "support/values/numbers.hpp"

namespace bifold {

namespace {

using test::Offsets;
using test::QueueTransport;
using test::same_bytes;
using test::Sliced;

template <class Slices>
std::vector<Share> shares_of(const Slices& slices) {
  std::vector<Share> shares;
  shares.reserve(slices.size());
  for (const auto& slice : slices) shares.push_back({slice.queue, slice.input.count});
  return shares;
}

// Of a number of ranks, with plans that enqueue or that block.
Group group_of(std::size_t ranks, bool streams) {
  const auto count = static_cast<std::uint32_t>(ranks);
  return streams ? Group(std::make_shared<QueueTransport>(count)) : Group::in_process(count);
}

template <class T>
void check_reductions(const std::vector<T>& host, std::uint64_t unit, const ReduceShape& shape,
                      const Value& init, int turns) {
  Sliced<T> data(host);
  const Device& device = data.queue(0).device();
  const Type result = shape.result.value_or(shape.accumulator);
  bool streams = false;
  for (const std::optional<Value>& start : {std::optional<Value>(), std::optional<Value>(init)}) {
    const Value want = transform_reduce(data.queue(0), erase(data.input()), result, shape.op, start,
                                        shape.map, {.order = shape.order});
    for (const Offsets& offsets : test::cuts(host.size(), unit, turns)) {
      CAPTURE(test::text_of(offsets));
      // Over a blocking transport they run as calls, of which there are other tests.
      streams = !streams || offsets.size() % 2 == 0;
      CAPTURE(streams);
      const auto slices = data.slices(offsets);
      Group group = group_of(slices.size(), streams);
      GroupReducePlan plan(group, shape, shares_of(slices), start);
      CHECK(plan.run(slices) == want);
      Buffer<std::uint8_t> bytes(device, slices.size() * size_of(result));
      std::vector<ErasedView> results;
      for (std::size_t i = 0; i < slices.size(); ++i) {
        results.push_back({bytes.view().memory(), i * size_of(result), 1, result, true});
      }
      plan.run(slices, results);
      plan.run(slices, results);
      plan.finish();
      const std::vector<std::uint8_t> got = data.queue(0).download(bytes);
      for (std::size_t i = 0; i < slices.size(); ++i) {
        const auto* const from = reinterpret_cast<const std::byte*>(got.data());
        CHECK(Value::from_bytes(result, from + i * size_of(result)) == want);
      }
    }
  }
}

template <class T>
void check_scans(const std::vector<T>& host, std::uint64_t unit, const Operator& op,
                 const Value& init, int turns, const Map& map = {}) {
  using Total = accumulator_t<T>;
  Sliced<T> data(host);
  Buffer<Total> totals(data.queue(0).device(), 8);
  Buffer<Total> whole(data.queue(0).device(), 1);
  std::size_t turn = 0;
  for (const ScanKind kind : {ScanKind::inclusive, ScanKind::exclusive}) {
    for (const std::optional<Value>& start : {std::optional<Value>(), std::optional<Value>(init)}) {
      transform_scan(data.queue(0), kind, erase(data.input()), erase(data.output()), op, start, map,
                     {.total = whole});
      const std::vector<T> want = data.outputs();
      const Total total = data.queue(0).download(whole).front();
      for (const Offsets& offsets : test::cuts(host.size(), unit, turns)) {
        if (++turn % 2 != 0) continue;
        CAPTURE(test::text_of(offsets));
        const bool in_place = turn % 4 == 0;
        const bool with_total = turn % 8 < 4;
        const bool streams = turn % 6 != 0;
        CAPTURE(streams);
        std::vector<ScanSlice> slices = data.scan_slices(offsets, in_place);
        for (std::size_t rank = 0; with_total && rank < slices.size(); ++rank) {
          slices[rank].total = totals.view(rank, 1);
        }
        const ScanShape shape{.input = type_of<T>(),
                              .output = type_of<T>(),
                              .accumulator = type_of<Total>(),
                              .kind = kind,
                              .op = op,
                              .on_device = {{}, false, with_total, {}},
                              .map = map};
        Group group = group_of(slices.size(), streams);
        GroupScanPlan plan(group, shape, shares_of(slices), start);
        for (int run = 0; run < 2; ++run) {
          if (in_place) {
            data.queue(0).copy(data.input(), data.output());
          } else {
            data.queue(0).copy(data.input().view(0, 1), data.output().view(host.size() - 1, 1));
          }
          data.queue(0).finish();
          plan.run(slices);
          plan.finish();
          CHECK(same_bytes(data.outputs(), want));
        }
        if (!with_total) continue;
        for (const Total& one : data.queue(0).download(totals.view(0, slices.size()))) {
          CHECK(Value(one) == Value(total));
        }
      }
    }
  }
}

ReduceShape shape_of(Type input, Type accumulator, const Operator& op = plus, const Map& map = {}) {
  return {.input = input, .accumulator = accumulator, .op = op, .map = map};
}

}  // namespace

TEST_SUITE_BEGIN("group_plans");

TEST_CASE("planned sums over a group have the bits of one device's, whatever the split") {
  const auto f32 = test::drawn(test::sums<float>(), 41'234);
  check_reductions(f32, 4096, shape_of(Type::f32, Type::f32), 0.5F, 4);
  check_reductions(f32, 2048, shape_of(Type::f32, Type::f64, plus, "x * x"), 0.1, 1);
}

TEST_CASE("planned sums of halves over a group are rounded once") {
  std::vector<f16> host;
  for (const float x : test::numbers<float>(20'000, 8)) host.emplace_back(x);
  ReduceShape shape = shape_of(Type::f16, Type::f32);
  shape.result = Type::f16;
  check_reductions(host, 4096, shape, f16(0.25F), 1);
}

TEST_CASE("a planned operator that does not commute keeps index order over a group") {
  const auto maps = test::maps<app::Map32>();
  const Type type = type_of<app::Map32>();
  const auto host = test::drawn(maps, 131'072 + 30'000);
  check_reductions(std::vector(host.begin(), host.begin() + 19'000), 4096,
                   shape_of(type, type, maps.op), maps.init, 2);
  check_scans(host, 131'072, maps.op, maps.init, 1);
}

TEST_CASE("planned exact operators over a group") {
  std::vector<std::int32_t> host(5000);
  test::Random random(test::seed());
  for (auto& x : host) x = static_cast<std::int32_t>(random.between(-50, 50));
  for (const Operator& op : {Operator(plus), Operator(bit_xor), Operator(minimum)}) {
    check_reductions(host, 700, shape_of(Type::i32, Type::i32, op), std::int32_t{7}, 1);
  }
  check_scans(host, 700, plus, std::int32_t{5}, 2);
}

TEST_CASE("planned extremes over a group have global indices") {
  auto host = test::drawn(test::sums<float>(), 9'000);
  host[7'001] = host[3] = 1e30F;  // The first of equals.
  Sliced<float> data(host);
  const ErasedView all = erase(data.input());
  const Value least = argmin(data.queue(0), all);
  for (const Offsets& offsets : test::cuts(host.size(), 2048, 2)) {
    CAPTURE(test::text_of(offsets));
    const auto slices = data.slices(offsets);
    for (const bool streams : {false, true}) {
      Group group = group_of(slices.size(), streams);
      auto least_of = GroupReducePlan::argmin(group, Type::f32, shares_of(slices));
      auto greatest_of = GroupReducePlan::argmax(group, Type::f32, shares_of(slices));
      CHECK(least_of.run(slices).as<Indexed<float>>() == least.as<Indexed<float>>());
      CHECK(greatest_of.run(slices).as<Indexed<float>>().index == 3);
    }
  }
}

TEST_CASE("a planned reduction of two arrays over a group") {
  const auto x = test::drawn(test::sums<float>(), 20'000);
  std::vector<double> y(x.begin(), x.end());
  std::reverse(y.begin(), y.end());
  Sliced<float> first(x);
  Sliced<double> second(y);
  ReduceShape shape = shape_of(Type::f32, Type::f64, plus, "x * y + x");
  shape.second = Type::f64;
  const Value want = transform_reduce(first.queue(0), erase(first.input()), erase(second.input()),
                                      Type::f64, plus, {}, shape.map);
  for (const Offsets& offsets : test::cuts(x.size(), 2048, 1)) {
    auto slices = first.slices(offsets);
    const auto others = second.slices(offsets);
    for (std::size_t rank = 0; rank < slices.size(); ++rank) {
      slices[rank].second = others[rank].input;
    }
    CAPTURE(test::text_of(offsets));
    Group group = group_of(slices.size(), true);
    GroupReducePlan plan(group, shape, shares_of(slices));
    CHECK(plan.run(slices) == want);
  }
}

TEST_CASE("planned scans over a group have the bits of one device's, whatever the split") {
  check_scans(test::drawn(test::sums<float>(), 2 * 262'144 + 70'001), 262'144, plus, 0.5F, 2);
}

TEST_CASE("halves are scanned as floats by plans over a group") {
  std::vector<f16> host;
  for (const float x : test::numbers<float>(262'144 + 9'000, 8)) host.emplace_back(x);
  check_scans(host, 262'144, plus, 0.25F, 0, "x * 0.5f");
}

TEST_CASE("runs exchange nothing between hosts") {
  Sliced<float> data(std::vector<float>(9000, 1.0F));
  const auto slices = data.slices({0, 4096, 9000});
  const auto transport = std::make_shared<QueueTransport>(2);
  Group group{transport};
  GroupReducePlan plan(group, shape_of(Type::f32, Type::f32), shares_of(slices));
  const std::uint64_t before = transport->host_calls();
  CHECK(plan.run(slices) == Value(9000.0F));
  CHECK(plan.run(slices) == Value(9000.0F));
  CHECK(transport->host_calls() == before);
  CHECK(transport->calls() == 2);
  // Calls of the group go on beside its plans.
  CHECK(argmin(group, slices).as<Indexed<float>>().index == 0);
  CHECK(plan.run(slices) == Value(9000.0F));
}

TEST_CASE("parts of a rank that different kernels reduce") {
  const std::uint64_t large = std::uint64_t{1} << 23;
  const std::uint64_t n = large + 4096 + 77;
  std::vector<float> host(n);
  for (std::uint64_t i = 0; i < n; ++i) host[i] = static_cast<float>(i % 1001) * 0.37F;
  Sliced<float> data(host);
  const auto slices = data.slices({0, large + 4096, n});
  Group group = group_of(2, true);
  GroupReducePlan plan(group, shape_of(Type::f32, Type::f32), shares_of(slices));
  CHECK(plan.run(slices) == Value(reduce(data.queue(0), data.input(), plus, 0.0F)));
}

TEST_CASE("a device folds long lists with the bits of the host") {
  const Operator added = Operator::user("added", "a + b", Type::f32);
  const Queue queue(test::device());
  std::vector<core::FoldKernel> known;
  core::CallMemory memory(queue);
  core::FoldRecords records;
  test::Random random(test::seed());
  for (const std::size_t count : {1U, 2U, 15U, 17U, 1024U, 1025U, 3000U}) {
    const auto host = test::drawn(test::sums<float>(), count);
    const auto values = std::as_bytes(std::span<const float>(host));
    records.values.assign(values.begin(), values.end());
    for (const bool left : {true, false}) {
      CAPTURE(count);
      CAPTURE(left);
      // From the left, or as a tree might: never more than there are below.
      std::vector<std::uint32_t> merges(count);
      std::uint32_t below = 0;
      for (std::size_t i = 0; i < count; ++i) {
        merges[i] = left ? std::min(below, 1U) : static_cast<std::uint32_t>(random.below(3));
        merges[i] = std::min(merges[i], below);
        below += 1 - merges[i];
      }
      records.wanted.clear();
      for (std::uint64_t i = 0; i < count; ++i) {
        if (i + 1 == count || random.one_in(100)) records.wanted.push_back(i);
      }
      core::MemoryNeeds needs;
      core::add_fold(needs, added, Type::f32, records.wanted.size());
      memory.need(needs);
      memory.reserve();
      core::fold(known, queue, memory, plus, Type::f32, merges, records);
      const std::vector<Value> by_host = records.results;
      CHECK(by_host.size() == records.wanted.size());
      core::fold(known, queue, memory, added, Type::f32, merges, records);
      CHECK(records.results == by_host);
      // What the kernel was made ready for serves again.
      core::fold(known, queue, memory, added, Type::f32, merges, records);
      CHECK(records.results == by_host);
    }
  }
  CHECK(known.size() == 1);
}

TEST_CASE("plans over nothing give what one device gives") {
  Sliced<float> data(std::vector<float>(4, 1.0F));
  for (const bool streams : {false, true}) {
    const auto none = data.slices({0, 0, 0});
    Group group = group_of(2, streams);
    GroupReducePlan sum(group, shape_of(Type::f32, Type::f32), shares_of(none));
    CHECK(sum.run(none) == Value(0.0F));
    GroupReducePlan from(group, shape_of(Type::f32, Type::f32), shares_of(none), 2.5F);
    CHECK(from.run(none) == Value(2.5F));
    Buffer<float> totals(data.queue(0).device(), 2);
    auto slices = data.scan_slices({0, 0, 0});
    for (std::size_t rank = 0; rank < 2; ++rank) slices[rank].total = totals.view(rank, 1);
    GroupScanPlan scan(group,
                       {.input = Type::f32,
                        .output = Type::f32,
                        .accumulator = Type::f32,
                        .on_device = {{}, false, true, {}}},
                       shares_of(slices), 2.5F);
    scan.run(slices);
    scan.finish();
    CHECK(data.queue(0).download(totals) == std::vector<float>{2.5F, 2.5F});
  }
}

TEST_CASE("what a plan over a group cannot do is refused, and it goes on") {
  Sliced<float> data(std::vector<float>(5000, 1.0F));
  const auto slices = data.slices({0, 100, 5000});
  const auto shares = shares_of(slices);
  const ReduceShape sum = shape_of(Type::f32, Type::f32);
  for (const bool streams : {false, true}) {
    CAPTURE(streams);
    Group group = group_of(2, streams);
    const auto refused = [&](ErrorCategory category, const std::string& words, const auto& call) {
      const auto failure = test::failure_of(call);
      CHECK(failure.category == category);
      CHECK_MESSAGE(failure.mentions(words), failure.what);
    };
    const auto planned = [&](const ReduceShape& shape, const std::vector<Share>& with) {
      return [&group, shape, with] { GroupReducePlan(group, shape, with); };
    };
    refused(ErrorCategory::unsupported, "names i",
            planned(shape_of(Type::f32, Type::f32, plus, "x + (f32)i"), shares));
    refused(ErrorCategory::invalid_argument, "slices of 1 ranks", planned(sum, {shares[0]}));
    ReduceShape lines = sum;
    lines.lines = true;
    refused(ErrorCategory::unsupported, "no lines", planned(lines, shares));
    ReduceShape made = sum;
    made.result_map = "s + 1.0f";
    refused(ErrorCategory::unsupported, "result maps", planned(made, shares));
    // More outputs and more inputs are refused even if no text names them.
    ReduceShape several = sum;
    several.more_outputs = {{Type::f32, {}}};
    refused(ErrorCategory::unsupported, "several outputs", planned(several, shares));
    several = sum;
    several.more_inputs = {Type::f32};
    refused(ErrorCategory::unsupported, "more inputs", planned(several, shares));
    refused(ErrorCategory::unsupported, "more inputs", [&] {
      GroupScanPlan(group,
                    {.input = Type::f32,
                     .output = Type::f32,
                     .accumulator = Type::f32,
                     .more_inputs = {Type::f32}},
                    shares);
    });
    refused(ErrorCategory::invalid_argument, "", planned(shape_of(Type::f32, Type::i32), shares));

    GroupReducePlan plan(group, sum, shares);
    const auto run = [&](const std::vector<Slice>& with) {
      return [&plan, with] { static_cast<void>(plan.run(with)); };
    };
    refused(ErrorCategory::invalid_argument, "slices of 1 ranks", run({slices[0]}));
    auto other = slices;
    other[1].input.count = 4000;
    refused(ErrorCategory::invalid_argument, "a slice of 4000 elements", run(other));
    other = slices;
    other[1].input.type = Type::i32;
    refused(ErrorCategory::invalid_argument, "the elements' type", run(other));
    other = slices;
    std::swap(other[0].queue, other[1].queue);
    refused(ErrorCategory::invalid_argument, "the queue is not the plan's", run(other));
    other = slices;
    other[0].second = other[0].input;
    refused(ErrorCategory::invalid_argument, "the second array", run(other));
    Buffer<float> results(data.queue(0).device(), 2);
    refused(ErrorCategory::invalid_argument, "1 results",
            [&] { plan.run(slices, {results.view(0, 1)}); });
    refused(ErrorCategory::invalid_argument, "overlaps memory of rank", [&] {
      plan.run(slices, {results.view(0, 1), data.input().view(4999, 1)});
    });
    refused(ErrorCategory::invalid_argument, "overlaps memory of rank", [&] {
      plan.run(slices, {results.view(0, 1), results.view(0, 1)});
    });
    GroupReducePlan copy = plan;
    GroupReducePlan taken = std::move(copy);
    refused(ErrorCategory::invalid_argument, "moved from",
            [&] { static_cast<void>(copy.run(slices)); });  // NOLINT(bugprone-use-after-move)
    CHECK(taken.run(slices) == Value(5000.0F));
    CHECK(plan.run(slices) == Value(5000.0F));

    auto scans = data.scan_slices({0, 100, 5000});
    GroupScanPlan scan(group, {.input = Type::f32, .output = Type::f32, .accumulator = Type::f32},
                       shares);
    auto with_total = scans;
    with_total[0].total = results.view(0, 1);
    refused(ErrorCategory::invalid_argument, "whether there is a total",
            [&] { scan.run(with_total); });
    auto crossed = scans;
    crossed[0].output = data.input().view(100, 100);
    refused(ErrorCategory::invalid_argument, "overlaps the input of rank 1",
            [&] { scan.run(crossed); });
    scan.run(scans);
    scan.finish();
    CHECK(data.outputs().back() == 5000.0F);
  }
}

TEST_CASE("a failure while a run is enqueued ends the group") {
  Sliced<float> data(std::vector<float>(9000, 1.0F));
  const auto slices = data.slices({0, 5000, 9000});
  for (const std::uint64_t call : {1U, 2U}) {
    const auto transport = std::make_shared<QueueTransport>(2);
    Group group{transport};
    GroupReducePlan plan(group, shape_of(Type::f32, Type::f32), shares_of(slices));
    transport->fail_at(call);
    const auto failure = test::failure_of([&] { static_cast<void>(plan.run(slices)); });
    CHECK(failure.mentions("the wire is cut"));
    const auto after = test::failure_of([&] { static_cast<void>(plan.run(slices)); });
    CHECK(after.mentions("the group is out of use"));
    // What was enqueued before is waited for.
    const std::uint64_t waits = transport->finishes();
    const auto end = test::failure_of([&] { plan.finish(); });
    CHECK(end.mentions("the wire is cut"));
    CHECK(transport->finishes() == waits + 1);
    CHECK(reduce(data.queue(0), erase(data.input()), plus, 0.0F) == Value(9000.0F));
  }
}

TEST_SUITE_END();

TEST_SUITE_BEGIN("group_splits");

TEST_CASE("plans of many splits of every kind of element") {
  check_reductions(test::drawn(test::sums<float>(), 100'001), 4096, shape_of(Type::f32, Type::f32),
                   0.5F, 60);
  check_reductions(test::drawn(test::products<double>(), 50'001), 2048,
                   shape_of(Type::f64, Type::f64, multiplies), 1.5, 40);
  const auto wide = test::maps<app::Map64>();
  const Type type = type_of<app::Map64>();
  check_reductions(test::drawn(wide, 50'001), 2048, shape_of(type, type, wide.op), wide.init, 30);
  check_scans(test::drawn(wide, 3 * 65'536 + 77), 65'536, wide.op, wide.init, 30);
  check_scans(test::drawn(test::sums<float>(), 4 * 262'144 + 99), 262'144, plus, 0.5F, 30);
  check_scans(test::drawn(test::sums<double>(), 3 * 131'072 + 1), 131'072, plus, 1.5, 30);
}

TEST_SUITE_END();

}  // namespace bifold
