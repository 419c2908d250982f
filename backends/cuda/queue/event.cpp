#include "cuda/queue/event.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "cuda/queue/wait.hpp"

namespace bifold::backend::cuda {
namespace {

/// Makes the stream's context current. An application's event brings no stream along, and asking
/// after it does not need a context.
class Inside {
 public:
  explicit Inside(const std::shared_ptr<const Stream>& stream) {
    if (stream) current_.emplace(stream->context());
  }

 private:
  std::optional<CurrentContext> current_;
};

}  // namespace

Event::Event(std::shared_ptr<const Stream> stream, Timing timing, Recorded recorded)
    : stream_(std::move(stream)), timing_(timing), recorded_(recorded) {
  const CUstream behind = stream_->get();
  const CurrentContext current(stream_->context());
  const OutsideCapture outside;  // The event is made outside, and recorded inside all the same.
  const unsigned flags = timing == Timing::enabled ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING;
  cuda::check(driver().cuEventCreate(&event_, flags), "cuEventCreate");
  if (const CUresult result = driver().cuEventRecord(event_, behind); result != CUDA_SUCCESS) {
    log_failure(driver().cuEventDestroy(event_), "cuEventDestroy");
    raise(result, "cuEventRecord");
  }
}

Event::~Event() {
  if (!stream_) return;
  const CurrentContext current(stream_->context(), std::nothrow);
  if (!current.pushed()) return;
  const OutsideCapture outside;
  log_failure(driver().cuEventDestroy(event_), "cuEventDestroy");
}

void Event::check_runs() const {
  if (recorded_ == Recorded::in_graph) {
    throw plain_error(ErrorCategory::unsupported,
                      "the event was recorded while its queue's work was captured in a graph: the "
                      "host cannot ask after it");
  }
}

void Event::check(CUresult result, const char* call) const {
  if (result == CUDA_SUCCESS) return;
  if (stream_ || category_of(result) != ErrorCategory::device_lost) raise(result, call);
  throw driver_error(driver(), ErrorCategory::backend_failure, result, call,
                     "the application's event has failed: " + explain(driver(), result));
}

void Event::wait(TimeLimit limit) const {
  check_runs();
  const Inside current(stream_);
  const OutsideCapture outside;
  if (limit || !stream_) {
    CUresult result = CUDA_SUCCESS;
    const auto longest = limit.value_or(std::chrono::nanoseconds::max());
    wait_within(longest, "cuEventQuery", [&] {
      result = driver().cuEventQuery(event_);
      return result == CUDA_ERROR_NOT_READY ? result : CUDA_SUCCESS;
    });
    check(result, "cuEventQuery");
  } else {
    check(driver().cuEventSynchronize(event_), "cuEventSynchronize");
  }
}

bool Event::complete() const {
  check_runs();
  const Inside current(stream_);
  const OutsideCapture outside;
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
  check_runs();
  start->check_runs();
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
