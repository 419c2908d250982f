// An application's event that has failed, with any status: a refusal, and no lost device.
#include <array>
#include <bifold/accumulation/accumulation.hpp>
#include <bifold/reduce.hpp>
#include <bifold/selection/select.hpp>
#include <functional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "interop/opencl/application.hpp"

namespace bifold::test::interop_opencl {

namespace {

// Of a driver's own calls most of these would mean something else.
constexpr std::array statuses{CL_DEVICE_NOT_AVAILABLE,
                              CL_OUT_OF_RESOURCES,
                              CL_OUT_OF_HOST_MEMORY,
                              CL_INVALID_COMMAND_QUEUE,
                              CL_INVALID_CONTEXT,
                              -9999,
                              -7777};

const ReduceShape sum_of_u32{.input = Type::u32, .accumulator = Type::u32};
const ScanShape sums_of_u32{.input = Type::u32, .output = Type::u32, .accumulator = Type::u32};

}  // namespace

TEST_SUITE_BEGIN("interop");

TEST_CASE("a call that waits for a failed event is refused as backend_failure") {
  for (const int status : statuses) {
    CAPTURE(status);
    const Application app;
    const Device device = native::device(app.context, app.device);
    Queue queue = native::queue(app.queue, device);
    Gate gate(app.context);
    const Event event = gate.adopted();
    gate.set(status);
    const auto told = [status](const Failure& failure) {
      INFO(failure.what);
      CHECK(failure.category == ErrorCategory::backend_failure);
      CHECK(failure.native_code == status);
      CHECK(failure.mentions("event of the application's"));
    };
    told(failure_of([&] { (void)event.complete(); }));
    told(failure_of([&] { event.wait(20s); }));
    told(failure_of([&] { queue.wait_for(std::span(&event, 1)); }));
    told(failure_of([&] { (void)reduce(queue, app.in(), plus, 0U, {.wait = {event}}); }));
    auto all = queue.allocate<std::uint32_t>(count);
    auto kept = queue.allocate<std::uint64_t>(1);
    queue.fill(kept, 9);
    told(failure_of([&] { select(queue, app.in(), all, kept, "1", {.wait = {event}}); }));
    CHECK(queue.download(kept)[0] == 9);
    select(queue, app.in(), all, kept, "1");
    CHECK(queue.download(kept)[0] == count);
    CHECK(reduce(queue, app.in(), plus, 0U) == count);
    queue.finish();
  }
}

TEST_CASE("work behind an event that fails is backend_failure, on queues of either owner") {
  if (!is_pocl()) return;
  for (const int status : statuses) {
    for (const bool adopted : {false, true}) {
      CAPTURE(status);
      const Application app;
      const Device device = native::device(app.context, app.device);
      Queue queue = adopted ? native::queue(app.queue, device) : Queue(device);
      auto sum = queue.allocate<std::uint32_t>(1);
      reduce_into(queue, app.in(), sum, plus, 0U);
      queue.finish();
      Gate gate(app.context);
      Event done;
      reduce_into(queue, app.in(), sum, plus, 0U, {.wait = {gate.adopted()}, .done = &done});
      const Event behind = queue.record();
      gate.set(status);
      for (const Event& event : {done, behind}) {
        CHECK(failure_of([&] { event.wait(20s); }).category == ErrorCategory::backend_failure);
      }
      CHECK(failure_of([&] { queue.finish(); }).category == ErrorCategory::backend_failure);
      queue.finish();
      CHECK(reduce(queue, app.in(), plus, 0U) == count);
    }
  }
}

TEST_CASE("accumulations whose work was dropped are lost, whoever has been told of it") {
  if (!is_pocl()) return;
  const Application app;
  const Device device = native::device(app.context, app.device);
  for (const int teller : {0, 1, 2}) {
    CAPTURE(teller);
    Queue queue(device);
    ReduceAccumulation told(queue, sum_of_u32);
    ReduceAccumulation sum(queue, sum_of_u32);
    ScanAccumulation scan(queue, sums_of_u32);
    for (ReduceAccumulation* each : {&told, &sum}) each->feed(app.in());
    scan.feed(app.in(), app.out());
    const auto saved = sum.save();
    const auto saved_scan = scan.save();
    Gate gate(app.context);
    const Event event = gate.adopted();
    queue.wait_for(std::span(&event, 1));
    for (ReduceAccumulation* each : {&told, &sum}) each->feed(app.in());
    scan.feed(app.in(), app.out());
    gate.set(-7777);
    const auto failure = failure_of([&] {
      if (teller == 0) static_cast<void>(told.value());
      if (teller == 1) queue.finish();
      if (teller == 2) queue.finish(20s);
    });
    CHECK(failure.category == ErrorCategory::backend_failure);
    for (const auto& call : {std::function<void()>([&] { static_cast<void>(told.count()); }),
                             std::function<void()>([&] { static_cast<void>(sum.value()); }),
                             std::function<void()>([&] { sum.feed(app.in()); }),
                             std::function<void()>([&] { static_cast<void>(scan.total()); })}) {
      const auto lost = failure_of(call);
      CHECK(lost.category == ErrorCategory::backend_failure);
      CHECK_MESSAGE(lost.mentions("the accumulation is lost"), lost.what);
    }
    sum.resume(saved);
    scan.resume(saved_scan);
    CHECK(sum.value() == Value(count));
    CHECK(scan.total() == Value(count));
  }
}

TEST_CASE("outputs of a scan from host memory are not of a carry that was dropped") {
  if (!is_pocl()) return;
  const Application app;
  Queue queue(native::device(app.context, app.device));
  ScanAccumulation scan(queue, sums_of_u32);
  scan.feed(app.in(), app.out());
  queue.finish();
  Gate gate(app.context);
  const Event event = gate.adopted();
  queue.wait_for(std::span(&event, 1));
  scan.feed(app.in(), app.out());
  gate.set(-7777);
  std::vector<std::uint32_t> values = ones();
  CHECK(failure_of([&] { scan.feed(std::span(values), std::span(values)); }).category ==
        ErrorCategory::backend_failure);
  CHECK(failure_of([&] { static_cast<void>(scan.count()); }).mentions("lost"));
}

TEST_CASE("an accumulation that pieces of host memory have lost resumes at once") {
  if (!is_pocl()) return;
  const Application app;
  Queue queue(native::device(app.context, app.device));
  ReduceAccumulation sum(queue, sum_of_u32, {}, {.piece_bytes = bytes / 10});
  const std::vector<std::uint32_t> values = ones();
  sum.feed(std::span(values));
  const auto saved = sum.save();
  // Until the event fails behind the first piece, not before it.
  for (auto delay = 10ms;; delay *= 2) {
    Gate gate(app.context);
    const Event event = gate.adopted();
    queue.wait_for(std::span(&event, 1));
    const std::jthread fails([&] {
      std::this_thread::sleep_for(delay);
      gate.set(-7777);
    });
    if (failure_of([&] { sum.feed(std::span(values)); }).category) break;
    static_cast<void>(failure_of([&] { queue.finish(); }));
    sum.resume(saved);
  }
  CHECK(failure_of([&] { static_cast<void>(sum.count()); }).mentions("the accumulation is lost"));
  sum.resume(saved);
  CHECK(sum.value() == Value(count));
  queue.finish();
}

TEST_SUITE_END();

}  // namespace bifold::test::interop_opencl
