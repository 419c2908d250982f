// Selections as calls: chains, plans, workspaces, waiting, and what is refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <vector>

#include "core/call/select.hpp"
#include "core/gallery/shape_tuning.hpp"
#include "device/selection/selections.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"

namespace bifold {

namespace {

using test::numbers;
using test::Places;
using test::uploaded;

std::vector<const gallery::Variant*> rows() { return test::selecting_rows(); }

constexpr auto invalid = ErrorCategory::invalid_argument;

TEST_SUITE_BEGIN("select");

TEST_CASE("three selections in a row, each of as many elements as the one before kept") {
  Queue queue(test::device());
  constexpr std::size_t n = 50'000;
  const auto host = numbers<std::int32_t>(n);
  const auto data = uploaded(queue, host);
  std::vector<std::int32_t> want;
  for (const std::int32_t x : host) {
    if (x % 2 == 0 && x % 3 == 0 && x > 20) want.push_back(x);
  }
  for (const auto* row : rows()) {
    CAPTURE(row->name);
    auto first = queue.allocate<std::int32_t>(n);
    auto second = queue.allocate<std::int32_t>(n);
    queue.fill(first, 0);
    queue.fill(second, 0);
    Places<std::int32_t> out(queue, n, -1);
    auto kept = queue.allocate<std::uint32_t>(1);
    auto fewer = queue.allocate<std::uint64_t>(1);
    auto fewest = queue.allocate<std::uint64_t>(1);
    SelectOptions options;
    options.variant = row->name;
    select(queue, data, first, kept, "x % 2 == 0", options);
    options.count_from = erase(kept);
    select(queue, first, second, fewer, "x % 3 == 0", options);
    options.count_from = erase(fewer);
    Event done;
    options.done = &done;
    select(queue, second, out.buffer, fewest, "x > 20", options);
    done.wait();
    CHECK(queue.download(fewest)[0] == want.size());
    out.check(queue, want);
    // A number in device memory that is larger than the input counts as the input's.
    queue.fill(kept, 4'000'000'000U);
    options.count_from = erase(kept);
    select(queue, data, out.buffer, fewest, "1", options);
    CHECK(queue.download(fewest)[0] == n);
    queue.fill(kept, 0);
    select(queue, data, out.buffer, fewest, "1", options);
    CHECK(queue.download(fewest)[0] == 0);
  }
}

TEST_CASE("a predicate compares indices beyond 2^32") {
  Queue queue(test::device());
  const auto data = uploaded(queue, numbers<std::uint8_t>(5000));
  auto out = queue.allocate<std::uint64_t>(5000);
  auto kept = queue.allocate<std::uint64_t>(1);
  const Map behind("i + base > 4294967296ul", {{"base", Type::u64}});
  const auto base = uploaded(queue, std::vector<std::uint64_t>{4294967296U - 3000});
  for (const auto* row : rows()) {
    SelectOptions options;
    options.variant = row->name;
    options.scalars.emplace_back("base", base);
    select_index(queue, data, out, kept, behind, options);
    CHECK(queue.download(kept)[0] == 1999);
    CHECK(queue.download(out)[0] == 3001);
  }
}

TEST_CASE("a plan runs any size, with a workspace of its own, and says which row it is") {
  Queue queue(test::device());
  const auto host = numbers<std::int32_t>(90'000);
  const auto data = uploaded(queue, host);
  auto out = queue.allocate<std::int32_t>(host.size());
  auto kept = queue.allocate<std::uint32_t>(1);
  for (const auto* row : rows()) {
    CAPTURE(row->name);
    const SelectPlan plan(test::device(),
                          {.kept = Type::u32, .predicate = "x < 30", .variant = row->name});
    if (row->name != "production") CHECK(plan.variant().name == row->name);
    CHECK(plan.workspace_bytes(10) <= plan.workspace_bytes(90'000));
    auto memory = queue.allocate<std::uint8_t>(plan.workspace_bytes(90'000));
    Workspace workspace(memory);
    workspace.prepare(queue);
    for (const std::size_t n : {90'000UL, 3UL, 0UL, 5000UL, 90'000UL}) {
      SelectOptions options;
      options.workspace = &workspace;
      plan.run(queue, erase(data.view(0, n)), erase(out), erase(kept), options);
      std::vector<std::int32_t> want;
      for (std::size_t i = 0; i < n; ++i) {
        if (host[i] < 30) want.push_back(host[i]);
      }
      CHECK(queue.download(kept)[0] == want.size());
      CHECK(queue.download(out.view(0, want.size())) == want);
    }
  }
  const SelectPlan flagged(test::device(), {.flags = Type::u8, .selected = Selected::elements});
  const auto marks = uploaded(queue, std::vector<std::uint8_t>{0, 1, 1, 0});
  auto count = queue.allocate<std::uint64_t>(1);
  flagged.run_flagged(queue, erase(data.view(0, 4)), erase(marks), erase(out), erase(count));
  CHECK(queue.download(count)[0] == 2);
  CHECK(queue.download(out.view(0, 2)) == std::vector{host[1], host[2]});
}

TEST_CASE("tiles that stay missing are counted by who needs them, and epochs wrap") {
  Queue queue(test::device());
  const auto host = numbers<std::int32_t>(300'000);
  const auto data = uploaded(queue, host);
  auto out = queue.allocate<std::int32_t>(host.size());
  auto kept = queue.allocate<std::uint64_t>(1);
  for (const auto* row : rows()) {
    if (!test::publishes(*row)) continue;
    CAPTURE(row->name);
    const SelectShape shape{.predicate = "x % 7 < 3", .variant = row->name};
    const core::Tuning tuning =
        core::built_in_tuning({test::device(), core::plan_shape(shape)}, *row);
    for (const std::uint32_t spins : {0U, 1U, 100U}) {
      const SelectPlan plan =
          core::make_plan(test::device(), shape, tuning, {.spin_limit = spins, .epoch_limit = 3});
      for (const std::size_t n : {300'000UL, 20'000UL, 299'999UL, 1UL, 300'000UL, 100'000UL}) {
        std::vector<std::int32_t> want;
        for (std::size_t i = 0; i < n; ++i) {
          if (host[i] % 7 < 3) want.push_back(host[i]);
        }
        plan.run(queue, erase(data.view(0, n)), erase(out), erase(kept));
        CHECK(queue.download(kept)[0] == want.size());
        CHECK(queue.download(out.view(0, want.size())) == want);
        // Of what is overwritten meanwhile, nobody counts what another has to load.
        queue.copy(data.view(0, n), out.view(0, n));
        plan.run(queue, erase(out.view(0, n)), erase(out.view(0, n)), erase(kept));
        CHECK(queue.download(kept)[0] == want.size());
        CHECK(queue.download(out.view(0, want.size())) == want);
      }
    }
  }
}

TEST_CASE("what is refused, in words") {
  Queue queue(test::device());
  auto data = uploaded(queue, numbers<std::int32_t>(100));
  auto out = queue.allocate<std::int32_t>(100);
  auto kept = queue.allocate<std::uint64_t>(1);
  const auto refused = [](const auto& call, const char* words) {
    const test::Failure failure = test::failure_of(call);
    CHECK_MESSAGE(failure.category == invalid, failure.what);
    CHECK_MESSAGE(failure.mentions(words), failure.what);
  };
  const auto floats = queue.allocate<float>(100);
  auto two = queue.allocate<std::uint64_t>(2);
  refused([&] { select(queue, data, out, out.view(0, 1), "1"); }, "kept");
  refused([&] { select(queue, data, out, two, "1"); }, "kept");
  refused([&] { select(queue, data, out, two.view(0, 0), "1"); }, "kept");
  refused([&] { select_index(queue, data, out, kept); }, "u32 or u64");
  refused([&] { select(queue, floats, out, kept, "1"); }, "integer");
  refused([&] { select(queue, data, out, kept, "y > 1"); }, "y");
  refused([&] { select(queue, data.view(0, 50), data.view(20, 30), kept, "1"); }, "overlap");
  refused([&] { select_flagged(queue, data, out.view(0, 99), floats, kept); }, "99");
  refused([&] { select(queue, data, out, kept, "1", {.variant = "magic"}); }, "magic");
  refused([&] { select(queue, data, out, kept, "1", {.count_from = erase(kept)}); }, "kept");
  refused([&] { (void)SelectPlan(test::device(), {.predicate = "x", .flags = Type::u8}); },
          "flags");
  auto words = queue.allocate<std::uint32_t>(100);
  refused([&] { select_index(queue, data, words, words.view(3, 1)); }, "kept overlaps the output");
  const SelectPlan plan(test::device(), {.predicate = "x > 0"});
  refused([&] { plan.run_flagged(queue, erase(data), erase(out), erase(words), erase(kept)); },
          "other element types");
  queue.fill(kept, 5);
  select(queue, data, out, kept, "0");
  CHECK(queue.download(kept)[0] == 0);
}

TEST_SUITE_END();

}  // namespace

}  // namespace bifold
