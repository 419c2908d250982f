// Events, wait lists across queues, timing, and waits with a time limit.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <chrono>
#include <numeric>

#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"

namespace bifold {

using test::failure_of;
using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t length = 1 << 20;

std::vector<std::int32_t> ramp() {
  std::vector<std::int32_t> values(length);
  std::iota(values.begin(), values.end(), -1000);
  return values;
}

}  // namespace

TEST_SUITE_BEGIN("event");

TEST_CASE("an empty event is complete") {
  const Event event;
  CHECK(event.complete());
  event.wait();
  event.wait(1ns);
}

TEST_CASE("a recorded event completes, and stays so") {
  Queue queue(test::device());
  auto buffer = queue.allocate<std::int32_t>(length);
  queue.fill(buffer, 7);
  const Event event = queue.record();
  event.wait();
  CHECK(event.complete());
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): a copy is what is tested.
  const Event copy = event;
  copy.wait(1ns);
  CHECK(copy.complete());
}

TEST_CASE("the done event of a call stands behind its results") {
  Queue queue(test::device());
  const auto host = ramp();
  auto input = queue.upload(std::span<const std::int32_t>(host));
  auto output = queue.allocate<std::int32_t>(length);
  Event scanned;
  inclusive_scan(queue, input, output, plus, ScanOptions{.done = &scanned});
  scanned.wait();
  CHECK(scanned.complete());
  Event reduced;
  auto result = queue.allocate<std::int32_t>(1);
  reduce_into(queue, input, result, plus, 0, ReduceOptions{.done = &reduced});
  reduced.wait();
  CHECK(reduced.complete());
  const auto total = queue.download(result)[0];
  CHECK(queue.download(output.view(length - 1, 1))[0] == total);
  // The sum of the ramp modulo 2^32.
  std::uint32_t want = 0;
  for (const std::int32_t x : host) want += static_cast<std::uint32_t>(x);
  CHECK(static_cast<std::uint32_t>(total) == want);
}

TEST_CASE("an event of an empty call completes") {
  Queue queue(test::device());
  auto buffer = queue.allocate<std::int32_t>(4);
  Event done;
  inclusive_scan(queue, buffer.view(0, 0), buffer.view(0, 0), plus, ScanOptions{.done = &done});
  done.wait(60s);
  CHECK(done.complete());
}

TEST_CASE("wait lists order work across queues") {
  Queue producer(test::device());
  Queue consumer(test::device());
  const auto host = ramp();
  auto input = producer.upload(std::span<const std::int32_t>(host));
  auto middle = producer.allocate<std::int32_t>(length);
  auto result = producer.allocate<std::int32_t>(1);
  std::int32_t expected = 0;
  // Again and again: what another queue writes is read only behind its event, and written anew
  // only when it has been read.
  Event read;
  for (int round = 0; round < 20; ++round) {
    Event written;
    producer.wait_for(std::span<const Event>(&read, 1));
    producer.fill(middle, round);
    inclusive_scan(producer, middle, middle, plus, ScanOptions{.done = &written});
    reduce_into(consumer, middle, result, maximum, -1,
                ReduceOptions{.wait = {written}, .done = &read});
    expected = round * static_cast<std::int32_t>(length);
    CHECK(consumer.download(result)[0] == expected);
  }
}

TEST_CASE("empty events in a wait list are no obstacle") {
  Queue queue(test::device());
  auto buffer = queue.allocate<std::int32_t>(10);
  queue.fill(buffer, 3);
  CHECK(reduce(queue, buffer, plus, 0, ReduceOptions{.wait = {Event{}, queue.record(), Event{}}}) ==
        30);
  queue.wait_for({});
}

TEST_CASE("elapsed is the device's time between events of a timed queue") {
  Queue queue(test::device(), QueueOptions{.timing = Timing::enabled});
  auto buffer = queue.allocate<std::int32_t>(length);
  queue.finish();
  const auto started = std::chrono::steady_clock::now();
  const Event begin = queue.record();
  for (int i = 0; i < 20; ++i) queue.fill(buffer, i);
  const Event end = queue.record();
  end.wait();
  begin.wait();
  const double host_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const double seconds = elapsed(begin, end);
  CHECK(seconds > 0);
  // Twenty megabyte-sized fills take measurable time, and no longer than the host saw.
  CHECK(seconds < host_seconds * 1.05 + 1e-3);
  CHECK(elapsed(begin, begin) == 0);
}

TEST_CASE("elapsed refuses events of untimed or different queues, and empty ones") {
  Queue untimed(test::device());
  Queue timed(test::device(), QueueOptions{.timing = Timing::enabled});
  Queue other(test::device(), QueueOptions{.timing = Timing::enabled});
  const Event a = untimed.record();
  const Event b = untimed.record();
  const Event c = timed.record();
  const Event d = other.record();
  for (const Event& event : {a, b, c, d}) event.wait();
  for (const auto& [earlier, later] :
       {std::pair{a, b}, {c, d}, {a, c}, {Event{}, c}, {c, Event{}}}) {
    const auto failure = failure_of([&, &from = earlier, &to = later] { (void)elapsed(from, to); });
    CHECK(failure.category == ErrorCategory::invalid_argument);
  }
}

TEST_CASE("a wait gives up at its limit and the work goes on") {
  Queue queue(test::device());
  // Enough work that it cannot be done within a nanosecond.
  auto buffer = queue.allocate<std::int32_t>(length * 8);
  queue.fill(buffer, 1);
  queue.finish();
  // The host may not be back in time, but it will be where the work takes long enough.
  const auto gives_up = [&](const auto& wait) {
    for (int launches = 10;; launches *= 2) {
      for (int i = 0; i < launches; ++i) inclusive_scan(queue, buffer, buffer, maximum);
      const auto failure = failure_of(wait);
      if (failure.category) return failure.category == ErrorCategory::timeout;
    }
  };
  Event event;
  CHECK(gives_up([&] {
    event = queue.record();
    event.wait(1ns);
  }));
  CHECK(gives_up([&] { queue.finish(1ns); }));
  queue.finish(test::patience);
  event.wait(1ns);
  CHECK(event.complete());
  CHECK(reduce(queue, buffer, maximum, 0) == 1);
}

TEST_CASE("transfers: fill, copy, upload and download of every value size") {
  Queue queue(test::device());
  const auto check = [&]<class T>(T value) {
    auto buffer = queue.allocate<T>(1000);
    queue.fill(buffer, value);
    queue.fill(buffer.view(3, 5), static_cast<T>(1));
    queue.copy(buffer.view(0, 10), buffer.view(500, 10));
    std::vector<T> want(1000, value);
    std::fill_n(want.begin() + 3, 5, static_cast<T>(1));
    std::copy_n(want.begin(), 10, want.begin() + 500);
    CHECK(queue.download(buffer) == want);
    const std::vector<T> part{static_cast<T>(2), static_cast<T>(3)};
    queue.upload(std::span<const T>(part), buffer.view(997, 2));
    want[997] = part[0];
    want[998] = part[1];
    CHECK(queue.download(buffer) == want);
    queue.fill(buffer.view(0, 0), value);
    CHECK(queue.download(buffer.view(5, 0)).empty());
  };
  check(std::uint8_t{200});
  check(std::int16_t{-12'345});
  check(1.5f);
  check(std::uint64_t{0x0123456789abcdefu});
}

TEST_SUITE_END();

}  // namespace bifold
