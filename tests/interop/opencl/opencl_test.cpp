// bifold inside an OpenCL application: what is adopted, what is refused, who holds what.
#include <array>
#include <atomic>

#include "application.hpp"
#include "support/environment.hpp"
#include "support/patience.hpp"

namespace bifold::test::interop_opencl {

namespace {

constexpr auto invalid = ErrorCategory::invalid_argument;

void scan_and_check(const Application& app, Queue& queue) {
  app.write(app.output, std::vector<std::uint32_t>(count, 77));
  exclusive_scan(queue, app.in(), app.out(), plus);
  queue.finish();
  CHECK(app.read(app.output) == ramp());
}

}  // namespace

TEST_SUITE_BEGIN("interop");

TEST_CASE("an adopted device says what it is, and computes") {
  const Application app;
  const Device device = native::device(app.context, app.device);
  CHECK(device.info().selector == "opencl:adopted");
  CHECK(device.info().backend == "opencl");
  CHECK(device.info().index == adopted_index);
  CHECK_FALSE(device.info().name.empty());
  Queue queue(device);  // One of bifold's own, in the application's context.
  scan_and_check(app, queue);
  CHECK(reduce(queue, app.in(), plus, std::uint64_t{0}) == count);
}

TEST_CASE("queues of every kind compute, and keep their properties") {
  for (const cl_command_queue_properties properties :
       {cl_command_queue_properties{0}, profiling, out_of_order, out_of_order | profiling}) {
    INFO("properties ", properties);
    const Application app(properties);
    const Device device = native::device(app.context, app.device);
    Queue queue = native::queue(app.queue, device);
    const Event begin = queue.record();
    Event done;
    inclusive_scan(queue, app.in(), app.out(), plus, 5U, {.done = &done});
    done.wait();
    CHECK(app.read(app.output).back() == count + 5);
    // Everything else that a queue does, in the order of the calls.
    auto copied = queue.allocate<std::uint32_t>(count);
    queue.copy(app.out(), copied);
    queue.fill(app.out(), 3);
    CHECK(reduce(queue, copied, maximum) == count + 5);
    CHECK(reduce(queue, app.out(), plus, std::uint64_t{0}) == 3 * count);
    CHECK(queue.download(copied).front() == 6);
    scan_and_check(app, queue);
    begin.wait(patience);
    if ((properties & profiling) != 0) {
      CHECK(elapsed(begin, done) >= 0);
    } else {
      refused(invalid, "without timing", [&] { (void)elapsed(begin, done); });
    }
    cl_command_queue_properties now = ~properties;
    succeed(clGetCommandQueueInfo(app.queue, CL_QUEUE_PROPERTIES, sizeof now, &now, nullptr));
    CHECK(now == properties);
  }
}

TEST_CASE("when the last handle goes, nothing of the application's is held") {
  for (const cl_command_queue_properties properties :
       {cl_command_queue_properties{0}, out_of_order | profiling}) {
    const Application app(properties);
    const Gate gate(app.context);
    // PoCL's queues and buffers hold on to the last command on them, and to its queue. It lets go
    // of a command's buffers behind its end, from a thread of its own.
    app.use();
    CHECK(falls_to(app.input, 1));
    CHECK(falls_to(app.output, 1));
    const cl_uint contexts = references(app.context);
    const cl_uint queues = references(app.queue);
    const LoadedLayer layer;
    const std::array kinds{"context", "queue", "buffer", "program", "kernel", "event"};
    std::vector<long> live;
    live.reserve(kinds.size());
    for (const char* kind : kinds) live.push_back(layer.live(kind));
    {
      Event kept;
      {
        const Device device = native::device(app.context, app.device);
        CHECK(references(app.context) > contexts);
        Queue queue = native::queue(app.queue, device);
        CHECK(references(app.queue) > queues);
        CHECK(references(app.input) == 1);
        for (int i = 0; i < 3; ++i) {
          exclusive_scan(queue, app.in(), app.out(), plus,
                         {.wait = {gate.adopted()}, .done = &kept});
        }
        const_cast<Gate&>(gate).set(CL_COMPLETE);
        CHECK(reduce(queue, app.in(), plus) == count);
        const ReducePlan plan(device, {});
        std::vector<std::uint8_t> scratch(plan.workspace_bytes(count));
        const auto workspace_memory = queue.upload(std::span(scratch));
        queue.finish();
      }
      CHECK(kept.complete());
      // An event outlives its queue and its device, and holds on to the native queue alone.
      CHECK(references(app.context) > contexts);
    }
    app.use();
    CHECK(falls_to(app.context, contexts));
    CHECK(falls_to(app.queue, queues));
    CHECK(falls_to(app.input, 1));
    CHECK(falls_to(app.output, 1));
    CHECK(falls_to(gate.get(), 1));
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      CHECK_MESSAGE(layer.live(kinds[i]) == live[i], kinds[i]);
    }
  }
}

