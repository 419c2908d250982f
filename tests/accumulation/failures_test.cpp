// Devices that fail in the midst of a chunk: nothing is lost but what the queue has lost.
#include <doctest/doctest.h>

#include <array>
#include <bifold/bifold.hpp>
#include <functional>
#include <thread>

#include "accumulation/chunks.hpp"
#include "support/devices/failing_queue.hpp"
#include "support/errors.hpp"
#include "support/values/arithmetic.hpp"

namespace bifold {

namespace {

using test::CountedCommands;
using test::same_bytes;

// Calls `feed` with one command after the other failing, until it succeeds.
int feed_through_failures(CountedCommands& commands, const std::function<void()>& feed,
                          const std::function<void()>& check_unchanged) {
  int failures = 0;
  for (int nth = 1;; ++nth) {
    commands.fail(nth);
    const auto failure = test::failure_of(feed);
    const bool failed = commands.stop();
    if (!failed) {
      CHECK_MESSAGE(failure.what == "nothing was thrown", failure.what);
      return failures;
    }
    ++failures;
    CHECK(failure.category == ErrorCategory::backend_failure);
    check_unchanged();
  }
}

}  // namespace

TEST_SUITE_BEGIN("accumulation_failures");

TEST_CASE("a chunk whose command fails leaves a sum as it was, whichever command that is") {
  const auto commands = std::make_shared<CountedCommands>();
  Queue queue(test::device_of_failing_queues(commands));
  const auto host = test::drawn(test::sums<float>(), 60'000);
  Buffer<float> device = queue.upload(std::span(host));
  ReduceAccumulation sum(queue, {.input = Type::f32, .accumulator = Type::f32}, {},
                         {.piece_bytes = 32'768});
  ReduceAccumulation same(queue, {.input = Type::f32, .accumulator = Type::f32});
  int failures = 0;
  std::uint64_t at = 0;
  // From a unit's middle to another one's, so that all levels of the tree change.
  for (const std::uint64_t end : {5'000U, 11'000U, 27'000U, 43'500U, 60'000U}) {
    const std::optional<Value> before = at > 0 ? std::optional(sum.value()) : std::nullopt;
    const bool from_host = at == 5'000 || at == 43'500;
    failures += feed_through_failures(
        *commands,
        [&] {
          if (from_host) {
            sum.feed(std::span(host).subspan(at, end - at));
          } else {
            sum.feed(device.view(at, end - at));
          }
        },
        [&] {
          CHECK(sum.count() == at);
          if (before) CHECK(sum.value() == *before);
        });
    same.feed(device.view(at, end - at));
    CHECK(sum.value() == same.value());
    at = end;
  }
  CHECK(failures > 30);
}

TEST_CASE("a chunk whose command fails leaves a scan as it was, whichever command that is") {
  const auto commands = std::make_shared<CountedCommands>();
  Queue queue(test::device_of_failing_queues(commands));
  constexpr std::uint64_t unit = 131'072;
  const auto host = test::drawn(test::sums<double>(), 4 * unit);
  Buffer<double> device = queue.upload(std::span(host));
  Buffer<double> output(queue.device(), host.size());
  const ScanShape shape{.input = Type::f64, .output = Type::f64, .accumulator = Type::f64};
  inclusive_scan(queue, device, output, plus, 0.5);
  const std::vector<double> want = queue.download(output);
  std::vector<double> got(host.size());
  ScanAccumulation scan(queue, shape, 0.5, {.piece_bytes = 8 * unit});
  int failures = 0;
  std::uint64_t at = 0;
  for (const std::uint64_t end : {unit / 2, unit + 7, 3 * unit + 9, 4 * unit}) {
    const bool from_host = at == unit / 2 || at == unit + 7;
    const Value before = scan.total();
    failures += feed_through_failures(
        *commands,
        [&] {
          if (from_host) {
            scan.feed(std::span(host).subspan(at, end - at), std::span(got).subspan(at, end - at));
          } else {
            scan.feed(device.view(at, end - at), output.view(at, end - at));
          }
        },
        [&] {
          CHECK(scan.count() == at);
          CHECK(scan.total() == before);
        });
    if (!from_host) queue.download(output.view(at, end - at), std::span(got).subspan(at, end - at));
    at = end;
  }
  CHECK(same_bytes(got, want));
  CHECK(failures > 20);
}

TEST_CASE("where the queue's work may be lost, calls throw the same until one resumes") {
  const auto commands = std::make_shared<CountedCommands>();
  Queue queue(test::device_of_failing_queues(commands));
  ReduceAccumulation sum(queue, {.input = Type::f32, .accumulator = Type::f32});
  const std::vector<float> ones(5000, 1.0F);
  Buffer<float> chunk = queue.upload(std::span(ones));
  sum.feed(chunk);
  const auto saved = sum.save();
  sum.feed(chunk);
  for (int nth = 1; nth > 0; ++nth) {
    commands->fail(nth, ErrorCategory::out_of_memory);
    const auto failure = test::failure_of([&] { static_cast<void>(sum.value()); });
    if (!commands->stop()) break;
    CHECK(failure.category == ErrorCategory::out_of_memory);
    CHECK(sum.count() == 10'000);
  }
  for (int nth = 1;; ++nth) {  // Its last command is the transfer.
    commands->fail(nth);
    const auto failure = test::failure_of([&] { static_cast<void>(sum.value()); });
    commands->stop();
    REQUIRE(failure.category == ErrorCategory::backend_failure);
    if (test::failure_of([&] { static_cast<void>(sum.count()); }).category) break;
  }
  for (const auto& call : {std::function<void()>([&] { sum.feed(chunk); }),
                           std::function<void()>([&] { static_cast<void>(sum.value()); }),
                           std::function<void()>([&] { static_cast<void>(sum.save()); })}) {
    const auto failure = test::failure_of(call);
    CHECK(failure.category == ErrorCategory::backend_failure);
    CHECK_MESSAGE(failure.mentions("the accumulation is lost: a command fails"), failure.what);
  }
  sum.resume(saved);
  CHECK(sum.value() == Value(5000.0F));
  // Only the host's lack of memory says nothing of the work.
  for (int nth = 1;; ++nth) {
    commands->fail(nth, ErrorCategory::out_of_memory, "a driver's call");
    const auto failure = test::failure_of([&] { static_cast<void>(sum.value()); });
    REQUIRE(commands->stop());
    CHECK(failure.category == ErrorCategory::out_of_memory);
    if (test::failure_of([&] { static_cast<void>(sum.count()); }).category) break;
  }
}

TEST_CASE("nothing of an accumulation is captured in a graph") {
  const auto commands = std::make_shared<CountedCommands>();
  Queue queue(test::device_of_failing_queues(commands));
  ReduceAccumulation sum(queue, {.input = Type::f32, .accumulator = Type::f32});
  ScanAccumulation scan(queue, {.input = Type::f32, .output = Type::f32, .accumulator = Type::f32});
  const std::vector<float> ones(5000, 1.0F);
  Buffer<float> chunk = queue.upload(std::span(ones));
  const auto saved = sum.save();
  commands->capture(true);
  for (const auto& call : {std::function<void()>([&] { sum.feed(chunk); }),
                           std::function<void()>([&] { scan.feed(chunk, chunk); }),
                           std::function<void()>([&] { sum.resume(saved); }),
                           std::function<void()>([&] { static_cast<void>(scan.total()); })}) {
    const auto failure = test::failure_of(call);
    CHECK(failure.category == ErrorCategory::unsupported);
    CHECK_MESSAGE(failure.mentions("captured in a graph"), failure.what);
  }
  commands->capture(false);
  CHECK(sum.count() == 0);
  scan.feed(chunk, chunk);
  CHECK(scan.total() == Value(5000.0F));
}

TEST_CASE("threads that share an accumulation take turns") {
  const Queue queue(test::device());
  ReduceAccumulation sum(queue, {.input = Type::u64, .accumulator = Type::u64}, {},
                         {.piece_bytes = 8000});
  const std::vector<std::uint64_t> threes(5000, 3);
  {
    std::array<std::jthread, 4> threads;
    for (std::jthread& thread : threads) {
      thread = std::jthread([sum, &threes]() mutable {
        for (int turn = 0; turn < 5; ++turn) sum.feed(std::span(threes));
      });
    }
  }
  CHECK(sum.value() == Value(std::uint64_t{300'000}));
}

TEST_SUITE_END();

}  // namespace bifold
