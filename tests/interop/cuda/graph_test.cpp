// bifold's calls captured into CUDA graphs, and what is refused while a stream is captured. See
// cuda_test.cpp.
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/devices/cuda_app.hpp"
#include "support/environment.hpp"
#include "support/errors.hpp"
#include "support/patience.hpp"

namespace bifold {

namespace adopted = interop::cuda;
using test::App;
using test::Current;
using test::failure_of;
using test::Graph;
using test::Watched;

namespace {

constexpr std::uint64_t length = 100'000;
constexpr std::array modes{CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                           CU_STREAM_CAPTURE_MODE_RELAXED};

std::vector<int> numbers(int seed) {
  std::vector<int> values(length);
  for (std::size_t i = 0; i < length; ++i) values[i] = static_cast<int>(i) * seed % 13 - seed;
  return values;
}

std::vector<int> running_sums(std::vector<int> values) {
  std::partial_sum(values.begin(), values.end(), values.begin());
  return values;
}

std::int64_t launches() { return test::cuda().fake_count("launches"); }

/// An application with data, bifold in its context, and a plan and scratch for graphs.
struct Bench {
  explicit Bench(unsigned stream_flags = CU_STREAM_NON_BLOCKING) : app(stream_flags) {}

  /// What the scan of `values` has to be, and is where something computes.
  bool scanned(const std::vector<int>& values) {
    const auto content = app.read(out, length);
    return !test::cuda().computes() || content == running_sums(values);
  }
  void run(Queue& on, const Workspace* borrowed, std::vector<Event> wait = {},
           Event* done = nullptr) const {
    plan.run(on, in_view, out_view, Value(0),
             {.wait = std::move(wait), .done = done, .workspace = borrowed});
  }

