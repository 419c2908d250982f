// Selections captured into CUDA graphs. See graph_test.cpp.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cstdint>
#include <cstring>
#include <vector>

#include "support/devices/cuda_app.hpp"
#include "support/errors.hpp"

namespace select_graph_test {

struct Halves {
  std::int16_t key, value;
  friend bool operator==(const Halves&, const Halves&) = default;
};

}  // namespace select_graph_test
BIFOLD_STRUCT_NAMED(select_graph_test::Halves, SelectHalves, key, value);

namespace bifold {

namespace adopted = interop::cuda;
using test::App;
using test::Graph;
using test::Watched;

namespace {

constexpr std::uint64_t length = 20'000;

std::vector<int> numbers(int seed) {
  std::vector<int> values(length);
  for (std::size_t i = 0; i < length; ++i) values[i] = static_cast<int>(i) * seed % 1009;
  return values;
}

/// Three selections, of which each takes what the one before has kept.
struct Chain {
  Chain() { workspace.prepare(queue); }

  void enqueue(const Workspace* space) const {
    plans[0].run(queue, in, first, count(0), {.workspace = space});
    plans[1].run(queue, first, second, count(1), {.workspace = space, .count_from = count(0)});
    plans[2].run(queue, second, last, count(2), {.workspace = space, .count_from = count(1)});
  }
  [[nodiscard]] View<std::uint32_t> count(std::uint64_t at) const {
    return adopted::view<std::uint32_t>(counts + 4 * at, 1);
  }
  void check(int seed) {
    std::vector<int> wanted;
    for (const int x : numbers(seed)) {
      if (x % 2 == 0 && x % 3 == 0 && x > 90) wanted.push_back(x);
    }
    CHECK(app.read(counts, 3)[2] == static_cast<int>(wanted.size()));
    wanted.resize(length, -1);
    CHECK(app.read(to, length) == wanted);
  }

