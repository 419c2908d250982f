// Calls captured into CUDA graphs that are launched many times. See interop_cuda_graph_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/cuda_app.hpp"
#include "support/environment.hpp"

namespace bifold {

namespace adopted = interop::cuda;
using test::App;
using test::Graph;
using test::Watched;

namespace {

/// Other ones for each seed.
std::vector<int> numbers(int seed, std::size_t count) {
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i % 13) * seed % 101 - 50;
  return values;
}

}  // namespace

TEST_SUITE_BEGIN("interop_cuda_graph");

// Short and long inputs run other kernels, those of long ones with tiles in local memory.
TEST_CASE_FIXTURE(Watched, "a hundred launches, each on other input, give what calls would") {
  for (const std::size_t count : {std::size_t{100'000}, std::size_t{6'300'000}}) {
    CAPTURE(count);
    App app(CU_STREAM_NON_BLOCKING);
    const Device device = adopted::device(app.context());
    Queue queue = adopted::queue(app.stream(), device);
    const std::size_t bytes = count * sizeof(int);
    const CUdeviceptr in = app.memory(bytes);
    const CUdeviceptr sums = app.memory(bytes);
    const CUdeviceptr before = app.memory(bytes);
    const CUdeviceptr highest = app.memory(bytes);
    const CUdeviceptr results = app.memory(2 * sizeof(int));
    const auto view_of = [&](CUdeviceptr memory) { return adopted::view<int>(memory, count); };
    const View<int> sum = adopted::view<int>(results, 1);
    const View<int> peak = adopted::view<int>(results + sizeof(int), 1);

    const ScanPlan inclusive(device, {});
    const ScanPlan exclusive(device, {.kind = ScanKind::exclusive});
    const ScanPlan maxima(device, {.op = maximum});
    const ReducePlan total(device, {});
    const ReducePlan maximum_of_all(device, {.op = maximum});
    std::uint64_t needed = 0;
    for (const ScanPlan* plan : {&inclusive, &exclusive, &maxima}) {
      needed = std::max(needed, plan->workspace_bytes(count));
    }
    for (const ReducePlan* plan : {&total, &maximum_of_all}) {
      needed = std::max(needed, plan->workspace_bytes(count));
    }
    Workspace workspace(adopted::view<std::uint8_t>(app.memory(needed), needed));
    workspace.prepare(queue);

    app.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
    inclusive.run(queue, view_of(in), view_of(sums), Value(0), {.workspace = &workspace});
    exclusive.run(queue, view_of(in), view_of(before), Value(-5), {.workspace = &workspace});
    maxima.run(queue, view_of(in), view_of(highest), {}, {.workspace = &workspace});
    total.run(queue, view_of(in), sum, Value(0), {.workspace = &workspace});
    maximum_of_all.run(queue, view_of(in), peak, {}, {.workspace = &workspace});
    const Graph graph(app, app.end_capture());

    std::vector<int> expected(count);
    for (int seed = 2; seed < 102; ++seed) {
      const std::vector<int> values = numbers(seed, count);
      app.write(in, values);
      const bool computes = test::cuda().computes();
      const std::int64_t launches = computes ? 0 : test::cuda().fake_count("launches");
      graph.launch();
      const std::vector<int> found = app.read(results, 2);
      if (!computes) {
        CHECK(test::cuda().fake_count("launches") >= launches + 5);  // One for each call.
        continue;
      }
      CAPTURE(seed);
      std::partial_sum(values.begin(), values.end(), expected.begin());
      CHECK(found[0] == expected.back());
      CHECK(app.read(sums, count) == expected);
      std::exclusive_scan(values.begin(), values.end(), expected.begin(), -5);
      CHECK(app.read(before, count) == expected);
      std::inclusive_scan(values.begin(), values.end(), expected.begin(),
                          [](int a, int b) { return std::max(a, b); });
      CHECK(app.read(highest, count) == expected);
      CHECK(found[1] == expected.back());
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
