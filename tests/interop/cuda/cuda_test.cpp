// bifold inside a CUDA application: contexts, streams, memory and events that are not bifold's.
// Runs over the stand-in of tests/fake_cuda, which checks the calls but computes nothing, and on a
// GPU, where results are compared, too.
#include <doctest/doctest.h>

#include <bifold/bifold.hpp>
#include <bifold/interop/cuda.hpp>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
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
using test::current_context;
using test::Failing;
using test::failure_of;
using test::NoCurrent;
using test::Watched;

namespace {

constexpr std::uint64_t length = 100'000;

std::vector<int> numbers(std::uint64_t count = length, int seed = 1) {
  std::vector<int> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<int>(i * 7 + 3) % 11 - seed;
  return values;
}

std::vector<int> running_sums(std::vector<int> values) {
  std::partial_sum(values.begin(), values.end(), values.begin());
  return values;
}

/// Whether the memory holds that; always so where nothing computes.
bool holds(App& app, CUdeviceptr memory, const std::vector<int>& expected) {
  const auto content = app.read(memory, expected.size());
  return !test::cuda().computes() || content == expected;
}

/// The category of what a call throws, after a look at the current context.
template <class Body>
std::optional<ErrorCategory> refused(Body&& body) {
  const CUcontext before = current_context();
  const auto failure = failure_of(body);
  CHECK(current_context() == before);
  INFO(failure.what);
  CHECK(failure.category.has_value());
  return failure.category;
}

}  // namespace

TEST_SUITE_BEGIN("interop_cuda");

TEST_CASE_FIXTURE(Watched, "a context of the application's is worked in and left as it was") {
  App app;
  const auto values = numbers();
  const CUdeviceptr in = app.memory(values);
  const CUdeviceptr out = app.memory(length * sizeof(int));
  {
    const Device device = adopted::device(app.context());
    CHECK(current_context() == primary());
    CHECK(device.info().selector == test::device().info().selector);
    CHECK(device.info().name == test::device().info().name);
    CHECK(device.capabilities().architecture == test::device().capabilities().architecture);
    Queue queue = adopted::queue(app.stream(), device);
    inclusive_scan(queue, adopted::view<const int>(in, length), adopted::view<int>(out, length),
                   plus);
    CHECK(current_context() == primary());
    CHECK(holds(app, out, running_sums(values)));  // The application waits for its own stream.
    const int sum = reduce(queue, adopted::view<int>(in, length), plus);
    if (test::cuda().computes()) CHECK(sum == running_sums(values).back());
    // Memory of bifold's own in that context, too.
    Buffer<int> buffer = queue.upload(std::span(values));
    CHECK(queue.download(buffer) == values);
    queue.trim();
    CHECK(current_context() == primary());
  }
  // Nothing of it is left in the context, which the stand-in looks after.
}

TEST_CASE_FIXTURE(Watched, "the primary context is the one that bifold opens by itself") {
  const Device primary_device = adopted::device(primary());
  Queue queue = adopted::queue(CU_STREAM_LEGACY, primary_device);
  Queue other(test::device());
  Buffer<int> buffer(test::device(), 1000);
  queue.fill(buffer, 5);
  queue.finish();
  CHECK(other.download(buffer) == std::vector<int>(1000, 5));
  CHECK_NOTHROW(static_cast<void>(reduce(queue, buffer, plus)));
}

TEST_CASE_FIXTURE(Watched, "handles may end in any order before their context") {
  App app;
  std::optional<Device> device = adopted::device(app.context());
  std::optional<Queue> queue = adopted::queue(app.stream(), *device);
  Buffer<int> buffer(*device, 1000);
  const ReducePlan plan(*device, {});
  device.reset();
  queue->fill(buffer, 1);
  Event event = queue->record();
  queue.reset();
  event.wait();
  CHECK(event.complete());
  event = {};
}

