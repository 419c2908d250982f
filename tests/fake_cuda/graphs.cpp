// Capturing streams into graphs, and running those.
#include <algorithm>

#include "state.hpp"

namespace fake {

namespace {

bool forbids(const Capture& capture) {
  const bool local = capture.thread == std::this_thread::get_id();
  switch (capture_mode()) {
    case CU_STREAM_CAPTURE_MODE_RELAXED: return false;
    case CU_STREAM_CAPTURE_MODE_THREAD_LOCAL:
      return local && capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    default:
      return local ? capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED
                   : capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
  }
}

}  // namespace

CUresult outside_capture() {
  bool forbidden = false;
  for (const auto& capture : state().captures) {
    if (!forbids(*capture)) continue;
    capture->invalid = forbidden = true;
  }
  return forbidden ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult outside_capture(CUstream stream) {
  if (stream->capture) {
    stream->capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  if (stream->kind == StreamKind::legacy && legacy_is_blocked(stream->context)) {
    for (const auto& capture : state().captures) capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  return outside_capture();
}

bool legacy_is_blocked(CUcontext context) {
  const auto blocks = [context](CUstream stream) {
    return stream->context == context && stream->kind == StreamKind::blocking;
  };
  return std::any_of(state().captures.begin(), state().captures.end(), [&](const auto& capture) {
    return std::any_of(capture->streams.begin(), capture->streams.end(), blocks);
  });
}

}  // namespace fake

extern "C" {

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  FAKE_CALL("cuThreadExchangeStreamCaptureMode");
  std::swap(*mode, fake::capture_mode());
  return CUDA_SUCCESS;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  FAKE_CALL_IN_CONTEXT("cuStreamIsCapturing");
  CUstream stream = fake::own_stream(handle);
  if (stream == nullptr) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  if (stream->kind == fake::StreamKind::legacy && fake::legacy_is_blocked(stream->context)) {
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  *status = !stream->capture           ? CU_STREAM_CAPTURE_STATUS_NONE
            : stream->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                       : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  FAKE_CALL_IN_CONTEXT("cuStreamBeginCapture_v2");
  CUstream stream = fake::own_stream(handle);
  if (stream == nullptr) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  if (stream->kind == fake::StreamKind::legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture) return fake::misuse(CUDA_ERROR_ILLEGAL_STATE);
  stream->capture = std::make_shared<fake::Capture>(
      fake::Capture{mode, std::this_thread::get_id(), stream, {stream}, {}, {}});
  fake::state().captures.insert(stream->capture);
  return CUDA_SUCCESS;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  FAKE_CALL_IN_CONTEXT("cuStreamEndCapture");
  *graph = nullptr;
  CUstream stream = fake::own_stream(handle);
  if (stream == nullptr) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  const auto capture = stream->capture;
  if (!capture) return fake::misuse(CUDA_ERROR_ILLEGAL_STATE);
  if (capture->origin != stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != std::this_thread::get_id()) {
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  for (CUstream joined : capture->streams) joined->capture.reset();
  fake::state().captures.erase(capture);
  if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!capture->loose.empty()) return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  *graph = new CUgraph_st{stream->context, std::move(capture->commands)};
  fake::state().graphs.insert(*graph);
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode* nodes, std::size_t* count) {
  FAKE_CALL("cuGraphGetNodes");
  if (!fake::state().graphs.contains(graph) || nodes != nullptr) {
    return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  }
  *count = graph->commands.size();
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  FAKE_CALL_OUTSIDE_CAPTURE("cuGraphInstantiateWithFlags");
  if (!fake::state().graphs.contains(graph)) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  *exec = new CUgraphExec_st{graph->context, graph->commands};
  fake::state().graph_execs.insert(*exec);
  return CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream handle) {
  FAKE_CALL_IN_CONTEXT("cuGraphLaunch");
  if (!fake::state().graph_execs.contains(exec) || exec->context != fake::current()) {
    return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  }
  // What was freed since the capture would be written to.
  for (const fake::Command& command : exec->commands) {
    for (const fake::Range& range : command.touches) {
      if (!fake::in_bounds(range.address, range.bytes)) {
        return fake::misuse(CUDA_ERROR_ILLEGAL_ADDRESS);
      }
    }
  }
  return fake::enqueue(handle, [commands = exec->commands] {
    for (const fake::Command& command : commands) command.work();
  });
}

CUresult cuGraphDestroy(CUgraph graph) {
  FAKE_CALL("cuGraphDestroy");
  if (fake::state().graphs.erase(graph) == 0) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  delete graph;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  FAKE_CALL("cuGraphExecDestroy");
  if (fake::state().graph_execs.erase(exec) == 0) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  delete exec;
  return CUDA_SUCCESS;
}
}
