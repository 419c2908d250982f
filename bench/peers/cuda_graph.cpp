#include "peers/cuda_graph.hpp"

#include <exception>
#include <new>
#include <stdexcept>

#include "core/device/state.hpp"
#include "peers/native_queue.hpp"
#if BIFOLD_HAS_CUDA
#include "cuda/driver/context.hpp"
#include "cuda/driver/dynamic_library.hpp"
#include "cuda/driver/error.hpp"
#endif

namespace bench {

#if BIFOLD_HAS_CUDA

namespace {

namespace cuda = bifold::backend::cuda;

// What the library itself has no use for: it is captured, and captures nothing.
#define BIFOLD_BENCH_GRAPH_FUNCTIONS(X)                         \
  X(cuStreamBeginCapture, "cuStreamBeginCapture_v2")            \
  X(cuStreamEndCapture, "cuStreamEndCapture")                   \
  X(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags") \
  X(cuGraphLaunch, "cuGraphLaunch")                             \
  X(cuGraphDestroy, "cuGraphDestroy")                           \
  X(cuGraphExecDestroy, "cuGraphExecDestroy")

struct GraphApi {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator takes none.
#define BIFOLD_BENCH_DECLARE(function, symbol) decltype(::function)* function = nullptr;
  BIFOLD_BENCH_GRAPH_FUNCTIONS(BIFOLD_BENCH_DECLARE)
#undef BIFOLD_BENCH_DECLARE
  bool complete = true;
};

/// Of the driver that the library has loaded.
const GraphApi& graph_api() {
  static const GraphApi loaded = [] {
    GraphApi api;
    const cuda::DynamicLibrary library = cuda::open_library("libcuda.so.1");
    if (library.handle == nullptr) return GraphApi{.complete = false};
#define BIFOLD_BENCH_BIND(function, symbol) \
  api.complete = cuda::bind(library, symbol, api.function) && api.complete;
    BIFOLD_BENCH_GRAPH_FUNCTIONS(BIFOLD_BENCH_BIND)
#undef BIFOLD_BENCH_BIND
    return api;
  }();
  return loaded;
}

CUcontext context_of(const bifold::Queue& queue) {
  const void* const context = queue.device().state()->backend->context();
  return static_cast<CUcontext>(const_cast<void*>(context));
}

bool still_captured(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult asked = cuda::driver().cuStreamIsCapturing(stream, &status);
  return asked == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

// NOLINTBEGIN(clang-analyzer-core.CallAndMessage): has_graphs() has asked whether all are there.
CUgraph capture(CUstream stream, const std::function<void()>& record) {
  const GraphApi& api = graph_api();
  // What is unsafe to capture on this thread shall fail; other threads are none of its business.
  cuda::check(api.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
              "cuStreamBeginCapture");
  std::exception_ptr failure;
  try {
    record();
  } catch (...) {
    failure = std::current_exception();
  }
  CUgraph graph = nullptr;
  const CUresult ended = api.cuStreamEndCapture(stream, &graph);
  if (still_captured(stream)) {
    // Nothing else can be done on the queue from now on.
    throw cuda::driver_error(cuda::driver(), bifold::ErrorCategory::device_lost, ended,
                             "cuStreamEndCapture", "the capture of a queue does not end");
  }
  if (failure) {
    if (graph != nullptr) cuda::log_failure(api.cuGraphDestroy(graph), "cuGraphDestroy");
    std::rethrow_exception(failure);
  }
  cuda::check(ended, "cuStreamEndCapture");
  return graph;
}

}  // namespace

struct CudaGraph::Launchable {
  Launchable(const bifold::Queue& queue, const std::function<void()>& record)
      : stream(static_cast<CUstream>(native_queue(queue))), context(context_of(queue)) {
    const cuda::CurrentContext current(context);
    const GraphApi& api = graph_api();
    CUgraph graph = capture(stream, record);
    const CUresult made = api.cuGraphInstantiateWithFlags(&exec, graph, 0);
    cuda::log_failure(api.cuGraphDestroy(graph), "cuGraphDestroy");
    cuda::check(made, "cuGraphInstantiateWithFlags");
  }
  ~Launchable() {
    const cuda::CurrentContext current(context, std::nothrow);
    cuda::log_failure(graph_api().cuGraphExecDestroy(exec), "cuGraphExecDestroy");
  }
  Launchable(const Launchable&) = delete;
  Launchable& operator=(const Launchable&) = delete;

  CUstream stream;
  cuda::Context context;
  CUgraphExec exec = nullptr;
};

bool has_graphs(const bifold::Device& device) {
  return side_of(device) == PeerSide::cuda && graph_api().complete;
}

CudaGraph::CudaGraph(const bifold::Queue& queue, const std::function<void()>& record)
    : launchable_(std::make_unique<Launchable>(queue, record)) {}

void CudaGraph::launch() const {
  const cuda::CurrentContext current(launchable_->context);
  cuda::check(graph_api().cuGraphLaunch(launchable_->exec, launchable_->stream), "cuGraphLaunch");
}
// NOLINTEND(clang-analyzer-core.CallAndMessage)

#else

struct CudaGraph::Launchable {};

bool has_graphs(const bifold::Device& /*device*/) { return false; }

CudaGraph::CudaGraph(const bifold::Queue& /*queue*/, const std::function<void()>& /*record*/) {
  throw std::logic_error("a device without graphs");
}

void CudaGraph::launch() const {}

#endif

CudaGraph::~CudaGraph() = default;

}  // namespace bench