TEST_CASE_FIXTURE(Watched, "the current context, or none") {
  {
    const Device device = adopted::current_device();
    CHECK(device.info().name == test::device().info().name);
  }
  const NoCurrent none;
  CHECK(current_context() == nullptr);
  CHECK(refused([] { static_cast<void>(adopted::current_device()); }) ==
        ErrorCategory::invalid_argument);
  // Everything works on a thread that has no current context.
  App app;
  const Device device = adopted::device(app.context());
  Queue queue = adopted::queue(app.stream(), device);
  const CUdeviceptr memory = app.memory(numbers());
  inclusive_scan(queue, adopted::view<int>(memory, length), adopted::view<int>(memory, length),
                 plus);
  CHECK(holds(app, memory, running_sums(numbers())));
  const Event event = adopted::event(app.event());
  CHECK(event.complete());
  event.wait();
  event.wait(test::patience);
  CHECK(current_context() == nullptr);
}

TEST_CASE_FIXTURE(Watched, "what is no context or stream of the device is refused") {
  App app;
  App elsewhere;
  CHECK(refused([] { static_cast<void>(adopted::device(nullptr)); }) ==
        ErrorCategory::invalid_argument);
  const Device device = adopted::device(app.context());
  CHECK(refused([&] { static_cast<void>(adopted::queue(elsewhere.stream(), device)); }) ==
        ErrorCategory::invalid_argument);
  if (test::cuda().computes()) return;
  for (const char* function : {"cuCtxGetDevice", "cuStreamGetCtx", "cuCtxPushCurrent_v2"}) {
    CAPTURE(function);
    const Failing failing(function, CUDA_ERROR_INVALID_CONTEXT);
    CHECK(refused([&] {
            const Device own = adopted::device(app.context());
            static_cast<void>(adopted::queue(app.stream(), own));
          }).has_value());
  }
  const Failing failing("cuCtxGetCurrent", CUDA_ERROR_UNKNOWN);
  CHECK(failure_of([] { static_cast<void>(adopted::current_device()); }).category ==
        ErrorCategory::backend_failure);
}

