// An application's event that has failed, with any status: a refusal, and no lost device.
#include <array>
#include <bifold/reduce.hpp>
#include <string>

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

TEST_SUITE_END();

}  // namespace bifold::test::interop_opencl
