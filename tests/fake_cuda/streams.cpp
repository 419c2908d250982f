// Streams and events.
#include "state.hpp"

#undef cuEventElapsedTime

namespace {
bool own(CUstream stream) { return fake::alive(stream) && stream->context == fake::current(); }
}  // namespace

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  FAKE_CALL_IN_CONTEXT("cuStreamCreate");
  if (flags != CU_STREAM_NON_BLOCKING) return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  *stream = new CUstream_st{fake::current(), {}};
  fake::state().streams.insert(*stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuStreamDestroy_v2");
  if (!own(stream)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  fake::drain(stream);
  fake::state().streams.erase(stream);
  delete stream;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuStreamSynchronize");
  if (!own(stream)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  fake::drain(stream);
  return CUDA_SUCCESS;
}

// Once it has been asked after, work is done by the next question.
CUresult cuStreamQuery(CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuStreamQuery");
  if (!own(stream)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  const bool ready = stream->pending.empty();
  fake::drain(stream);
  return ready ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  FAKE_CALL_IN_CONTEXT("cuStreamWaitEvent");
  if (!fake::alive(event)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  if (event->done) return CUDA_SUCCESS;
  return fake::enqueue(stream, [source = event->stream] {
    if (fake::alive(source)) fake::drain(source);
  });
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  FAKE_CALL_IN_CONTEXT("cuEventCreate");
  *event = new CUevent_st{fake::current(), nullptr, (flags & CU_EVENT_DISABLE_TIMING) == 0, true};
  fake::state().events.insert(*event);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  FAKE_CALL_IN_CONTEXT("cuEventDestroy_v2");
  if (!fake::alive(event)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  fake::state().events.erase(event);
  delete event;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuEventRecord");
  if (!fake::alive(event)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  const CUresult result = fake::enqueue(stream, [event] {
    if (fake::alive(event)) event->done = true;
  });
  if (result == CUDA_SUCCESS) {
    event->stream = stream;
    event->done = false;
  }
  return result;
}

CUresult cuEventQuery(CUevent event) {
  FAKE_CALL_IN_CONTEXT("cuEventQuery");
  if (!fake::alive(event)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  if (event->done) return CUDA_SUCCESS;
  fake::drain(event->stream);
  return CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event) {
  FAKE_CALL_IN_CONTEXT("cuEventSynchronize");
  if (!fake::alive(event)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  if (!event->done) fake::drain(event->stream);
  return CUDA_SUCCESS;
}

// The version that drivers of every age export; cuda.h declares a younger one.
__attribute__((visibility("default"))) CUresult cuEventElapsedTime(float* milliseconds,
                                                                   CUevent start, CUevent end);
CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  FAKE_CALL_IN_CONTEXT("cuEventElapsedTime");
  if (!fake::alive(start) || !fake::alive(end) || !start->timed || !end->timed) {
    return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  }
  if (!start->done || !end->done) return CUDA_ERROR_NOT_READY;
  *milliseconds = 1.5F;
  return CUDA_SUCCESS;
}
}