TEST_CASE_FIXTURE(Watched, "work goes between the application's, in every kind of stream") {
  App app;
  const Device device = adopted::device(app.context());
  const auto values = numbers();
  const CUdeviceptr in = app.memory(length * sizeof(int));
  const CUdeviceptr out = app.memory(length * sizeof(int));
  for (CUstream stream : {app.stream(), app.another_stream(CU_STREAM_DEFAULT), CUstream{},
                          CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    CAPTURE(reinterpret_cast<std::uintptr_t>(stream));
    for (const Timing timing : {Timing::disabled, Timing::enabled}) {
      Queue queue = adopted::queue(stream, device, {.timing = timing});
      std::vector<int> result(length);
      Event first = queue.record();
      {
        const Current current(app.context());
        CUDA_OK(test::cuda().cuMemcpyHtoDAsync(in, values.data(), length * sizeof(int), stream));
      }
      inclusive_scan(queue, adopted::view<int>(in, length), adopted::view<int>(out, length), plus);
      {
        const Current current(app.context());
        CUDA_OK(test::cuda().cuMemcpyDtoHAsync(result.data(), out, length * sizeof(int), stream));
        CUDA_OK(test::cuda().cuStreamSynchronize(stream));
      }
      if (test::cuda().computes()) CHECK(result == running_sums(values));
      const Event last = queue.record();
      last.wait();
      if (timing == Timing::enabled) CHECK(elapsed(first, last) >= 0);
      queue.finish(test::patience);
      queue.finish();
    }
  }
}

TEST_CASE_FIXTURE(Watched, "a per-thread default stream is its thread's") {
  App app;
  const Device device = adopted::device(app.context());
  std::optional<Queue> queue = adopted::queue(CU_STREAM_PER_THREAD, device);
  const CUdeviceptr memory = app.memory(numbers());
  const View<int> view = adopted::view<int>(memory, length);
  inclusive_scan(*queue, view, view, plus);
  const Event done = queue->record();
  std::thread([&] {
    const auto category = [](const auto& call) { return failure_of(call).category; };
    CHECK(category([&] { queue->fill(view, 0); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { queue->finish(); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { static_cast<void>(queue->record()); }) == ErrorCategory::invalid_argument);
    CHECK(category([&] { static_cast<void>(reduce(*queue, view, plus)); }) ==
          ErrorCategory::invalid_argument);
    done.wait();    // An event is everybody's,
    queue.reset();  // and so is the last handle.
  }).join();
  CHECK(holds(app, memory, running_sums(numbers())));
}

TEST_CASE_FIXTURE(Watched, "views of every kind of memory") {
  App app;
  const Device device = adopted::device(app.context());
  Queue queue = adopted::queue(app.stream(), device);
  CUdeviceptr managed = 0;
  CUdeviceptr pooled = 0;
  void* locked = nullptr;
  {
    const Current current(app.context());
    CUDA_OK(test::cuda().cuMemAllocManaged(&managed, 4000, CU_MEM_ATTACH_GLOBAL));
    CUDA_OK(test::cuda().cuMemAllocAsync(&pooled, 4000, app.stream()));
    CUDA_OK(test::cuda().cuMemAllocHost(&locked, 4000));
  }
  const CUdeviceptr plain = app.memory(4000);
  for (const CUdeviceptr memory : {plain, managed, pooled, reinterpret_cast<CUdeviceptr>(locked)}) {
    const View<int> view = adopted::view<int>(memory, 1000);
    CHECK(view.size() == 1000);
    queue.fill(view, 9);
    CHECK(queue.download(view) == std::vector<int>(1000, 9));
    CHECK_NOTHROW(inclusive_scan(queue, view, view, plus));
    // From the middle, up to the end, and not beyond.
    CHECK_NOTHROW(static_cast<void>(adopted::view<int>(memory + 400, 900)));
    CHECK(refused([&] { static_cast<void>(adopted::view<int>(memory + 400, 901)); }) ==
          ErrorCategory::invalid_argument);
    CHECK(refused([&] { static_cast<void>(adopted::view<int>(memory, UINT64_MAX / 4)); }) ==
          ErrorCategory::invalid_argument);
    CHECK(refused([&] { static_cast<void>(adopted::view<int>(memory, UINT64_MAX)); }) ==
          ErrorCategory::invalid_argument);
  }
  // As the runtime gives it.
  int* pointer = reinterpret_cast<int*>(plain);  // NOLINT(performance-no-int-to-ptr)
  const View<const int> reading = adopted::view(static_cast<const int*>(pointer), 1000);
  const View<int> writing = adopted::view(pointer, 1000);
  CHECK_NOTHROW(inclusive_scan(queue, reading, writing, plus));
  queue.finish();
  const Current current(app.context());
  CUDA_OK(test::cuda().cuMemFree(managed));
  CUDA_OK(test::cuda().cuMemFree(pooled));
  CUDA_OK(test::cuda().cuMemFreeHost(locked));
}

TEST_CASE_FIXTURE(Watched, "what is no device memory of the context is refused") {
  App app;
  App elsewhere;
  const Device device = adopted::device(app.context());
  Queue queue = adopted::queue(app.stream(), device);
  const auto bad = ErrorCategory::invalid_argument;
  CHECK(refused([] { static_cast<void>(adopted::view<int>(CUdeviceptr{0}, 1)); }) == bad);
  CHECK(refused([] { static_cast<void>(adopted::view<int>(nullptr, 1)); }) == bad);
  CHECK(adopted::view<int>(CUdeviceptr{0}, 0).empty());
  std::vector<int> host(1000);
  CHECK(refused([&] { static_cast<void>(adopted::view(host.data(), host.size())); }) == bad);
  CHECK(refused([&] { static_cast<void>(adopted::view<double>(CUdeviceptr{64}, 1)); }) == bad);

  const View<int> own = adopted::view<int>(app.memory(4000), 1000);
  const View<int> foreign = adopted::view<int>(elsewhere.memory(4000), 1000);
  CHECK(refused([&] { inclusive_scan(queue, foreign, own, plus); }) == bad);
  CHECK(refused([&] { inclusive_scan(queue, own, foreign, plus); }) == bad);
  CHECK(refused([&] { queue.fill(foreign, 1); }) == bad);
  CHECK(refused([&] { static_cast<void>(reduce(queue, foreign, plus)); }) == bad);
  const Workspace borrowed(foreign.as<std::uint8_t>());
  CHECK(refused([&] { inclusive_scan(queue, own, own, plus, {.workspace = &borrowed}); }) == bad);
  // A plan of another context, and one made in the primary one.
  const Device other = adopted::device(elsewhere.context());
  const ScanPlan plan(other, {});
  CHECK(refused([&] { plan.run(queue, own, own, Value(0)); }) == bad);
  const CUdeviceptr odd = app.memory(4000) + 2;
  CHECK(refused([&] { queue.fill(adopted::view<int>(odd, 10), 1); }) == bad);
  // And the queue goes on.
  queue.fill(own, 3);
  CHECK(queue.download(own) == std::vector<int>(1000, 3));
}

TEST_CASE_FIXTURE(Watched, "events go both ways") {
  App app;
  const Device device = adopted::device(app.context());
  CUstream second = app.another_stream();
  Queue queue = adopted::queue(app.stream(), device);
  Queue after = adopted::queue(second, device);
  const CUdeviceptr memory = app.memory(length * sizeof(int));
  const View<int> view = adopted::view<int>(memory, length);
  CUevent written = app.event();
  CUevent scanned = app.event();
  {
    const Current current(app.context());
    CUDA_OK(test::cuda().cuMemsetD32Async(memory, 1, length, app.stream()));
    CUDA_OK(test::cuda().cuEventRecord(written, app.stream()));
  }
  // The application's event starts a call, and bifold's tells it when that is done.
  Event done;
  inclusive_scan(after, view, view, plus, {.wait = {adopted::event(written)}, .done = &done});
  adopted::record(after, scanned);
  std::vector<int> result(length);
  {
    const Current current(app.context());
    CUDA_OK(test::cuda().cuStreamWaitEvent(app.stream(), adopted::native_event(done), 0));
    CUDA_OK(test::cuda().cuStreamWaitEvent(app.stream(), scanned, 0));
  }
  const Event applications = adopted::event(scanned);
  queue.wait_for(std::span(&applications, 1));
  queue.download(view, std::span(result));
  CHECK(result.front() == 1);
  if (test::cuda().computes()) CHECK(result.back() == static_cast<int>(length));
  applications.wait(test::patience);
  applications.wait();
  CHECK(applications.complete());
  CHECK(done.complete());

  const auto bad = ErrorCategory::invalid_argument;
  CHECK(refused([] { static_cast<void>(adopted::event(nullptr)); }) == bad);
  CHECK(refused([] { static_cast<void>(adopted::native_event(Event{})); }) == bad);
  CHECK(refused([&] { adopted::record(queue, nullptr); }) == bad);
  App elsewhere;
  CUevent foreign = elsewhere.event();
  CHECK(refused([&] { adopted::record(queue, foreign); }) == bad);
  CHECK(refused([&] { static_cast<void>(elapsed(applications, applications)); }) == bad);
  // An event of another context may be waited for.
  const Event from_there = adopted::event(foreign);
  CHECK_NOTHROW(queue.wait_for(std::span(&from_there, 1)));
}

TEST_CASE_FIXTURE(Watched, "an application's memory as scratch") {
  App app;
  struct Pool {
    App* app;
    CUevent last;  // Behind the last call.
    std::set<CUdeviceptr> blocks{};
    bool odd = false;
  } pool{&app, app.event()};
  DeviceOptions options;
  options.scratch.user = &pool;
  options.scratch.allocate = [](void* user, std::uint64_t bytes) -> std::uintptr_t {
    auto& self = *static_cast<Pool*>(user);
    const Current current(self.app->context());
    CUdeviceptr block = 0;
    CUDA_OK(test::cuda().cuMemAlloc(&block, bytes + 256));
    self.blocks.insert(block);
    return block + (self.odd ? 8 : 0);
  };
  options.scratch.release = [](void* user, std::uintptr_t handle, std::uint64_t) {
    auto& self = *static_cast<Pool*>(user);
    const Current current(self.app->context());
    CHECK(int{test::cuda().cuEventQuery(self.last)} == 0);  // Nothing uses it any more.
    CHECK(int{test::cuda().cuMemFree(handle / 256 * 256)} == 0);
    CHECK(self.blocks.erase(handle / 256 * 256) == 1);
  };
  const CUdeviceptr memory = app.memory(numbers());
  const View<int> view = adopted::view<int>(memory, length);
  {
    const Device device = adopted::device(app.context(), options);
    Queue queue = adopted::queue(app.stream(), device);
    pool.odd = true;
    CHECK(refused([&] { inclusive_scan(queue, view, view, plus); }) ==
          ErrorCategory::invalid_argument);
    CHECK(pool.blocks.empty());
    pool.odd = false;
    inclusive_scan(queue, view, view, plus);
    adopted::record(queue, pool.last);
    CHECK_FALSE(pool.blocks.empty());
  }
  CHECK(pool.blocks.empty());
  CHECK(holds(app, memory, running_sums(numbers())));
  // The end of a queue waits for its work on whichever thread it comes.
  const Device device = adopted::device(app.context(), options);
  std::optional<Queue> queue = adopted::queue(CU_STREAM_PER_THREAD, device);
  inclusive_scan(*queue, view, view, plus);
  adopted::record(*queue, pool.last);
  CHECK_FALSE(pool.blocks.empty());
  std::thread([&] { queue.reset(); }).join();
  CHECK(pool.blocks.empty());
  // Where it cannot wait, the memory stays with the application, and the capture valid.
  queue = adopted::queue(app.stream(), device);
  inclusive_scan(*queue, view, view, plus);
  app.begin_capture();
  queue.reset();
  CHECK_FALSE(pool.blocks.empty());
  CHECK(app.captures());
  CUDA_OK(test::cuda().cuGraphDestroy(app.end_capture()));
  const Current current(app.context());
  CUDA_OK(test::cuda().cuStreamSynchronize(app.stream()));
  for (const CUdeviceptr block : pool.blocks) CUDA_OK(test::cuda().cuMemFree(block));
}

TEST_CASE_FIXTURE(Watched, "threads adopt and use streams of one context side by side") {
  App app;
  const Device device = adopted::device(app.context());
  const auto values = numbers();
  std::vector<CUdeviceptr> blocks;
  std::vector<CUstream> streams;
  for (int i = 0; i < 4; ++i) {
    blocks.push_back(app.memory(values));
    streams.push_back(app.another_stream());
  }
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      threads.emplace_back([&, i] {
        const Device own = adopted::device(app.context());
        Queue queue = adopted::queue(streams[i], i % 2 == 0 ? device : own);
        const View<int> view = adopted::view<int>(blocks[i], length);
        for (int round = 0; round < 10; ++round) static_cast<void>(reduce(queue, view, plus));
        inclusive_scan(queue, view, view, plus);
        queue.finish();
      });
    }
  }
  for (const CUdeviceptr block : blocks) CHECK(holds(app, block, running_sums(values)));
}

TEST_SUITE_END();

}  // namespace bifold