  App app;
  CUdeviceptr in = app.memory(numbers(1));
  CUdeviceptr out = app.memory(length * sizeof(int));
  Device device = adopted::device(app.context());
  Queue queue = adopted::queue(app.stream(), device);
  View<int> in_view = adopted::view<int>(in, length);
  View<int> out_view = adopted::view<int>(out, length);
  ScanPlan plan{device, {}};
  CUdeviceptr scratch = app.memory(plan.workspace_bytes(length));
  Workspace workspace{adopted::view<std::uint8_t>(scratch, plan.workspace_bytes(length))};
};

}  // namespace

TEST_SUITE_BEGIN("interop_cuda_graph");

TEST_CASE_FIXTURE(Watched, "a captured call runs again with each launch, on what is there then") {
  for (const CUstreamCaptureMode mode : modes) {
    for (const bool prepared : {true, false}) {
      CAPTURE(prepared);
      Bench bench;
      if (prepared) bench.workspace.prepare(bench.queue);
      bench.app.begin_capture(mode);
      bench.run(bench.queue, &bench.workspace);
      CHECK(bench.app.captures());
      const Graph graph(bench.app, bench.app.end_capture());
      CHECK(graph.nodes() > 0);
      for (int seed = 2; seed < 6; ++seed) {
        bench.app.write(bench.in, numbers(seed));
        const std::int64_t before = test::cuda().computes() ? 0 : launches();
        graph.launch();
        graph.launch();
        CHECK(bench.scanned(numbers(seed)));
        if (!test::cuda().computes()) CHECK(launches() >= before + 2);
        // The queue's own calls go between those of the graph.
        inclusive_scan(bench.queue, bench.in_view, bench.out_view, plus);
        CHECK(bench.scanned(numbers(seed)));
        bench.run(bench.queue, &bench.workspace);
        CHECK(bench.scanned(numbers(seed)));
      }
    }
  }
}

TEST_CASE_FIXTURE(Watched, "fills, copies, reductions and calls on nothing are captured") {
  Bench bench;
  const ReducePlan sum(bench.device, {});
  const View<int> result = bench.out_view.subview(length - 1, 1);
  const View<int> rest = bench.out_view.subview(0, length - 1);
  bench.app.begin_capture();
  bench.queue.fill(bench.in_view, 3);
  bench.queue.copy(bench.in_view.subview(0, length - 1), rest);
  sum.run(bench.queue, bench.in_view, result, Value(0), {.workspace = &bench.workspace});
  sum.run(bench.queue, bench.in_view.subview(0, 0), rest.subview(0, 1), Value(-7));
  Event done = bench.queue.record();
  adopted::record(bench.queue, bench.app.event());
  CHECK(bench.app.captures());
  const Graph graph(bench.app, bench.app.end_capture());
  bench.app.write(bench.in, numbers(4));
  CHECK(bench.app.read(bench.in, length) == numbers(4));  // Nothing has run so far.
  graph.launch();
  const auto content = bench.app.read(bench.out, length);
  CHECK(content[0] == -7);
  CHECK(content[1] == 3);
  if (test::cuda().computes()) CHECK(content.back() == 3 * static_cast<int>(length));
}

TEST_CASE_FIXTURE(Watched, "a captured call reads n, init and leaves its total with each launch") {
  Bench bench;
  const DeviceValues values{Type::u32, true, true};
  const ScanPlan plan(bench.device, {.on_device = values});
  const ReducePlan sum(bench.device, {.on_device = {Type::u32, true, false}});
  const CUdeviceptr cells = bench.app.memory(4 * sizeof(int));
  const auto count = adopted::view<const std::uint32_t>(cells, 1);
  const auto cell = [&](std::uint64_t at) { return adopted::view<int>(cells + 4 * at, 1); };
  const CUdeviceptr scratch = bench.app.memory(plan.workspace_bytes(length));
  Workspace workspace(adopted::view<std::uint8_t>(scratch, plan.workspace_bytes(length)));
  REQUIRE(sum.workspace_bytes(length) <= plan.workspace_bytes(length));
  workspace.prepare(bench.queue);

  bench.app.begin_capture();
  plan.run(bench.queue, bench.in_view, bench.out_view, Value(0),
           {.workspace = &workspace, .count_from = count, .init_from = cell(1), .total = cell(2)});
  sum.run(bench.queue, bench.in_view, cell(3), Value(0),
          {.workspace = &workspace, .count_from = count, .init_from = cell(2)});
  CHECK(bench.app.captures());
  const Graph graph(bench.app, bench.app.end_capture());
  CHECK(graph.nodes() > 0);

  const auto host = numbers(1);
  const int beyond = static_cast<int>(length) + 1;
  for (const int n : {70'000, 0, 1, static_cast<int>(length), beyond, 4097}) {
    CAPTURE(n);
    const int init = n % 7 + 3;
    const int untouched = -12345;
    bench.app.write(bench.out, std::vector<int>(length, untouched));
    bench.app.write(cells, std::vector<int>{n, init, 0, 0});
    const std::int64_t before = test::cuda().computes() ? 0 : launches();
    graph.launch();
    const auto got = bench.app.read(bench.out, length);
    const auto left = bench.app.read(cells, 4);
    if (!test::cuda().computes()) {
      CHECK(launches() >= before + 2);
      continue;
    }
    const auto last = host.begin() + std::min<std::ptrdiff_t>(n, length);
    std::vector<int> expected(length, untouched);
    std::inclusive_scan(host.begin(), last, expected.begin(), std::plus<>(), init);
    CHECK(got == expected);
    CHECK(left[2] == std::accumulate(host.begin(), last, init));
    CHECK(left[3] == std::accumulate(host.begin(), last, left[2]));
  }
}

TEST_CASE_FIXTURE(Watched, "what cannot be captured is refused, and the capture goes on") {
  for (const CUstreamCaptureMode mode : modes) {
    Bench bench;
    Queue& queue = bench.queue;
    inclusive_scan(queue, bench.in_view, bench.out_view, plus);  // Its scratch is there already,
    static_cast<void>(reduce(queue, bench.in_view, plus));       // and its kernels are built.
    const Event outside = queue.record();
    queue.finish();
    Workspace fresh(bench.workspace);
    std::vector<int> host(length);
    Event inside;

    bench.app.begin_capture(mode);
    inside = queue.record();
    struct Row {
      const char* what;
      std::function<void()> call;
    };
    const std::vector<Row> rows{
        {"a result on the host", [&] { static_cast<void>(reduce(queue, bench.in_view, plus)); }},
        {"the queue's own scratch",
         [&] { inclusive_scan(queue, bench.in_view, bench.out_view, plus); }},
        {"a shape that was not planned",
         [&] {
           inclusive_scan(queue, bench.in_view, bench.out_view, bit_xor,
                          {.workspace = &bench.workspace});
         }},
        {"the same, reduced",
         [&] {
           reduce_into(queue, bench.in_view, bench.out_view.subview(0, 1), minimum,
                       {.workspace = &bench.workspace});
         }},
        {"upload", [&] { queue.upload(std::span<const int>(host), bench.out_view); }},
        {"upload into new memory", [&] { static_cast<void>(queue.upload(std::span(host))); }},
        {"download", [&] { static_cast<void>(queue.download(bench.in_view)); }},
        {"finish", [&] { queue.finish(); }},
        {"finish with a limit", [&] { queue.finish(test::patience); }},
        {"trim", [&] { queue.trim(); }},
        {"prepare", [&] { fresh.prepare(queue); }},
        {"waiting on the host", [&] { inside.wait(); }},
        {"waiting with a limit", [&] { inside.wait(test::patience); }},
        {"asking after an event", [&] { static_cast<void>(inside.complete()); }},
        {"an event from outside", [&] { bench.run(queue, &bench.workspace, {outside}); }},
        {"the same by itself", [&] { queue.wait_for(std::span(&outside, 1)); }},
    };
    for (const Row& row : rows) {
      const auto failure = failure_of(row.call);
      INFO(row.what << ": " << failure.what);
      CHECK(failure.category == ErrorCategory::unsupported);
      CHECK(failure.mentions("captured in a graph"));
      CHECK(bench.app.captures());
    }
    CHECK_FALSE(fresh.prepared());
    // Mistakes are told as ever.
    const Workspace small(bench.workspace.memory().subview(0, 10));
    CHECK(failure_of([&] { bench.run(queue, &small); }).category ==
          ErrorCategory::invalid_argument);
    CHECK(bench.app.captures());
    bench.run(queue, &bench.workspace);
    const std::size_t expected = [&] {
      const Graph graph(bench.app, bench.app.end_capture());
      graph.launch();
      CHECK(bench.scanned(numbers(1)));
      return graph.nodes();
    }();
    // The graph holds that one call, and nothing of those refused.
    bench.app.begin_capture(mode);
    bench.run(queue, &bench.workspace);
    CHECK(Graph(bench.app, bench.app.end_capture()).nodes() == expected);
    // An event that was captured stays what it was.
    CHECK(failure_of([&] { inside.wait(); }).category == ErrorCategory::unsupported);
    outside.wait();
    queue.finish();
  }
}

TEST_CASE_FIXTURE(Watched, "a size that no earlier call had is refused until it is planned") {
  Bench bench;
  constexpr std::uint64_t many = (64U << 20U) / sizeof(int) + 1;  // Has a kernel of its own.
  const Buffer<int> large(bench.device, many);
  constexpr std::size_t bytes = 1 << 20;
  const Workspace space(adopted::view<std::uint8_t>(bench.app.memory(bytes), bytes));
  const auto sum = [&](View<const int> of) {
    reduce_into(bench.queue, of, bench.out_view.subview(0, 1), plus, 0, {.workspace = &space});
  };
  sum(bench.in_view);
  bench.queue.finish();
  bench.app.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  const auto failure = failure_of([&] { sum(large); });
  CHECK(failure.category == ErrorCategory::unsupported);
  CHECK(failure.mentions("about that size"));
  CHECK(bench.app.captures());
  sum(bench.in_view);
  CHECK(Graph(bench.app, bench.app.end_capture()).nodes() > 0);

  warm(bench.device, ReduceShape{Type::i32, Type::i32, plus});
  bench.app.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  sum(large);
  CHECK(Graph(bench.app, bench.app.end_capture()).nodes() > 0);
}

TEST_CASE_FIXTURE(Watched, "other queues go on while a stream is captured") {
  for (const CUstreamCaptureMode mode : modes) {
    Bench bench;
    Queue other = adopted::queue(bench.app.another_stream(), bench.device);
    const auto values = numbers(2);
    const auto use_other = [&] {
      Queue third(bench.device);
      Buffer<int> buffer = other.upload(std::span(values));
      const int sum = reduce(other, buffer, plus);
      if (test::cuda().computes()) CHECK(sum == running_sums(values).back());
      reduce_into(third, buffer, bench.out_view.subview(0, 1), bit_or);  // Compiles, too.
      Event event = other.record();
      event.wait();
      CHECK(event.complete());
      other.trim();
      third.finish();
    };
    bench.app.begin_capture(mode);
    use_other();
    std::thread(use_other).join();
    CHECK(bench.app.captures());
    bench.run(bench.queue, &bench.workspace);
    const Graph graph(bench.app, bench.app.end_capture());
    graph.launch();
    CHECK(bench.scanned(numbers(1)));
  }
}

TEST_CASE_FIXTURE(Watched, "a capture spreads to other queues by events, and comes back") {
  Bench bench;
  Queue other = adopted::queue(bench.app.another_stream(), bench.device);
  Queue third = adopted::queue(bench.app.another_stream(), bench.device);
  const CUdeviceptr memory = bench.app.memory(bench.workspace.size());
  const Workspace second(adopted::view<std::uint8_t>(memory, bench.workspace.size()));
  bench.workspace.prepare(bench.queue);
  const auto outside = other.record();
  CUevent forked = bench.app.event();
  bench.queue.finish();

  bench.app.begin_capture();
  Event first;
  Event last;
  bench.run(bench.queue, &bench.workspace, {}, &first);
  // Refused before the other queue has joined, which would have to be joined back.
  CHECK(failure_of([&] { bench.run(other, nullptr, {first}); }).category ==
        ErrorCategory::unsupported);
  CHECK(failure_of([&] {
          bench.run(other, &second, {first, outside});
        }).category == ErrorCategory::unsupported);
  bench.run(other, &second, {first}, &last);
  CHECK(failure_of([&] { other.finish(); }).category == ErrorCategory::unsupported);
  bench.run(bench.queue, &bench.workspace, {last});
  // The same by the application's event, which nobody can ask whether it is captured.
  adopted::record(bench.queue, forked);
  bench.run(other, &second, {adopted::event(forked)}, &last);
  CHECK(failure_of([&] { bench.run(other, nullptr, {adopted::event(forked)}); }).category ==
        ErrorCategory::unsupported);
  bench.queue.wait_for(std::span(&last, 1));
  // Such an event has brought a queue along when its call is refused.
  CHECK(failure_of([&] { bench.run(third, nullptr, {adopted::event(forked)}); }).category ==
        ErrorCategory::unsupported);
  last = third.record();
  bench.queue.wait_for(std::span(&last, 1));
  CHECK(bench.app.captures());
  const Graph graph(bench.app, bench.app.end_capture());
  graph.launch();
  CHECK(bench.scanned(numbers(1)));
  other.finish();
}

TEST_CASE_FIXTURE(Watched, "the legacy stream is left alone while a blocking stream is captured") {
  Bench bench(CU_STREAM_DEFAULT);
  Queue legacy = adopted::queue(CU_STREAM_LEGACY, bench.device);
  Queue null = adopted::queue(nullptr, bench.device);
  {
    const Current current(bench.app.context());
    CHECK(test::cuda().cuStreamBeginCapture(CU_STREAM_LEGACY, CU_STREAM_CAPTURE_MODE_GLOBAL) ==
          CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  bench.app.begin_capture();
  for (Queue* queue : {&legacy, &null}) {
    const std::vector<std::function<void()>> calls{
        [&] { bench.run(*queue, &bench.workspace); },
        [&] { queue->fill(bench.in_view, 1); },
        [&] { queue->copy(bench.in_view, bench.out_view); },
        [&] { static_cast<void>(queue->record()); },
        [&] { adopted::record(*queue, bench.app.event()); },
        [&] { queue->finish(); },
        [&] { static_cast<void>(queue->download(bench.in_view)); },
        [&] { static_cast<void>(reduce(*queue, bench.in_view, plus)); },
    };
    for (const auto& call : calls) {
      const auto failure = failure_of(call);
      INFO(failure.what);
      CHECK(failure.category == ErrorCategory::unsupported);
      CHECK(bench.app.captures());
    }
  }
  bench.run(bench.queue, &bench.workspace);
  {
    const Graph graph(bench.app, bench.app.end_capture());
    graph.launch();
    CHECK(bench.scanned(numbers(1)));
  }
  bench.run(legacy, &bench.workspace);
  legacy.finish();
}

TEST_CASE_FIXTURE(Watched, "after a capture that the application spoilt, the queue is usable") {
  Bench bench;
  bench.workspace.prepare(bench.queue);
  bench.app.begin_capture();
  bench.run(bench.queue, &bench.workspace);
  {
    const Current current(bench.app.context());
    CUdeviceptr block = 0;
    CHECK(test::cuda().cuMemAlloc(&block, 64) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  CHECK_FALSE(bench.app.captures());
  for (const std::function<void()>& call : std::vector<std::function<void()>>{
           [&] { bench.run(bench.queue, &bench.workspace); },
           [&] { bench.run(bench.queue, nullptr); }, [&] { bench.queue.fill(bench.in_view, 1); },
           [&] { static_cast<void>(bench.queue.record()); }, [&] { bench.queue.finish(); }}) {
    CHECK(failure_of(call).category == ErrorCategory::unsupported);
  }
  {
    const Current current(bench.app.context());
    CUgraph graph = nullptr;
    CHECK(test::cuda().cuStreamEndCapture(bench.app.stream(), &graph) ==
          CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  bench.run(bench.queue, &bench.workspace);
  CHECK(bench.scanned(numbers(1)));
  inclusive_scan(bench.queue, bench.in_view, bench.out_view, plus);
  CHECK(bench.scanned(numbers(1)));
  bench.queue.finish();
}

TEST_CASE_FIXTURE(Watched, "handles may end during a capture") {
  Bench bench;
  auto queue = std::make_unique<Queue>(bench.queue.device());
  Buffer<int> buffer(bench.device, 1000);
  queue->fill(buffer, 1);
  static_cast<void>(reduce(*queue, buffer, plus));
  Event event = queue->record();
  auto plan = std::make_unique<ScanPlan>(bench.device, ScanShape{.op = bit_and});
  bench.app.begin_capture();
  Event inside = bench.queue.record();
  inside = {};
  event = {};
  buffer = {};
  queue.reset();
  plan.reset();
  {
    const Device again = adopted::device(bench.app.context());
    const Queue passing = adopted::queue(bench.app.stream(), again);
    const ScanPlan compiled(again, {});
  }
  CHECK(bench.app.captures());
  bench.run(bench.queue, &bench.workspace);
  const Graph graph(bench.app, bench.app.end_capture());
  graph.launch();
  CHECK(bench.scanned(numbers(1)));
}

TEST_SUITE_END();

}  // namespace bifold
