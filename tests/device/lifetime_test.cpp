// How long things live: handles that were moved from, copies, definitions of structs that go.
#include <doctest/doctest.h>

#include <array>
#include <bifold/bifold.hpp>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/own_definition.hpp"

namespace bifold {

namespace {

using test::failure_of;
using test::OwnDefinition;

// Each of them, on a handle that was moved from.
void refused(const char* handle, const std::vector<std::function<void()>>& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const auto failure = failure_of(calls[i]);
    INFO(std::string(handle) << ", call " << i << ": " << failure.what);
    CHECK(failure.category == ErrorCategory::invalid_argument);
    CHECK(failure.mentions(handle));
    CHECK(failure.mentions("moved from"));
  }
}

// A call on pairs of that definition, of which nothing is kept here.
int sum_of_pairs(Queue& queue, const OwnDefinition& definition, bool constant) {
  const Type type = constant ? Type::of_kept(definition.type()) : Type(definition.type());
  auto data = queue.allocate<std::int64_t>(100);
  ErasedView view = data;
  view.type = type;
  const std::array<std::int32_t, 2> one{1, 2};
  queue.fill(view, Value::from_bytes(type, one.data()));
  const Operator op = Operator::fieldwise(type, {plus, plus});
  const std::array<std::int32_t, 2> none{};
  const Value init = Value::from_bytes(type, none.data());
  const Value sum = transform_reduce(queue, view, op, init, {});
  auto output = queue.allocate<std::int64_t>(100);
  ErasedView scanned = output;
  scanned.type = type;
  scan(queue, ScanKind::exclusive, view, scanned, op);
  queue.finish();
  std::array<std::int32_t, 2> got{};
  std::memcpy(got.data(), sum.data(), sizeof got);
  return got[0] + got[1];
}

}  // namespace

TEST_SUITE_BEGIN("handles");

// NOLINTBEGIN(bugprone-use-after-move,clang-analyzer-cplusplus.Move): this is promised.

TEST_CASE("handles that were moved from are refused, with their name") {
  Device device = test::device();
  Queue queue(device);
  auto data = queue.upload(std::span<const int>(std::vector<int>{1, 2, 3}));
  auto out = queue.allocate<int>(3);
  Operator op = plus;
  ReducePlan reduction(device, {});
  ScanPlan scan(device, {});
  const Device own_device = std::move(device);
  Queue own_queue = std::move(queue);
  const Operator own_op = std::move(op);
  const ReducePlan own_reduction = std::move(reduction);
  const ScanPlan own_scan = std::move(scan);
  refused("Device",
          {[&] { (void)device.info(); }, [&] { (void)device.capabilities(); },
           [&] { (void)device.supports(Type::i32); }, [&] { (void)device.cache_statistics(); },
           [&] { (void)Queue(device); }, [&] { (void)Buffer<int>(device, 3); },
           [&] { (void)ReducePlan(device, {}); }, [&] { warm(device, ScanShape{}); }});
  const Event none;
  refused("Queue", {[&] { (void)queue.device(); }, [&] { queue.finish(); }, [&] { queue.trim(); },
                    [&] { (void)queue.record(); }, [&] { queue.wait_for(std::span(&none, 1)); },
                    [&] { queue.fill(out, 1); }, [&] { queue.copy(data, out); },
                    [&] { (void)queue.download(out); }, [&] { (void)queue.allocate<int>(1); },
                    [&] { (void)reduce(queue, data, plus); },
                    [&] { inclusive_scan(queue, data, out, plus); },
                    [&] { own_scan.run(queue, data, out, {}); },
                    [&] { Workspace(View<std::uint8_t>()).prepare(queue); }});
  refused("Operator",
          {[&] { (void)op.kind(); }, [&] { (void)op.name(); }, [&] { (void)op.commutative(); },
           [&] { (void)op.supports(Type::i32); }, [&] { (void)op.exact(Type::i32); },
           [&] { (void)op.has_identity(); }, [&] { (void)op.identity(Type::i32); },
           [&] { (void)op.expression(Type::i32); }, [&] { (void)op.id(); },
           [&] { (void)reduce(own_queue, data, op); },
           [&] { (void)ReducePlan(own_device, {.op = op}); }});
  CHECK_FALSE(op == own_op);
  refused("ReducePlan", {[&] { (void)reduction.variant(); }, [&] { (void)reduction.variant(9); },
                         [&] { (void)reduction.workspace_bytes(9); },
                         [&] { reduction.run(own_queue, data, out.view(0, 1), {}); }});
  refused("ScanPlan", {[&] { (void)scan.variant(); }, [&] { (void)scan.workspace_bytes(9); },
                       [&] { scan.run(own_queue, data, out, {}); }});
  CHECK(reduce(own_queue, data, own_op, 0) == 6);
  own_reduction.run(own_queue, data, out.view(0, 1), Value(1));
  CHECK(own_queue.download(out)[0] == 7);
}

