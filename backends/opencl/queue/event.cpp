#include "opencl/queue/event.hpp"

#include "core/base/duration.hpp"
#include "core/base/polling.hpp"
#include "opencl/driver/error.hpp"

namespace bifold::backend::opencl {

void Event::wait(TimeLimit limit) const {
  if (!limit) {
    auto* const event = event_();
    const cl_int code = clWaitForEvents(1, &event);
    // This code only says that the event failed; its status says how.
    if (code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) {
      static_cast<void>(complete());
    }
    check(code, "clWaitForEvents", Step::wait);
    return;
  }
  // OpenCL has no wait with a limit. Once the queue is flushed, the work is on its way and asking
  // for the status is enough.
  if (unflushed_() != nullptr) check(clFlush(unflushed_()), "clFlush", Step::wait);
  if (!core::done_within(*limit, [this] { return complete(); })) {
    refuse(ErrorCategory::timeout, "work was not done within " + core::duration_text(*limit));
  }
}

bool Event::complete() const {
  cl_int status = CL_QUEUED;
  check(
      clGetEventInfo(event_(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
      "clGetEventInfo", Step::wait);
  if (status < 0 && !tells_of_device_) {
    fail_as(ErrorCategory::backend_failure, status, "clGetEventInfo",
            "an event of the application's, or work that may wait for one, has failed");
  }
  if (status < 0) {
    fail(status, "clGetEventInfo", Step::wait, "work before the event ended abnormally");
  }
  return status == CL_COMPLETE;
}

cl_ulong Event::ended_at() const {
  cl_ulong nanoseconds = 0;
  check(clGetEventProfilingInfo(event_(), CL_PROFILING_COMMAND_END, sizeof nanoseconds,
                                &nanoseconds, nullptr),
        "clGetEventProfilingInfo", Step::wait);
  return nanoseconds;
}

double Event::seconds_since(const backend::Event& earlier) const {
  const auto* const other = dynamic_cast<const Event*>(&earlier);
  if (other == nullptr || other->queue_ != queue_) {
    refuse(ErrorCategory::invalid_argument, "elapsed time needs two events of one queue");
  }
  if (!timed_) {
    refuse(ErrorCategory::invalid_argument, "the events' queue was made without timing");
  }
  if (!complete() || !other->complete()) {
    refuse(ErrorCategory::invalid_argument, "elapsed time needs events that are complete");
  }
  const cl_ulong from = other->ended_at();
  const cl_ulong to = ended_at();
  // Negative when the caller has swapped them, rather than a huge unsigned difference.
  return (to >= from ? static_cast<double>(to - from) : -static_cast<double>(from - to)) * 1e-9;
}

}  // namespace bifold::backend::opencl
