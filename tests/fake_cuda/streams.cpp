// Streams and events.
#include "state.hpp"

#undef cuEventElapsedTime

extern "C" {

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  FAKE_CALL_OUTSIDE_CAPTURE("cuStreamCreate");
  if (flags != CU_STREAM_NON_BLOCKING && flags != CU_STREAM_DEFAULT) {
    return fake::misuse(CUDA_ERROR_INVALID_VALUE);
  }
  *stream =
      new CUstream_st{fake::current(), flags == CU_STREAM_DEFAULT ? fake::StreamKind::blocking
                                                                  : fake::StreamKind::non_blocking};
  fake::state().streams.insert(*stream);
  return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  FAKE_CALL_IN_CONTEXT("cuStreamDestroy_v2");
  if (!fake::alive(stream) || fake::own_stream(stream) == nullptr || stream->capture) {
    return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  }
  fake::drain(stream);
  fake::state().streams.erase(stream);
  delete stream;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  FAKE_CALL_IN_CONTEXT("cuStreamGetCtx");
  CUstream stream = fake::stream_of(handle);
  if (stream == nullptr) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  *context = stream->context;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream handle) {
  FAKE_CALL_IN_CONTEXT("cuStreamSynchronize");
  CUstream stream = fake::own_stream(handle);
  if (stream == nullptr) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  const CUresult forbidden = fake::outside_capture(stream);
  if (forbidden != CUDA_SUCCESS) return forbidden;
  fake::drain(stream);
  return CUDA_SUCCESS;
}

// Once it has been asked after, work is done by the next question.
CUresult cuStreamQuery(CUstream handle) {
  FAKE_CALL_IN_CONTEXT("cuStreamQuery");
  CUstream stream = fake::own_stream(handle);
  if (stream == nullptr) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  const CUresult forbidden = fake::outside_capture(stream);
  if (forbidden != CUDA_SUCCESS) return forbidden;
  const bool ready = stream->pending.empty();
  fake::drain(stream);
  return ready ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned) {
  FAKE_CALL_IN_CONTEXT("cuStreamWaitEvent");
  CUstream stream = fake::own_stream(handle);
  if (!fake::alive(event) || stream == nullptr) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  if (!event->captured) {
    if (stream->capture) {
      stream->capture->invalid = true;
      return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (event->done) return CUDA_SUCCESS;
    fake::put(stream, [record = event->record] {
      if (!record || record->done) return true;
      fake::drain(record->stream);
      return record->done || !record->stream->draining;
    });
    return CUDA_SUCCESS;
  }
  const auto capture = event->capture.lock();
  if (!capture || stream->kind == fake::StreamKind::legacy) {
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (stream->capture && stream->capture != capture) {
    capture->invalid = stream->capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  if (!stream->capture) {
    stream->capture = capture;
    capture->streams.insert(stream);
    capture->loose.insert(stream);
  }
  if (event->stream != stream) capture->loose.erase(event->stream);
  return CUDA_SUCCESS;
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

CUresult cuEventRecord(CUevent event, CUstream handle) {
  FAKE_CALL_IN_CONTEXT("cuEventRecord");
  if (!fake::alive(event)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  if (event->context != fake::current()) return CUDA_ERROR_INVALID_HANDLE;
  CUstream stream = fake::own_stream(handle);
  if (stream != nullptr && stream->capture) {
    if (stream->capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    event->stream = stream;
    event->captured = true;
    event->capture = stream->capture;
    return CUDA_SUCCESS;
  }
  const auto record = std::make_shared<CUevent_st::Record>(CUevent_st::Record{stream});
  const CUresult result = fake::enqueue(handle, [event, record] {
    record->done = true;
    if (fake::alive(event) && event->record == record) event->done = true;
  });
  if (result == CUDA_SUCCESS) {
    event->stream = stream;
    event->record = record;
    event->done = event->captured = false;
  }
  return result;
}

static CUresult outside_capture(CUevent event) {
  if (!event->captured) return fake::outside_capture();
  if (const auto capture = event->capture.lock()) capture->invalid = true;
  return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult cuEventQuery(CUevent event) {
  FAKE_CALL("cuEventQuery");
  if (!fake::alive(event)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  const CUresult forbidden = outside_capture(event);
  if (forbidden != CUDA_SUCCESS) return forbidden;
  if (event->done) return CUDA_SUCCESS;
  fake::drain(event->stream);
  return CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event) {
  FAKE_CALL_IN_CONTEXT("cuEventSynchronize");
  if (!fake::alive(event)) return fake::misuse(CUDA_ERROR_INVALID_HANDLE);
  const CUresult forbidden = outside_capture(event);
  if (forbidden != CUDA_SUCCESS) return forbidden;
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
  *milliseconds = start == end ? 0 : 1.5F;
  return CUDA_SUCCESS;
}
}