TEST_CASE("what bifold retained lives on when the application lets go of it first") {
  auto app = std::make_unique<Application>(out_of_order);
  const Device device = native::device(app->context, app->device);
  Queue queue = native::queue(app->queue, device);
  app.reset();
  const std::vector<std::uint32_t> host = ramp();
  const auto numbers = queue.upload(std::span(host));
  CHECK(reduce(queue, numbers, plus, std::uint64_t{0}) == std::uint64_t{count} * (count - 1) / 2);
}

TEST_CASE("two contexts live in one process, and do not mix") {
  const Application first;
  const Application second(out_of_order);
  const Device first_device = native::device(first.context, first.device);
  const Device second_device = native::device(second.context, second.device);
  Queue first_queue = native::queue(first.queue, first_device);
  Queue second_queue = native::queue(second.queue, second_device);
  scan_and_check(first, first_queue);
  scan_and_check(second, second_queue);

  const Event elsewhere = second_queue.record();
  const ScanPlan plan(second_device, {.input = Type::u32,
                                      .output = Type::u32,
                                      .accumulator = Type::u32,
                                      .kind = ScanKind::exclusive});
  const std::array references_before{
      settled_references(first.context), settled_references(first.queue),
      settled_references(second.context), settled_references(second.queue)};
  const std::vector<std::uint32_t> before = first.read(first.output);
  refused(invalid, "another device or context",
          [&] { exclusive_scan(first_queue, second.in(), first.out(), plus); });
  refused(invalid, "another device or context",
          [&] { exclusive_scan(first_queue, first.in(), second.out(), plus); });
  refused(invalid, "another context", [&] {
    exclusive_scan(first_queue, first.in(), first.out(), plus, {.wait = {elsewhere}});
  });
  refused(invalid, "another context", [&] { first_queue.wait_for(std::span(&elsewhere, 1)); });
  refused(invalid, "another context", [&] { (void)native::queue(second.queue, first_device); });
  refused(invalid, "another device", [&] { plan.run(first_queue, first.in(), first.out(), 0U); });
  refused(invalid, "another device or context",
          [&] { first_queue.copy(second.in(), first.out()); });
  CHECK(first.read(first.output) == before);
  await_fall_to(first.context, references_before[0]);
  await_fall_to(first.queue, references_before[1]);
  await_fall_to(second.context, references_before[2]);
  await_fall_to(second.queue, references_before[3]);
  scan_and_check(first, first_queue);
  scan_and_check(second, second_queue);
}

TEST_CASE("devices of one context share its memory, and nothing that was built for one") {
  const std::vector<cl_device_id> devices = all_devices();
  if (devices.size() < 2) {
    MESSAGE("one device only: not tested");
    return;
  }
  const OwnedContext context = make_context({devices[0], devices[1]});
  CacheOptions cache{.directory = fresh_folder("interop")};
  for (const bool again : {false, true}) {
    const Device left = native::device(context, devices[0], {.cache = cache});
    const Device right = native::device(context, devices[1], {.cache = cache});
    const OwnedQueue left_native = make_queue(context, devices[0]);
    const OwnedQueue right_native = make_queue(context, devices[1]);
    Queue left_queue = native::queue(left_native, left);
    Queue right_queue = native::queue(right_native, right);
    refused(invalid, "another device", [&] { (void)native::queue(left_native, right); });

    const OwnedMemory memory = make_buffer(context, bytes);
    const auto view = native::view<std::uint32_t>(memory, count);
    left_queue.fill(view, 1);
    left_queue.finish();
    exclusive_scan(right_queue, view, view, plus);
    right_queue.finish();
    CHECK(left_queue.download(view) == ramp());
    const ReducePlan plan(left, {.input = Type::u32, .accumulator = Type::u32});
    refused(invalid, "another device",
            [&] { plan.run(right_queue, view, view.subview(0, 1), 0U); });
    // A program of a context with several devices finds its own binary again.
    for (const Device& device : {left, right}) {
      const CacheStatistics statistics = device.cache_statistics();
      CHECK((statistics.compiled == 0) == again);
      CHECK((statistics.from_disk > 0) == again);
    }
  }
  CHECK(falls_to(static_cast<cl_context>(context), 1));
}

