// Waiting for a queue, and what is done when a wait fails.
#include <chrono>
#include <exception>
#include <utility>

#include "core/base/polling.hpp"
#include "opencl/driver/error.hpp"
#include "opencl/queue/queue.hpp"

namespace bifold::backend::opencl {

// A blocking transfer enqueues and waits in one, so CL_OUT_OF_RESOURCES may mean that the transfer
// found no room or that earlier work broke the context: such a context answers nothing any more.
void Queue::check_transfer(cl_int code, const char* call) {
  if (code == CL_SUCCESS) {
    transfer_pending_ = false;
    return;
  }
  const WorkEnd end = settle(core::settle_limit);
  if (end != WorkEnd::reached) transfer_pending_ = true;
  const bool broken = code == CL_OUT_OF_RESOURCES && end == WorkEnd::unknown;
  fail(code, call, broken ? Step::wait : Step::enqueue);
}

WorkEnd Queue::settle(std::chrono::nanoseconds limit) noexcept {
  const auto give_up_at = std::chrono::steady_clock::now() + limit;
  cl_int status = CL_QUEUED;
  do {
    // One that is dropped with what it follows says nothing of work further in front.
    cl_event native = nullptr;
    if (clEnqueueMarkerWithWaitList(queue_(), 0, nullptr, &native) != CL_SUCCESS) {
      return WorkEnd::unknown;
    }
    cl::Event marker(native);
    if (clFlush(queue_()) != CL_SUCCESS) return WorkEnd::unknown;
    cl_int code = CL_SUCCESS;
    const bool ended = core::done_within(limit, [&] {
      code = clGetEventInfo(native, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                            nullptr);
      return code != CL_SUCCESS || status <= CL_COMPLETE;
    });
    if (ended && code == CL_SUCCESS) continue;
    try {
      watched_.make_room();
      watched_.add(std::move(marker));
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): it is released then.
    }
    return ended ? WorkEnd::unknown : WorkEnd::ahead;
  } while (status < 0 && std::chrono::steady_clock::now() < give_up_at);
  if (status < 0) return WorkEnd::ahead;
  // A finish has no limit, but nothing to wait for any more.
  return clFinish(queue_()) == CL_SUCCESS ? WorkEnd::reached : WorkEnd::unknown;
}

// After a wait for the whole queue. Waits themselves succeed when work was dropped, so without this
// the host would go on with data that nobody computed.
void Queue::report_dropped_work() {
  watched_.look();
  if (const auto code = watched_.take_failure()) {
    ++losses_told_;
    fail_as(ErrorCategory::backend_failure, *code, "clEnqueueBarrierWithWaitList",
            "an event that the queue waited for had failed, and the work behind it was dropped");
  }
}

}  // namespace bifold::backend::opencl
