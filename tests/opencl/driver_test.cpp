// The OpenCL backend below the algorithms: failures of every kind of driver call, waits that do not
// end, references. Runs under the fault layer of opencl_layer/.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <vector>

#include "opencl_layer/fixture.hpp"
#include "support/patience.hpp"

namespace bifold::test::opencl {

TEST_SUITE_BEGIN("opencl driver");

TEST_CASE("every code of a failed allocation is out_of_memory and the queue works afterwards") {
  const Bench bench;
  for (const int code : {CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES,
                         CL_OUT_OF_HOST_MEMORY, CL_INVALID_BUFFER_SIZE}) {
    bench.layer.fail("clCreateBuffer", code);
    const Failure failure = failure_of([&] { (void)bench.device->allocate(bytes); });
    check_failure(failure, ErrorCategory::out_of_memory, "clCreateBuffer", code);
    CHECK(bench.usable());
  }
}

TEST_CASE("a buffer beyond the device's limit is out_of_memory before the driver is asked") {
  const Bench bench;
  const long calls = bench.layer.calls("clCreateBuffer");
  const std::uint64_t limit = bench.device->capabilities().max_allocation_bytes;
  for (const std::uint64_t size : {limit + 1, ~std::uint64_t{0}}) {
    const Failure failure = failure_of([&] { (void)bench.device->allocate(size); });
    refused(failure, ErrorCategory::out_of_memory, "no buffer of this device may exceed");
  }
  CHECK(bench.layer.calls("clCreateBuffer") == calls);
  CHECK(bench.usable());
}

TEST_CASE("buffers that exceed the device together are out_of_memory, and again free when freed") {
  const Bench bench;
  const Capabilities& can = bench.device->capabilities();
  std::vector<Memory> taken;
  Failure failure;
  while (taken.size() <= can.global_bytes / can.max_allocation_bytes) {
    failure =
        failure_of([&] { taken.push_back(bench.device->allocate(can.max_allocation_bytes)); });
    if (failure.category) break;
  }
  INFO(failure.what);
  CHECK(failure.category == ErrorCategory::out_of_memory);
  CHECK_FALSE(taken.empty());
  for (const Memory& memory : taken) bench.device->free(memory);
  bench.device->free(bench.device->allocate(can.max_allocation_bytes));
  CHECK(bench.usable());
}

TEST_CASE("every enqueue that fails is a typed error and the queue works afterwards") {
  const Bench bench;
  std::array<std::uint32_t, count> host{};
  const Memory other = bench.device->allocate(bytes);
  const auto expect = [&](const char* call, int code, ErrorCategory category, auto&& body) {
    INFO(call);
    bench.layer.fail(call, code);
    check_failure(failure_of(body), category, call, code);
    CHECK(bench.usable());
  };
  const auto failed = ErrorCategory::backend_failure;
  expect("clEnqueueNDRangeKernel", CL_OUT_OF_RESOURCES, failed,
         [&] { bench.launch(*bench.queue, bench.memory, 1, 1); });
  expect("clEnqueueNDRangeKernel", CL_MEM_OBJECT_ALLOCATION_FAILURE, ErrorCategory::out_of_memory,
         [&] { bench.launch(*bench.queue, bench.memory, 1, 1); });
  expect("clSetKernelArg", CL_INVALID_ARG_VALUE, failed,
         [&] { bench.launch(*bench.queue, bench.memory, 1, 1); });
  expect("clEnqueueFillBuffer", CL_OUT_OF_RESOURCES, failed, [&] { bench.fill(1); });
  expect("clEnqueueCopyBuffer", CL_OUT_OF_HOST_MEMORY, ErrorCategory::out_of_memory,
         [&] { bench.queue->copy(other, 0, bench.memory, 0, bytes); });
  expect("clEnqueueWriteBuffer", CL_OUT_OF_RESOURCES, failed,
         [&] { bench.queue->upload(bench.memory, 0, host.data(), bytes); });
  expect("clEnqueueReadBuffer", CL_OUT_OF_RESOURCES, failed,
         [&] { bench.queue->download(host.data(), bench.memory, 0, bytes); });
  expect("clEnqueueMarkerWithWaitList", CL_OUT_OF_RESOURCES, failed,
         [&] { (void)bench.queue->record(); });
  expect("clFlush", CL_OUT_OF_RESOURCES, failed, [&] { (void)bench.queue->record(); });
  expect("clEnqueueBarrierWithWaitList", CL_OUT_OF_RESOURCES, failed, [&] {
    const auto event = bench.queue->record();
    const backend::Event* const list[] = {event.get()};
    bench.queue->wait(list);
  });
  expect("clCreateCommandQueue", CL_OUT_OF_HOST_MEMORY, ErrorCategory::out_of_memory,
         [&] { (void)bench.device->create_queue(Timing::disabled); });
  bench.device->free(other);
}

TEST_CASE("lacking resources in a wait means that the device is lost") {
  const Bench bench;
  const auto lost = ErrorCategory::device_lost;
  bench.layer.fail("clFinish", CL_OUT_OF_RESOURCES);
  check_failure(failure_of([&] { bench.queue->finish({}); }), lost, "clFinish",
                CL_OUT_OF_RESOURCES);
  const auto event = bench.queue->record();
  bench.layer.fail("clWaitForEvents", CL_OUT_OF_RESOURCES);
  check_failure(failure_of([&] { event->wait({}); }), lost, "clWaitForEvents", CL_OUT_OF_RESOURCES);
  bench.layer.fail("clGetEventInfo", CL_OUT_OF_RESOURCES);
  check_failure(failure_of([&] { event->wait(1s); }), lost, "clGetEventInfo", CL_OUT_OF_RESOURCES);
  // A blocking transfer counts as a wait when the queue cannot be finished either.
  bench.layer.fail("clEnqueueReadBuffer", CL_OUT_OF_RESOURCES);
  bench.layer.fail("clFinish", CL_OUT_OF_RESOURCES);
  check_failure(failure_of([&] { (void)bench.content(); }), lost, "clEnqueueReadBuffer",
                CL_OUT_OF_RESOURCES);
}

TEST_CASE("a source that does not compile is a build_failure with log and numbered source") {
  const Bench bench;
  const Failure failure = failure_of([&] {
    (void)bench.device->build({"broken.cl", "// first\n__kernel void f() {\n  nonsense here;\n}\n",
                               bench.device->compile_options()});
  });
  check_failure(failure, ErrorCategory::build_failure, "clBuildProgram", CL_BUILD_PROGRAM_FAILURE);
  CHECK(failure.mentions("broken.cl"));
  CHECK(failure.log.find("nonsense") != std::string::npos);
  CHECK(failure.source.find("    1 | // first\n") != std::string::npos);
  CHECK(failure.source.find("    3 |   nonsense here;\n") != std::string::npos);
  CHECK(bench.usable());
}

TEST_CASE("the other failures of a build keep their meaning") {
  const Bench bench;
  const backend::Source source{"add", add_text, bench.device->compile_options()};
  const auto build = [&] { (void)bench.device->build(source); };
  bench.layer.fail("clBuildProgram", CL_OUT_OF_HOST_MEMORY);
  check_failure(failure_of(build), ErrorCategory::out_of_memory, "clBuildProgram",
                CL_OUT_OF_HOST_MEMORY);
  bench.layer.fail("clBuildProgram", CL_COMPILER_NOT_AVAILABLE);
  check_failure(failure_of(build), ErrorCategory::unavailable, "clBuildProgram",
                CL_COMPILER_NOT_AVAILABLE);
  bench.layer.fail("clCreateProgramWithSource", CL_OUT_OF_RESOURCES);
  check_failure(failure_of(build), ErrorCategory::build_failure, "clCreateProgramWithSource",
                CL_OUT_OF_RESOURCES);
  // A log that cannot be read hides nothing.
  bench.layer.fail("clBuildProgram", CL_BUILD_PROGRAM_FAILURE);
  bench.layer.fail("clGetProgramBuildInfo", CL_OUT_OF_HOST_MEMORY);
  check_failure(failure_of(build), ErrorCategory::build_failure, "clBuildProgram",
                CL_BUILD_PROGRAM_FAILURE);
  check_failure(failure_of([&] { (void)bench.program->kernel("absent"); }),
                ErrorCategory::backend_failure, "clCreateKernel", CL_INVALID_KERNEL_NAME);
  CHECK(bench.usable());
}

TEST_CASE("a program comes back from its binary, and what is no binary is refused") {
  Bench bench;
  const std::vector<std::byte> binary = bench.program->binary();
  REQUIRE_FALSE(binary.empty());
  bench.program = bench.device->load(binary, bench.device->compile_options());
  bench.add = bench.program->kernel("add");
  CHECK(bench.usable());

  const std::array<std::byte, 10> garbage{};
  const Failure failure =
      failure_of([&] { (void)bench.device->load(garbage, bench.device->compile_options()); });
  CHECK(failure.category == ErrorCategory::build_failure);
  CHECK(failure_of([&] {
          (void)bench.device->load({}, bench.device->compile_options());
        }).category == ErrorCategory::build_failure);
  bench.layer.fail("clGetProgramInfo", CL_OUT_OF_HOST_MEMORY);
  CHECK(bench.program->binary().empty());
  CHECK(bench.usable());
}

TEST_CASE("a wait with a limit ends when the work does not, and the work goes on") {
  const Bench bench;
  Gate gate(*bench.device);
  bench.fill(1);
  gate.close(*bench.queue);
  bench.launch(*bench.queue, bench.memory, 2, 0);
  const auto event = bench.queue->record();

  const auto begin = std::chrono::steady_clock::now();
  refused(failure_of([&] { event->wait(50ms); }), ErrorCategory::timeout, "within 50 ms");
  const auto took = std::chrono::steady_clock::now() - begin;
  CHECK(took >= 50ms);
  CHECK_FALSE(event->complete());
  refused(failure_of([&] { event->wait(0ns); }), ErrorCategory::timeout, "not done");
  refused(failure_of([&] { bench.queue->finish(20ms); }), ErrorCategory::timeout, "not done");

  gate.set(CL_COMPLETE);
  event->wait(std::chrono::nanoseconds::max());
  CHECK(event->complete());
  CHECK(bench.content() == std::vector<std::uint32_t>(count, 3));
  CHECK(bench.usable());
}

TEST_CASE("work behind an event that failed is told once by finish, and later work runs") {
  const Bench bench;
  for (const TimeLimit limit : {TimeLimit{}, TimeLimit{patience}}) {
    Gate gate(*bench.device);
    gate.close(*bench.queue);
    const auto event = bench.queue->record();
    gate.set(-7777);
    const Failure waited = failure_of([&] { event->wait(limit); });
    const Failure asked = failure_of([&] { (void)event->complete(); });
    const Failure finished = failure_of([&] { bench.queue->finish(limit); });
    for (const Failure& failure : {waited, asked, finished}) {
      INFO(failure.what);
      CHECK(failure.category == ErrorCategory::backend_failure);
      CHECK(failure.native_code < 0);
    }
    bench.queue->finish(limit);
    CHECK(bench.usable());
  }
}

TEST_CASE("a download of what dropped work should have computed is a failure") {
  const Bench bench;
  Gate gate(*bench.device);
  bench.fill(1);
  gate.close(*bench.queue);
  bench.launch(*bench.queue, bench.memory, 1, 1);
  gate.set(-7777);
  const Failure failure = failure_of([&] { (void)bench.content(); });
  INFO(failure.what);
  CHECK(failure.category == ErrorCategory::backend_failure);
  CHECK(failure.native_code < 0);
  static_cast<void>(failure_of([&] { bench.queue->finish({}); }));
  CHECK(bench.usable());
}

TEST_CASE("a queue waits for the events of another queue") {
  const Bench bench;
  const auto second = bench.device->create_queue(Timing::disabled);
  Gate gate(*bench.device);
  bench.fill(1);
  bench.queue->finish({});
  gate.close(*bench.queue);
  bench.launch(*bench.queue, bench.memory, 1, 0);
  const auto first_done = bench.queue->record();
  const backend::Event* const list[] = {first_done.get()};
  second->wait(list);
  bench.launch(*second, bench.memory, 4, 0);
  const auto second_done = second->record();
  CHECK(failure_of([&] { second_done->wait(30ms); }).category == ErrorCategory::timeout);
  gate.set(CL_COMPLETE);
  second_done->wait(patience);
  CHECK(bench.content() == std::vector<std::uint32_t>(count, 6));
}

TEST_CASE("events and kernels of other backends, contexts and queues are refused") {
  const Bench bench;
  const ForeignEvent foreign;
  const backend::Event* const foreigners[] = {&foreign};
  const auto invalid = ErrorCategory::invalid_argument;
  refused(failure_of([&] { bench.queue->wait(foreigners); }), invalid, "OpenCL events only");
  refused(failure_of([&] { bench.queue->launch(ForeignKernel(), 1, 1, {}); }), invalid,
          "another backend");

  const auto elsewhere = backend::opencl_backend().open(device_index());
  const auto other_queue = elsewhere->create_queue(Timing::enabled);
  const auto other_event = other_queue->record();
  const backend::Event* const others[] = {other_event.get()};
  refused(failure_of([&] { bench.queue->wait(others); }), invalid, "another context");

  const auto untimed = bench.queue->record();
  untimed->wait(patience);
  other_event->wait(patience);
  refused(failure_of([&] { (void)untimed->seconds_since(*untimed); }), invalid, "without timing");
  refused(failure_of([&] { (void)other_event->seconds_since(*untimed); }), invalid, "one queue");
  refused(failure_of([&] { (void)other_event->seconds_since(foreign); }), invalid, "one queue");
  CHECK(bench.usable());
}

TEST_CASE("events of a timed queue measure the work between them") {
  const Bench bench;
  const auto timed = bench.device->create_queue(Timing::enabled);
  const auto started = std::chrono::steady_clock::now();
  const auto begin = timed->record();
  for (int i = 0; i < 20; ++i) bench.launch(*timed, bench.memory, 1, 0);
  const auto end = timed->record();
  end->wait(patience);
  const std::chrono::duration<double> host = std::chrono::steady_clock::now() - started;
  const double seconds = end->seconds_since(*begin);
  CHECK(seconds > 0);
  CHECK(seconds < host.count() * 1.05 + 1e-3);
  CHECK(begin->seconds_since(*end) == doctest::Approx(-seconds));
  CHECK(begin->seconds_since(*begin) == 0);

  Gate gate(*bench.device);
  gate.close(*timed);
  const auto pending = timed->record();
  refused(failure_of([&] { (void)pending->seconds_since(*begin); }),
          ErrorCategory::invalid_argument, "complete");
}

TEST_CASE("commands of no bytes and groups reach no driver") {
  const Bench bench;
  bench.fill(9);
  const std::array<std::byte, 4> pattern{};
  bench.queue->fill(bench.memory, bytes, 0, pattern);
  bench.queue->copy(bench.memory, 0, bench.memory, 0, 0);
  bench.queue->upload(bench.memory, 0, nullptr, 0);
  bench.queue->download(nullptr, bench.memory, 0, 0);
  bench.queue->wait({});
  CHECK(bench.content() == std::vector<std::uint32_t>(count, 9));
}

TEST_CASE("every reference is released, after failures too") {
  static_cast<void>(backend::opencl_backend().probe());
  const LoadedLayer layer;
  constexpr std::array kinds{"context", "queue", "buffer", "program", "kernel", "event"};
  std::array<long, kinds.size()> before{};
  std::transform(kinds.begin(), kinds.end(), before.begin(),
                 [&](const char* kind) { return layer.live(kind); });
  {
    const Bench bench;
    CHECK(bench.usable());
    const auto timed = bench.device->create_queue(Timing::enabled);
    const auto event = timed->record();
    const backend::Event* const list[] = {event.get()};
    bench.queue->wait(list);
    bench.launch(*timed, bench.memory, 1, 1);
    for (const char* const call :
         {"clBuildProgram", "clCreateKernel", "clGetKernelWorkGroupInfo", "clFlush",
          "clCreateContext", "clCreateBuffer", "clCreateProgramWithBinary"}) {
      INFO(call);
      layer.fail(call, CL_OUT_OF_HOST_MEMORY);
      const Failure failure = failure_of([&] {
        const auto built = bench.device->build({"a", add_text, bench.device->compile_options()});
        static_cast<void>(built->kernel("add"));
        static_cast<void>(bench.queue->record());
        static_cast<void>(backend::opencl_backend().open(0));
        static_cast<void>(bench.device->load(built->binary(), bench.device->compile_options()));
        bench.device->free(bench.device->allocate(bytes));
      });
      CHECK(failure.category == ErrorCategory::out_of_memory);
    }
    CHECK(layer.live("context") > before[0]);
    CHECK(layer.live("kernel") > before[4]);
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    INFO(kinds[i]);
    CHECK(layer.live(kinds[i]) == before[i]);
  }
}

TEST_CASE("objects may be released in any order") {
  auto bench = std::make_unique<Bench>();
  const auto event = bench->queue->record();
  const auto queue = bench->device->create_queue(Timing::disabled);
  bench->fill(1);
  bench.reset();
  event->wait(patience);
  const auto last = queue->record();
  last->wait(patience);
  CHECK(last->complete());
}

TEST_SUITE_END();

}  // namespace bifold::test::opencl
