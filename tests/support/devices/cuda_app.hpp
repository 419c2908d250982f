// A CUDA application without bifold: its own context, streams, memory and graphs, through the
// driver. The driver may be the stand-in of tests/fake_cuda, which runs no kernel.
#pragma once

#include <cuda.h>
#include <dlfcn.h>
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifold::test {

// The functions used, with the symbols that drivers since CUDA 11.4 export.
#define BIFOLD_TEST_CUDA_FUNCTIONS(X)                           \
  X(cuInit, "cuInit")                                           \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain")       \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2")  \
  X(cuCtxDestroy, "cuCtxDestroy_v2")                            \
  X(cuCtxPushCurrent, "cuCtxPushCurrent_v2")                    \
  X(cuCtxPopCurrent, "cuCtxPopCurrent_v2")                      \
  X(cuCtxGetCurrent, "cuCtxGetCurrent")                         \
  X(cuStreamCreate, "cuStreamCreate")                           \
  X(cuStreamDestroy, "cuStreamDestroy_v2")                      \
  X(cuStreamSynchronize, "cuStreamSynchronize")                 \
  X(cuStreamWaitEvent, "cuStreamWaitEvent")                     \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2")            \
  X(cuStreamEndCapture, "cuStreamEndCapture")                   \
  X(cuStreamIsCapturing, "cuStreamIsCapturing")                 \
  X(cuEventCreate, "cuEventCreate")                             \
  X(cuEventDestroy, "cuEventDestroy_v2")                        \
  X(cuEventRecord, "cuEventRecord")                             \
  X(cuEventQuery, "cuEventQuery")                               \
  X(cuMemAlloc, "cuMemAlloc_v2")                                \
  X(cuMemAllocManaged, "cuMemAllocManaged")                     \
  X(cuMemAllocAsync, "cuMemAllocAsync")                         \
  X(cuMemAllocHost, "cuMemAllocHost_v2")                        \
  X(cuMemFree, "cuMemFree_v2")                                  \
  X(cuMemFreeHost, "cuMemFreeHost")                             \
  X(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2")                  \
  X(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2")                  \
  X(cuMemsetD32Async, "cuMemsetD32Async")                       \
  X(cuGraphGetNodes, "cuGraphGetNodes")                         \
  X(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags") \
  X(cuGraphLaunch, "cuGraphLaunch")                             \
  X(cuGraphDestroy, "cuGraphDestroy")                           \
  X(cuGraphExecDestroy, "cuGraphExecDestroy")

struct Cuda {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator takes none.
#define BIFOLD_DECLARE(function, symbol) decltype(::function)* function = nullptr;
  BIFOLD_TEST_CUDA_FUNCTIONS(BIFOLD_DECLARE)
#undef BIFOLD_DECLARE
  /// The version that drivers of every age have; headers declare different ones.
  CUresult (*create_context)(CUcontext*, unsigned, CUdevice) = nullptr;

  // Of the stand-in; null with a real driver.
  std::int64_t (*fake_count)(const char*) = nullptr;
  void (*fake_fail)(const char*, int, int) = nullptr;
  void (*fake_reset)() = nullptr;

  [[nodiscard]] bool computes() const { return fake_count == nullptr; }
};

inline const Cuda& cuda() {
  static const Cuda loaded = [] {
    Cuda api;
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // bifold holds it too.
    const auto bind = [library](auto& function, const char* symbol) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
    };
    std::string missing;
#define BIFOLD_BIND(function, symbol) \
  bind(api.function, symbol);         \
  if (api.function == nullptr) missing = symbol;
    BIFOLD_TEST_CUDA_FUNCTIONS(BIFOLD_BIND)
#undef BIFOLD_BIND
    REQUIRE(missing == "");
    bind(api.create_context, "cuCtxCreate_v2");
    bind(api.fake_count, "fake_cuda_count");
    bind(api.fake_fail, "fake_cuda_fail");
    bind(api.fake_reset, "fake_cuda_reset");
    REQUIRE(api.cuInit(0) == CUDA_SUCCESS);
    return api;
  }();
  return loaded;
}