TEST_CASE("a part of a device is a device too, and is let go of") {
  const std::array<cl_device_partition_property, 3> halves{CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  cl_device_id part = nullptr;
  cl_uint parts = 0;
  if (clCreateSubDevices(main_device(), halves.data(), 0, nullptr, &parts) != CL_SUCCESS) {
    MESSAGE("the device has no parts: not tested");
    return;
  }
  std::vector<cl_device_id> all(parts);
  succeed(clCreateSubDevices(main_device(), halves.data(), parts, all.data(), nullptr));
  part = all.front();
  const auto count_of = [&] {
    cl_uint number = 0;
    succeed(clGetDeviceInfo(part, CL_DEVICE_REFERENCE_COUNT, sizeof number, &number, nullptr));
    return number;
  };
  {
    const OwnedContext context = make_context({part});
    const OwnedQueue own = make_queue(context, part);
    const cl_uint before = count_of();
    {
      const Device device = native::device(context, part);
      Queue queue = native::queue(own, device);
      const std::vector<std::uint32_t> host = ramp();
      const auto numbers = queue.upload(std::span(host));
      CHECK(reduce(queue, numbers, maximum) == count - 1);
    }
    CHECK(count_of() == before);
    CHECK(references(static_cast<cl_context>(context)) >= 1);
  }
  for (auto* const device : all) clReleaseDevice(device);
}

TEST_CASE("handles that are null or do not belong together are refused, and left alone") {
  const Application app;
  const Application stranger;
  const Device device = native::device(app.context, app.device);
  const std::vector<cl_device_id> devices = all_devices();
  const cl_uint contexts = references(app.context);
  refused(invalid, "context is null", [&] { (void)native::device(nullptr, app.device); });
  refused(invalid, "device is null", [&] { (void)native::device(app.context, nullptr); });
  for (auto* const other : devices) {
    if (other == app.device) continue;
    refused(invalid, "not one of the context's", [&] { (void)native::device(app.context, other); });
  }
  refused(invalid, "queue is null", [&] { (void)native::queue(nullptr, device); });
  refused(invalid, "memory object is null",
          [&] { (void)native::view<int>(static_cast<cl_mem>(nullptr), 1); });
  refused(invalid, "event is null", [&] { (void)native::event(nullptr); });
  refused(invalid, "is empty", [&] { (void)native::native_event(Event()); });
  CHECK(references(app.context) == contexts);
  CHECK(references(app.queue) == 1);
}

TEST_CASE("an adoption that fails half-way leaves the counts as they were") {
  const Application app(out_of_order);
  const LoadedLayer layer;
  const cl_uint contexts = references(app.context);
  for (int nth = 1; nth <= 20; ++nth) {
    layer.fail("clGetDeviceInfo", CL_OUT_OF_HOST_MEMORY, nth);
    const Failure failure = failure_of([&] { (void)native::device(app.context, app.device); });
    layer.clear();
    CHECK(references(app.context) == contexts);
    if (!failure.category) CHECK(failure.what == "nothing was thrown");
  }
  const Device device = native::device(app.context, app.device);
  const cl_uint with_device = references(app.context);
  const cl_uint queues = references(app.queue);
  layer.fail("clGetDeviceInfo", CL_OUT_OF_HOST_MEMORY);
  CHECK(failure_of([&] { (void)native::queue(app.queue, device); }).category.has_value());
  CHECK(references(app.queue) == queues);
  CHECK(references(app.context) == with_device);
}

TEST_CASE("a call that the driver fails is a typed error, and the queue works afterwards") {
  for (const cl_command_queue_properties properties :
       {cl_command_queue_properties{0}, out_of_order}) {
    const Application app(properties);
    const Device device = native::device(app.context, app.device);
    Queue queue = native::queue(app.queue, device);
    const LoadedLayer layer;
    scan_and_check(app, queue);
    const OwnedMemory scratch = make_buffer(app.context, 1 << 20);
    const Workspace workspace(native::view<std::uint8_t>(scratch, 1 << 20));
    const long before = layer.live("event");
    for (const Workspace* const with : {static_cast<const Workspace*>(nullptr), &workspace}) {
      for (const int nth : {1, 2}) {
        Gate gate(app.context);
        layer.fail("clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, nth);
        const Failure failure = failure_of([&] {
          exclusive_scan(
              queue, app.in(), app.out(), plus,
              {.wait = {gate.adopted()}, .workspace = with, .variant = "reduce_then_scan"});
        });
        CHECK(failure.category == ErrorCategory::backend_failure);
        CHECK(failure.call == "clEnqueueNDRangeKernel");
        gate.set(CL_COMPLETE);
        queue.finish();
        scan_and_check(app, queue);
      }
    }
    queue.finish();
    CHECK(layer.live("event") <= before + 2);  // The ends of the last calls.
  }
}

TEST_CASE("threads with queues of their own share an adopted device") {
  const Application app;
  const Device device = native::device(app.context, app.device);
  std::atomic<int> right{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&app, &device, &right, t] {
        cl_int code = CL_SUCCESS;
        const OwnedQueue own(
            clCreateCommandQueue(app.context, app.device, t % 2 == 0 ? 0 : out_of_order, &code));
        Queue queue = native::queue(own, device);
        auto numbers = queue.allocate<std::uint32_t>(count);
        for (int i = 0; i < 10; ++i) {
          queue.fill(numbers, 1);
          exclusive_scan(queue, numbers, numbers, plus);
          if (queue.download(numbers) == ramp()) ++right;
        }
      });
    }
  }
  CHECK(right == 40);
}

TEST_SUITE_END();

}  // namespace bifold::test::interop_opencl
