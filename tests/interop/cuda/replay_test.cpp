// Calls captured into CUDA graphs that are launched many times. See graph_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "support/devices/cuda_app.hpp"
#include "support/environment.hpp"
#include "support/values/random.hpp"

namespace app {
struct Wide {
  std::int64_t sum;
  std::int64_t mixed;
};
}  // namespace app
BIFOLD_STRUCT_NAMED(app::Wide, Wide, sum, mixed);

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

/// Bytes that are small and positive numbers of every type, as words; other ones for each seed.
std::vector<int> small_bytes(std::uint64_t seed, std::size_t words) {
  test::Random random(seed);
  std::vector<int> values(words);
  for (int& value : values) value = static_cast<int>(random.next() & 0x3f3f3f3f);
  return values;
}

/// A scan and a reduction of elements of one type, and of pairs where there is a map of two.
class Calls {
 public:
  Calls(App& app, const Device& device, const Type& type, const Operator& op, std::size_t count)
      : app_(app),
        type_(type),
        count_(count),
        in_(app.memory(bytes())),
        scan_(device, ScanShape{type, type, accumulator(), ScanKind::inclusive, op}),
        total_(device,
               ReduceShape{.input = type, .accumulator = accumulator(), .op = op, .result = type}),
        space_(std::max(scan_.workspace_bytes(count), total_.workspace_bytes(count))) {
    if (type != Type::f32) return;
    const ReducePlan& dot = dot_.emplace(
        device,
        ReduceShape{.input = type, .accumulator = type, .map = Map("x * y"), .second = type});
    space_ = std::max(space_, dot.workspace_bytes(count));
  }

  /// Where one set of calls leaves what it computes.
  struct Place {
    CUdeviceptr scanned, results;
    Workspace workspace;
  };
  Place place(Queue& queue) {
    Place place{app_.memory(bytes()), app_.memory(2 * most),
                Workspace(adopted::view<std::uint8_t>(app_.memory(space_), space_))};
    place.workspace.prepare(queue);
    app_.write(place.results, std::vector<int>(2 * most / sizeof(int)));
    return place;
  }

  void run(Queue& queue, const Place& to) const {
    const ErasedView input = view(in_, count_);
    scan_.run(queue, input, view(to.scanned, count_), {}, {.workspace = &to.workspace});
    total_.run(queue, input, view(to.results, 1), {}, {.workspace = &to.workspace});
    if (!dot_) return;
    dot_->run(queue, input, input, view(to.results + most, 1), {}, {.workspace = &to.workspace});
  }

  void write(std::uint64_t seed) { app_.write(in_, small_bytes(seed, bytes() / sizeof(int))); }
  std::vector<int> scanned(const Place& by) { return app_.read(by.scanned, bytes() / sizeof(int)); }
  std::vector<int> results(const Place& by) {
    return app_.read(by.results, 2 * most / sizeof(int));
  }
  [[nodiscard]] std::int64_t launches() const { return dot_ ? 3 : 2; }

 private:
  static constexpr std::size_t most = sizeof(app::Wide);
  [[nodiscard]] std::size_t bytes() const { return count_ * size_of(type_); }
  [[nodiscard]] Type accumulator() const { return is_storage(type_) ? Type::f32 : type_; }
  [[nodiscard]] ErasedView view(CUdeviceptr memory, std::uint64_t count) const {
    ErasedView erased = adopted::view<std::uint8_t>(memory, count * size_of(type_));
    erased.type = type_;
    erased.count = count;
    return erased;
  }

  App& app_;
  Type type_;
  std::size_t count_;
  CUdeviceptr in_;
  ScanPlan scan_;
  ReducePlan total_;
  std::optional<ReducePlan> dot_;
  std::uint64_t space_;
};

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

// The bits of calls are those of other tests to judge; that those of a graph are the same is shown
// here, of elements of every size, by single groups and by tiles in local memory.
TEST_CASE_FIXTURE(Watched, "a hundred launches give the bits of calls, whatever the element type") {
  const Operator each = Operator::fieldwise(type_of<app::Wide>(), {plus, bit_xor});
  const std::vector<std::pair<Type, Operator>> rows{
      {Type::u8, plus},  {Type::i16, maximum}, {Type::f16, plus}, {Type::bf16, plus},
      {Type::f32, plus}, {Type::i64, plus},    {Type::f64, plus}, {type_of<app::Wide>(), each}};
  for (const auto& [type, op] : rows) {
    for (const std::size_t count : {std::size_t{20'000}, std::size_t{2'500'000}}) {
      CAPTURE(name_of(type));
      CAPTURE(count);
      App app(CU_STREAM_NON_BLOCKING);
      const Device device = adopted::device(app.context());
      Queue queue = adopted::queue(app.stream(), device);
      Calls calls(app, device, type, op, count);
      const Calls::Place captured = calls.place(queue);
      const Calls::Place called = calls.place(queue);
      app.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
      calls.run(queue, captured);
      const Graph graph(app, app.end_capture());
      const bool computes = test::cuda().computes();
      std::vector<int> earlier;
      // The stand-in computes nothing, and moving data there shows nothing more often.
      for (std::uint64_t seed = 1; seed <= (computes ? 100 : 2); ++seed) {
        CAPTURE(seed);
        calls.write(seed);
        const std::int64_t launches = computes ? 0 : test::cuda().fake_count("launches");
        graph.launch();
        const std::vector<int> results = calls.results(captured);
        if (!computes) {
          CHECK(test::cuda().fake_count("launches") >= launches + calls.launches());
          continue;
        }
        const std::vector<int> scanned = calls.scanned(captured);
        CHECK(scanned != earlier);
        calls.run(queue, called);
        CHECK(calls.results(called) == results);
        CHECK(calls.scanned(called) == scanned);
        earlier = scanned;
      }
    }
  }
}

TEST_SUITE_END();

}  // namespace bifold