/// The stand-in runs no kernel, unless the emulator is there.
inline bool runs_kernels() {
  const char* driver = std::getenv("BIFOLD_TEST_CUDA_DRIVER");  // NOLINT(concurrency-mt-unsafe)
  return cuda().computes() || (driver != nullptr && std::string_view(driver) == "emulated");
}

#define CUDA_OK(call) REQUIRE(int{call} == 0)

inline CUcontext current_context() {
  CUcontext context = nullptr;
  CUDA_OK(cuda().cuCtxGetCurrent(&context));
  return context;
}

/// Makes a context current for the length of a scope.
class Current {
 public:
  explicit Current(CUcontext context) { CUDA_OK(cuda().cuCtxPushCurrent(context)); }
  ~Current() {
    CUcontext popped = nullptr;
    CHECK(int{cuda().cuCtxPopCurrent(&popped)} == 0);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
};

/// Leaves the thread without a current context for the length of a scope.
class NoCurrent {
 public:
  NoCurrent() {
    for (CUcontext context = current_context(); context != nullptr; context = current_context()) {
      CUDA_OK(cuda().cuCtxPopCurrent(&context));
      popped_.push_back(context);
    }
  }
  ~NoCurrent() {
    for (const CUcontext context : std::views::reverse(popped_)) {
      CHECK(int{cuda().cuCtxPushCurrent(context)} == 0);
    }
  }
  NoCurrent(const NoCurrent&) = delete;
  NoCurrent& operator=(const NoCurrent&) = delete;

 private:
  std::vector<CUcontext> popped_;
};

/// Lets a function of the stand-in fail for the length of a scope; nothing with a real driver.
class Failing {
 public:
  Failing(const char* function, int code) {
    if (!cuda().computes()) cuda().fake_fail(function, 0, code);
  }
  ~Failing() {
    if (!cuda().computes()) cuda().fake_reset();
  }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
};

/// Around every case: the device's primary context is current, and is so at the end; nothing is
/// left over, and the stand-in was never misused.
class Watched {
 public:
  Watched() {
    static_cast<void>(cuda());
    CUDA_OK(cuda().cuDevicePrimaryCtxRetain(&primary_, 0));
    CUDA_OK(cuda().cuCtxPushCurrent(primary_));
    before_ = counts();
  }
  ~Watched() {
    CHECK(current_context() == primary_);
    const auto after = counts();
    for (std::size_t i = 0; i < watched.size(); ++i) {
      CHECK_MESSAGE(after[i] == before_[i], std::string(watched[i]));
    }
    CUcontext popped = nullptr;
    CHECK(int{cuda().cuCtxPopCurrent(&popped)} == 0);
    CHECK(int{cuda().cuDevicePrimaryCtxRelease(0)} == 0);
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  [[nodiscard]] CUcontext primary() const { return primary_; }

 private:
  static constexpr std::array watched{"contexts", "created_contexts", "streams", "events",
                                      "modules",  "allocations",      "graphs",  "captures",
                                      "misuses",  "graph_execs"};
  using Counts = std::array<std::int64_t, watched.size()>;
  static Counts counts() {
    Counts all{};
    for (std::size_t i = 0; i < all.size() && !cuda().computes(); ++i) {
      all[i] = cuda().fake_count(watched[i]);
    }
    return all;
  }

  CUcontext primary_ = nullptr;
  Counts before_{};
};

/// A context, a stream in it, and device memory that ends with them.
class App {
 public:
  explicit App(unsigned stream_flags = CU_STREAM_NON_BLOCKING) {
    CUDA_OK(cuda().create_context(&context_, 0, 0));
    stream_ = new_stream(stream_flags);
    CUcontext popped = nullptr;
    CUDA_OK(cuda().cuCtxPopCurrent(&popped));
  }
  ~App() {
    {
      const Current current(context_);
      for (const CUdeviceptr block : blocks_) CHECK(int{cuda().cuMemFree(block)} == 0);
      for (CUevent event : events_) CHECK(int{cuda().cuEventDestroy(event)} == 0);
      for (CUstream stream : streams_) CHECK(int{cuda().cuStreamDestroy(stream)} == 0);
    }
    CHECK(int{cuda().cuCtxDestroy(context_)} == 0);
  }
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  [[nodiscard]] CUcontext context() const { return context_; }
  [[nodiscard]] CUstream stream() const { return stream_; }

