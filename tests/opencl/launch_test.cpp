// How the OpenCL backend sets arguments and launches kernels, under the fault layer.
#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <thread>
#include <vector>

#include "opencl_layer/fixture.hpp"

namespace bifold::test::opencl {

TEST_SUITE_BEGIN("opencl driver");

TEST_CASE("an argument whose setting failed is set again by the next launch") {
  const Bench bench;
  bench.fill(0);
  bench.launch(*bench.queue, bench.memory, 1, 10);
  bench.layer.fail("clSetKernelArg", CL_OUT_OF_HOST_MEMORY, 2);
  const Failure failure = failure_of([&] { bench.launch(*bench.queue, bench.memory, 2, 20); });
  CHECK(failure.category == ErrorCategory::out_of_memory);
  bench.launch(*bench.queue, bench.memory, 2, 20);
  CHECK(bench.content() == std::vector<std::uint32_t>(count, 1 + 10 + 2 + 20));
}

TEST_CASE("a launch that cannot be right is refused before the driver sees it") {
  const Bench bench;
  const auto invalid = ErrorCategory::invalid_argument;
  const std::uint32_t amount = 1;
  const std::uint64_t bias = 0;
  const std::array arguments{
      Argument{&bench.memory.handle, sizeof(std::uintptr_t), ArgumentKind::memory},
      Argument{&amount, sizeof amount}, Argument{&bias, sizeof bias}};
  const long calls = bench.layer.calls("clEnqueueNDRangeKernel");
  const std::uint32_t most = bench.add->max_group_size();
  refused(failure_of([&] { bench.queue->launch(*bench.add, 1, most + 1, arguments); }), invalid,
          "work-groups of 1 to");
  refused(failure_of([&] { bench.queue->launch(*bench.add, 1, 0, arguments); }), invalid,
          "work-groups of 1 to");
  refused(failure_of([&] { bench.queue->launch(*bench.add, ~std::uint64_t{0}, 2, arguments); }),
          invalid, "a launch on this device takes 1 to");
  refused(failure_of([&] { bench.queue->launch(*bench.add, 0, 1, arguments); }), invalid,
          "a launch on this device takes 1 to");
  refused(failure_of([&] { bench.queue->launch(*bench.add, 1, 1, std::span(arguments).first(2)); }),
          invalid, "takes 3 arguments");
  CHECK(bench.layer.calls("clEnqueueNDRangeKernel") == calls);
  CHECK(bench.usable());
}

TEST_CASE("what a kernel holds is not set again, but for memory whose end is not known") {
  const Bench bench;
  bench.fill(0);
  bench.launch(*bench.queue, bench.memory, 1, 2);
  const auto sets_of = [&](const Memory& memory, std::uint32_t amount, std::uint64_t bias) {
    const long before = bench.layer.calls("clSetKernelArg");
    bench.launch(*bench.queue, memory, amount, bias);
    return bench.layer.calls("clSetKernelArg") - before;
  };
  CHECK(sets_of(bench.memory, 1, 2) == 0);
  CHECK(sets_of(bench.memory, 1, 3) == 1);
  CHECK(sets_of(bench.memory, 4, 3) == 1);
  CHECK(bench.content() == std::vector<std::uint32_t>(count, 3 + 3 + 4 + 7));

  // The application's memory may be released behind the library's back.
  Memory adopted = bench.memory;
  adopted.identity = 0;
  CHECK(sets_of(adopted, 4, 3) == 1);
  CHECK(sets_of(adopted, 4, 3) == 1);
  // Freed memory's handle may come back, and is another object then.
  Memory next = bench.memory;
  ++next.identity;
  CHECK(sets_of(next, 4, 3) == 1);
  CHECK(sets_of(next, 4, 3) == 0);
  for (int i = 0; i < 4; ++i) {
    const Memory fresh = bench.device->allocate(bytes);
    CHECK(sets_of(fresh, 4, 3) == 1);
    CHECK(sets_of(fresh, 4, 3) == 0);
    bench.queue->finish({});
    bench.device->free(fresh);
  }
  bench.fill(0);
  CHECK(sets_of(bench.memory, 4, 3) == 1);
  CHECK(bench.content() == std::vector<std::uint32_t>(count, 7));
}

TEST_CASE("a queue lets go of the kernels of programs that are gone") {
  Bench bench;
  CHECK(bench.usable());
  const long before = bench.layer.live("kernel");
  for (int i = 0; i < 8; ++i) {
    bench.program = bench.device->build({"add", add_text, bench.device->compile_options()});
    bench.add = bench.program->kernel("add");
    CHECK(bench.usable());
  }
  CHECK(bench.layer.live("kernel") <= before + 1);
}

TEST_CASE("threads launch one kernel on queues of their own") {
  const Bench bench;
  constexpr std::uint32_t launches = 50;
  std::array<std::vector<std::uint32_t>, 4> results;
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < results.size(); ++t) {
    threads.emplace_back([&, t] {
      const Memory memory = bench.device->allocate(bytes);
      const auto queue = bench.device->create_queue(Timing::disabled);
      const std::uint32_t zero = 0;
      queue->fill(memory, 0, bytes, std::as_bytes(std::span(&zero, 1)));
      for (std::uint32_t i = 0; i < launches; ++i) bench.launch(*queue, memory, t + i, t);
      results[t].resize(count);
      queue->download(results[t].data(), memory, 0, bytes);
      bench.device->free(memory);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::uint32_t t = 0; t < results.size(); ++t) {
    const std::uint32_t expected = launches * 2 * t + launches * (launches - 1) / 2;
    CHECK(results[t] == std::vector<std::uint32_t>(count, expected));
  }
}

TEST_SUITE_END();

}  // namespace bifold::test::opencl
