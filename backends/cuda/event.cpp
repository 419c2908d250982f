#include "cuda/event.hpp"

#include <utility>

#include "cuda/wait.hpp"

namespace bifold::backend::cuda {

Event::Event(std::shared_ptr<const Stream> stream, Timing timing)
    : stream_(std::move(stream)), timing_(timing) {
  const CurrentContext current(stream_->context());
  const unsigned flags = timing == Timing::enabled ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  check(driver().cuEventCreate(&event_, flags), "cuEventCreate");
  if (const CUresult result = driver().cuEventRecord(event_, stream_->get());
      result != CUDA_SUCCESS) {
    log_failure(driver().cuEventDestroy(event_), "cuEventDestroy");
    raise(result, "cuEventRecord");
  }
}

Event::~Event() {
  const CurrentContext current(stream_->context(), std::nothrow);
  if (current.pushed()) log_failure(driver().cuEventDestroy(event_), "cuEventDestroy");
}

void Event::wait(TimeLimit limit) const {
  const CurrentContext current(stream_->context());
  if (limit) {
    wait_within(*limit, "cuEventQuery", [this] { return driver().cuEventQuery(event_); });
  } else {
    check(driver().cuEventSynchronize(event_), "cuEventSynchronize");
  }
}

bool Event::complete() const {
  const CurrentContext current(stream_->context());
  const CUresult result = driver().cuEventQuery(event_);
  if (result == CUDA_ERROR_NOT_READY) return false;
  check(result, "cuEventQuery");
  return true;
}

double Event::seconds_since(const backend::Event& earlier) const {
  const auto* start = dynamic_cast<const Event*>(&earlier);
  if (start == nullptr) raise_invalid_argument("the earlier event is not one of the CUDA backend");
  if (timing_ == Timing::disabled || start->timing_ == Timing::disabled) {
    raise_invalid_argument("elapsed time needs a queue that was made with Timing::enabled");
  }
  if (start->stream_ != stream_) {
    raise_invalid_argument("elapsed time needs two events of one queue");
  }
  const CurrentContext current(stream_->context());
  float milliseconds = 0;
  const CUresult result = driver().cuEventElapsedTime(&milliseconds, start->event_, event_);
  if (result == CUDA_ERROR_NOT_READY) {
    raise_invalid_argument("elapsed time needs two events that are complete");
  }
  check(result, "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace bifold::backend::cuda