  CUstream another_stream(unsigned flags = CU_STREAM_NON_BLOCKING) {
    const Current current(context_);
    return new_stream(flags);
  }
  CUevent event() {
    const Current current(context_);
    CUevent event = nullptr;
    CUDA_OK(cuda().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    events_.push_back(event);
    return event;
  }
  CUdeviceptr memory(std::size_t bytes) {
    const Current current(context_);
    CUdeviceptr block = 0;
    CUDA_OK(cuda().cuMemAlloc(&block, bytes));
    blocks_.push_back(block);
    return block;
  }
  /// Memory with that content.
  CUdeviceptr memory(std::span<const int> content) {
    const CUdeviceptr block = memory(content.size_bytes());
    write(block, content);
    return block;
  }
  void write(CUdeviceptr to, std::span<const int> content) {
    const Current current(context_);
    CUDA_OK(cuda().cuMemcpyHtoDAsync(to, content.data(), content.size_bytes(), stream_));
    CUDA_OK(cuda().cuStreamSynchronize(stream_));
  }
  /// Behind what the stream holds.
  std::vector<int> read(CUdeviceptr from, std::size_t count) {
    const Current current(context_);
    std::vector<int> content(count);
    CUDA_OK(cuda().cuMemcpyDtoHAsync(content.data(), from, count * sizeof(int), stream_));
    CUDA_OK(cuda().cuStreamSynchronize(stream_));
    return content;
  }

  void begin_capture(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    const Current current(context_);
    CUDA_OK(cuda().cuStreamBeginCapture(stream_, mode));
  }
  /// Whether the capture is still good.
  [[nodiscard]] bool captures() const {
    const Current current(context_);
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUDA_OK(cuda().cuStreamIsCapturing(stream_, &status));
    return status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
  }
  CUgraph end_capture() {
    const Current current(context_);
    CUgraph graph = nullptr;
    CUDA_OK(cuda().cuStreamEndCapture(stream_, &graph));
    return graph;
  }

 private:
  CUstream new_stream(unsigned flags) {
    CUstream stream = nullptr;
    CUDA_OK(cuda().cuStreamCreate(&stream, flags));
    streams_.push_back(stream);
    return stream;
  }

  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::vector<CUstream> streams_;
  std::vector<CUevent> events_;
  std::vector<CUdeviceptr> blocks_;
};

/// A captured graph, ready to be launched.
class Graph {
 public:
  Graph(const App& app, CUgraph graph) : app_(app), graph_(graph) {
    const Current current(app.context());
    CUDA_OK(cuda().cuGraphInstantiateWithFlags(&exec_, graph_, 0));
  }
  ~Graph() {
    const Current current(app_.context());
    CHECK(int{cuda().cuGraphExecDestroy(exec_)} == 0);
    CHECK(int{cuda().cuGraphDestroy(graph_)} == 0);
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  [[nodiscard]] std::size_t nodes() const {
    std::size_t count = 0;
    CUDA_OK(cuda().cuGraphGetNodes(graph_, nullptr, &count));
    return count;
  }
  void launch() const {
    const Current current(app_.context());
    CUDA_OK(cuda().cuGraphLaunch(exec_, app_.stream()));
  }

 private:
  const App& app_;
  CUgraph graph_;
  CUgraphExec exec_ = nullptr;
};

}  // namespace bifold::test