  App app{CU_STREAM_NON_BLOCKING};
  CUdeviceptr from = app.memory(numbers(1));
  CUdeviceptr one = app.memory(numbers(1));
  CUdeviceptr other = app.memory(numbers(1));
  CUdeviceptr to = app.memory(numbers(1));
  CUdeviceptr counts = app.memory(3 * sizeof(std::uint32_t));
  Device device = adopted::device(app.context());
  mutable Queue queue = adopted::queue(app.stream(), device);
  View<int> in = adopted::view<int>(from, length);
  View<int> first = adopted::view<int>(one, length);
  View<int> second = adopted::view<int>(other, length);
  View<int> last = adopted::view<int>(to, length);
  std::vector<SelectPlan> plans{
      SelectPlan(device, {.kept = Type::u32, .predicate = "x % 2 == 0"}),
      SelectPlan(device,
                 {.kept = Type::u32, .predicate = "x % 3 == 0", .on_device = {.count = Type::u32}}),
      SelectPlan(device,
                 {.kept = Type::u32, .predicate = "x > 90", .on_device = {.count = Type::u32}})};
  std::uint64_t bytes = plans[0].workspace_bytes(length);
  Workspace workspace{adopted::view<std::uint8_t>(app.memory(bytes), bytes)};
};

}  // namespace

TEST_SUITE_BEGIN("interop_cuda_graph");

TEST_CASE_FIXTURE(Watched, "captured selections run again, each on what the one before keeps") {
  Chain chain;
  chain.app.begin_capture();
  const auto refused = test::failure_of([&] { chain.enqueue(nullptr); });
  CHECK(refused.category == ErrorCategory::unsupported);
  CHECK(refused.mentions("captured in a graph"));
  chain.enqueue(&chain.workspace);
  CHECK(chain.app.captures());
  const Graph graph(chain.app, chain.app.end_capture());
  CHECK(graph.nodes() >= 3);
  for (int seed = 2; seed < 6; ++seed) {
    chain.app.write(chain.from, numbers(seed));
    chain.app.write(chain.to, std::vector<int>(length, -1));
    graph.launch();
    graph.launch();
    if (test::runs_kernels()) chain.check(seed);
    // Calls of their own go between.
    chain.enqueue(nullptr);
    if (test::runs_kernels()) chain.check(seed);
  }
}

TEST_CASE_FIXTURE(Watched, "captured reductions by key find other runs in other keys") {
  App app{CU_STREAM_NON_BLOCKING};
  const Device device = adopted::device(app.context());
  Queue queue = adopted::queue(app.stream(), device);
  const CUdeviceptr from = app.memory(numbers(1));
  const CUdeviceptr firsts = app.memory(numbers(1));
  const CUdeviceptr sums = app.memory(numbers(1));
  const CUdeviceptr number = app.memory(sizeof(std::uint32_t));
  const View<int> keys = adopted::view<int>(from, length);
  ReduceShape shape;
  shape.keys = KeyShape{Type::i32, Type::i32, Type::u32, "x / 100 == y / 100"};
  const ReducePlan plan(device, shape);
  const std::uint64_t bytes = plan.workspace_bytes(length);
  Workspace workspace{adopted::view<std::uint8_t>(app.memory(bytes), bytes)};
  workspace.prepare(queue);
  ReduceOptions options{.workspace = &workspace};
  options.keys =
      Keys::of(keys, adopted::view<int>(firsts, length), adopted::view<std::uint32_t>(number, 1));
  app.begin_capture();
  plan.run(queue, keys, adopted::view<int>(sums, length), {}, options);
  const Graph graph(app, app.end_capture());
  CHECK(graph.nodes() >= 2);
  for (int seed = 2; seed < 5; ++seed) {
    const std::vector<int> host = numbers(seed);
    app.write(from, host);
    graph.launch();
    graph.launch();
    if (!test::runs_kernels()) continue;
    std::vector<int> wanted;
    for (std::size_t i = 0; i < length; ++i) {
      if (i == 0 || host[i] / 100 != host[i - 1] / 100) wanted.push_back(0);
      wanted.back() += host[i];
    }
    CHECK(app.read(number, 1)[0] == static_cast<int>(wanted.size()));
    CHECK(app.read(sums, wanted.size()) == wanted);
  }
}

TEST_CASE_FIXTURE(Watched, "selections of structs that lie off every multiple of their size") {
  using select_graph_test::Halves;
  constexpr std::uint64_t n = 40'001;
  std::vector<Halves> host(n);
  std::vector<Halves> front;
  std::vector<Halves> firsts;
  for (std::size_t i = 0; i < n; ++i) {
    host[i] = {static_cast<std::int16_t>(i / 3 % 97), static_cast<std::int16_t>(i)};
    if (host[i].key > 50) front.push_back(host[i]);
    if (i % 3 == 0) firsts.push_back(host[i]);
  }
  std::vector<int> raw(n + 1);
  std::memcpy(reinterpret_cast<char*>(raw.data()) + 2, host.data(), n * sizeof(Halves));
  App app{CU_STREAM_NON_BLOCKING};
  const Device device = adopted::device(app.context());
  Queue queue = adopted::queue(app.stream(), device);
  const auto in = adopted::view<const Halves>(app.memory(raw) + 2, n);
  const auto out = adopted::view<Halves>(app.memory(raw) + 2, n);
  const auto kept = adopted::view<std::uint64_t>(app.memory(sizeof(std::uint64_t)), 1);
  for (const auto& row : gallery::variants()) {
    if (row.algorithm != Algorithm::select) continue;
    if (!gallery::supports(device, row, type_of<Halves>(), plus)) continue;
    CAPTURE(row.name);
    select(queue, in, out, kept, "x.key > 50", {.variant = row.name});
    if (!test::runs_kernels()) continue;
    REQUIRE(queue.download(kept)[0] == front.size());
    CHECK(queue.download(out.subview(0, front.size())) == front);
    unique(queue, in, out, kept, "x.key == y.key", {.variant = row.name});
    REQUIRE(queue.download(kept)[0] == firsts.size());
    CHECK(queue.download(out.subview(0, firsts.size())) == firsts);
  }
}

TEST_SUITE_END();

}  // namespace bifold
