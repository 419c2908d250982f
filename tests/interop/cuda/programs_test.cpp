// Programs that go from memory: not before their kernels have ended, and none that a graph
// launches. See cuda_test.cpp.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "support/devices/cuda_app.hpp"

namespace bifold {

namespace adopted = interop::cuda;
using test::App;
using test::Graph;
using test::Watched;

namespace {

constexpr std::uint64_t length = 3000;
constexpr std::uint64_t limit = 8;

DeviceOptions options() {
  DeviceOptions few;
  few.cache.disk = false;
  few.cache.programs = limit;
  return few;
}

Map times(int factor) { return "x * " + std::to_string(factor); }

/// Calls by programs of their own, of which the device keeps a few.
struct Bench {
  explicit Bench(unsigned stream_flags = CU_STREAM_NON_BLOCKING) : app(stream_flags) {
    // Programs that are made first stay.
    while (programs() < limit / 2) call(next++);
  }
  ~Bench() {
    static_cast<void>(app.read(out, 1));  // Everything has run.
    CHECK(late_launches() == late_before);
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Kernels whose programs had gone before they ran, as far as that is known.
  static std::int64_t late_launches() {
    return test::cuda().computes() ? 0 : test::cuda().fake_count("late_launches");
  }

  void call(int factor, const ReduceOptions& with = {}) {
    transform_reduce_into(queue, erase(in_view), erase(out_view), plus, {}, times(factor), with);
  }
  [[nodiscard]] std::uint64_t programs() const { return device.cache_statistics().programs; }
  /// Whether the result is that of the factor, where something computes.
  bool has(int factor) {
    const int result = app.read(out, 1)[0];
    return !test::runs_kernels() || result == 2 * factor * static_cast<int>(length);
  }

  std::int64_t late_before = late_launches();
  App app;
  CUdeviceptr in = app.memory(std::vector<int>(length, 2));
  CUdeviceptr out = app.memory(sizeof(int));
  Device device = adopted::device(app.context(), options());
  Queue queue = adopted::queue(app.stream(), device);
  View<int> in_view = adopted::view<int>(in, length);
  View<int> out_view = adopted::view<int>(out, 1);
  int next = 1;
};

}  // namespace

TEST_SUITE_BEGIN("interop_cuda_programs");

TEST_CASE_FIXTURE(Watched, "a program stays until its kernels have ended") {
  Bench bench;
  const std::uint64_t first = bench.programs();
  {
    const test::Failing unknown("cuEventQuery", CUDA_ERROR_NOT_READY);
    for (int i = 0; i < 20; ++i) bench.call(bench.next++);
    if (!test::cuda().computes()) CHECK(bench.programs() >= first + 20);
  }
  CHECK(bench.has(bench.next - 1));  // Behind it, everything has ended.
  bench.call(bench.next++);
  CHECK(bench.programs() <= limit + 2);
  CHECK(bench.has(bench.next - 1));
}

TEST_CASE_FIXTURE(Watched, "those beyond the limit go behind their last kernel") {
  Bench bench;
  for (int i = 0; i < 40; ++i) bench.call(bench.next++);
  CHECK(bench.has(bench.next - 1));
  bench.call(bench.next++);
  CHECK(bench.programs() <= limit + 4);
}

TEST_CASE_FIXTURE(Watched, "a graph keeps the programs that it launches") {
  Bench bench;
  const int captured = bench.next++;
  bench.call(captured);  // Nothing is planned in a capture.
  const CUdeviceptr scratch = bench.app.memory(1 << 20);
  Workspace workspace(adopted::view<std::uint8_t>(scratch, 1 << 20));
  workspace.prepare(bench.queue);
  bench.app.begin_capture();
  bench.call(captured, {.workspace = &workspace});
  const Graph graph(bench.app, bench.app.end_capture());
  for (int i = 0; i < 30; ++i) bench.call(bench.next++);
  CHECK(bench.has(bench.next - 1));
  graph.launch();
  CHECK(bench.has(captured));
  const auto before = bench.device.cache_statistics().compiled;
  bench.call(captured);
  CHECK(bench.device.cache_statistics().compiled == before);
}

TEST_CASE_FIXTURE(Watched, "each launch of a graph reads what a scalar's memory holds then") {
  Bench bench;
  const CUdeviceptr cell = bench.app.memory(std::vector<int>{0});
  const Map map("x * factor + shift", {{"factor", Type::i32}, {"shift", Type::i32}});
  const CUdeviceptr scratch = bench.app.memory(1 << 20);
  Workspace workspace(adopted::view<std::uint8_t>(scratch, 1 << 20));
  workspace.prepare(bench.queue);
  const auto call = [&](const Workspace* borrowed) {
    transform_reduce_into(
        bench.queue, erase(bench.in_view), erase(bench.out_view), plus, {}, map,
        {.workspace = borrowed,
         .scalars = {{"factor", adopted::view<const int>(cell, 1)}, {"shift", 2}}});
  };
  call(nullptr);
  bench.app.begin_capture();
  call(&workspace);
  const Graph graph(bench.app, bench.app.end_capture());
  for (const int factor : {5, -3, 700}) {
    bench.app.write(cell, std::vector<int>{factor});
    graph.launch();
    CHECK(bench.has(factor + 1));  // 2 * factor + 2 of each element.
  }
}

TEST_SUITE_END();

}  // namespace bifold