TEST_CASE("what may be empty is empty when it was moved from") {
  Queue queue(test::device());
  Event event = queue.record();
  const Event own_event = std::move(event);
  CHECK(event.complete());
  event.wait();
  own_event.wait();
  CHECK(failure_of([&] { (void)elapsed(event, own_event); }).category ==
        ErrorCategory::invalid_argument);
  Map map = "x + 1";
  const Map own_map = std::move(map);
  CHECK(map.is_identity());
  CHECK(own_map.expression() == "x + 1");
  auto memory = queue.allocate<std::uint8_t>(100'000);
  Workspace workspace(memory);
  workspace.prepare(queue);
  const Workspace own = std::move(workspace);
  CHECK(own.prepared());
  CHECK(workspace.size() == 0);
  CHECK_FALSE(workspace.prepared());
  workspace.release();
  CHECK(own.prepared());
}

// NOLINTEND(bugprone-use-after-move,clang-analyzer-cplusplus.Move)

TEST_CASE("copies of a workspace are prepared and released together") {
  Queue queue(test::device());
  const ScanPlan plan(test::device(), {});
  const std::vector<int> host(5000, 1);
  auto data = queue.upload(std::span<const int>(host));
  auto out = queue.allocate<int>(host.size());
  auto memory = queue.allocate<std::uint8_t>(plan.workspace_bytes(host.size()));
  Workspace workspace(memory);
  const Workspace copy = workspace;
  workspace.prepare(queue);
  CHECK(copy.prepared());
  plan.run(queue, data, out, Value(0), {.workspace = &copy});
  CHECK(queue.download(out).back() == 5000);
  workspace.release();
  CHECK_FALSE(copy.prepared());
  // Whatever lies there now is no workspace's content.
  queue.fill(memory, std::uint8_t{0xff});
  plan.run(queue, data, out, Value(2), {.workspace = &copy});
  CHECK(queue.download(out).back() == 5002);
}

TEST_CASE("a definition may go as soon as the calls with it have returned") {
  Queue queue(test::open_again({.disk = false}));
  for (const bool constant : {false, true}) {
    for (int round = 0; round < 2; ++round) {
      const auto definition =
          std::make_unique<OwnDefinition>("PassingPair", std::array{"left", "right"});
      CHECK(sum_of_pairs(queue, *definition, constant) == 300);
    }
  }
}

TEST_CASE("a plan, its table and its operator keep the definition that they need") {
  Queue queue(test::open_again({.disk = false}));
  auto definition = std::make_unique<OwnDefinition>("KeptPair", std::array{"left", "right"});
  const Type constant = Type::of_kept(definition->type());
  const Operator op = Operator::fieldwise(constant, {plus, maximum});
  const ReducePlan plan(queue.device(), {.input = constant, .accumulator = constant, .op = op});
  definition.reset();
  const OwnDefinition again("KeptPair", {"left", "right"});
  const Type type(again.type());
  const std::array<std::int32_t, 2> one{1, 2};
  auto data = queue.allocate<std::int64_t>(100);
  ErasedView view = data;
  view.type = type;
  queue.fill(view, Value::from_bytes(type, one.data()));
  auto result = queue.allocate<std::int64_t>(1);
  ErasedView out = result;
  out.type = type;
  plan.run(queue, view, out, {});
  CHECK(queue.download(result)[0] == (std::int64_t{2} << 32 | 100));
  const auto compiled = queue.device().cache_statistics().compiled;
  // The same shape is known by now.
  (void)ReducePlan(queue.device(), {.input = type, .accumulator = type, .op = op});
  CHECK(queue.device().cache_statistics().compiled == compiled);
}

TEST_CASE("buffers that end with the statement are freed behind the call that reads them") {
  Queue queue(test::device());
  const std::vector<int> host(100'000, 1);
  const auto upload = [&] { return queue.upload(std::span<const int>(host)); };
  auto out = queue.allocate<int>(host.size());
  for (int round = 0; round < 20; ++round) {
    inclusive_scan(queue, upload(), out, plus);
    // What is allocated next may lie where the input was.
    auto other = queue.allocate<int>(host.size());
    queue.fill(other, 7);
    REQUIRE(queue.download(out).back() == 100'000);
  }
  CHECK(reduce(queue, upload(), plus) == 100'000);
}

TEST_SUITE_END();

}  // namespace bifold
