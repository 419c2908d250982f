#include "opencl/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "opencl/error.hpp"
#include "opencl/event.hpp"
#include "opencl/query.hpp"

namespace bifold::backend::opencl {

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

cl_mem object_of(const Memory& memory) {
  return reinterpret_cast<cl_mem>(memory.handle);  // NOLINT(performance-no-int-to-ptr)
}

cl::CommandQueue make_queue(const cl::Context& context, const cl::Device& device, bool timed) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue_properties properties = timed ? CL_QUEUE_PROFILING_ENABLE : 0;
  cl::CommandQueue queue(context, device, properties, &code);
  check(code, "clCreateCommandQueue");
  return queue;
}

// CL_QUEUED where an event does not answer: it is then kept, which is the safe side.
cl_int status_of(const cl::Event& event) {
  cl_int status = CL_QUEUED;
  const cl_int code =
      clGetEventInfo(event(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
  return code == CL_SUCCESS ? status : CL_QUEUED;
}

std::uint64_t max_work_items_of(const cl::Device& device) {
  const auto bits = device_value<cl_uint>(device(), CL_DEVICE_ADDRESS_BITS);
  return bits >= 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << bits) - 1;
}

}  // namespace

Queue::Queue(const cl::Context& context, const cl::Device& device, Timing timing)
    : context_(context),
      queue_(make_queue(context, device, timing == Timing::enabled)),
      id_(next_id()),
      max_work_items_(max_work_items_of(device)),
      timed_(timing == Timing::enabled) {}

Queue::~Queue() {
  // Releasing a queue flushes it too, but without telling whether that worked.
  const cl_int code = clFlush(queue_());
  if (code != CL_SUCCESS) {
    log_failure(code, "clFlush");
  }
}

void Queue::launch(const backend::Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
                   std::span<const Argument> arguments) {
  const auto* const own = dynamic_cast<const Kernel*>(&kernel);
  if (own == nullptr) {
    refuse(ErrorCategory::invalid_argument, "a kernel of another backend cannot run here");
  }
  if (group_size == 0 || group_size > own->max_group_size()) {
    refuse(ErrorCategory::invalid_argument,
           fmt::format("kernel {} runs in work-groups of 1 to {} work-items on this device, not {}",
                       own->entry(), own->max_group_size(), group_size));
  }
  if (groups > max_work_items_ / group_size) {
    refuse(ErrorCategory::invalid_argument,
           fmt::format("{} work-groups of {} are more work-items than the device counts", groups,
                       group_size));
  }
  if (groups == 0) {
    return;
  }
  auto* const native = kernels_.prepare(*own, arguments);
  const std::size_t local = group_size;
  const std::size_t global = static_cast<std::size_t>(groups) * local;
  const cl_int code =
      clEnqueueNDRangeKernel(queue_(), native, 1, nullptr, &global, &local, 0, nullptr, nullptr);
  if (code != CL_SUCCESS) {
    fail(code, "clEnqueueNDRangeKernel", Step::enqueue,
         fmt::format("kernel {}, {} work-groups of {}", own->entry(), groups, group_size));
  }
}

void Queue::copy(const Memory& to, std::uint64_t to_offset, const Memory& from,
                 std::uint64_t from_offset, std::uint64_t bytes) {
  if (bytes == 0) {
    return;
  }
  check(clEnqueueCopyBuffer(queue_(), object_of(from), object_of(to), from_offset, to_offset, bytes,
                            0, nullptr, nullptr),
        "clEnqueueCopyBuffer", Step::enqueue);
}

void Queue::fill(const Memory& to, std::uint64_t offset, std::uint64_t bytes,
                 std::span<const std::byte> pattern) {
  if (bytes == 0) {
    return;
  }
  check(clEnqueueFillBuffer(queue_(), object_of(to), pattern.data(), pattern.size(), offset, bytes,
                            0, nullptr, nullptr),
        "clEnqueueFillBuffer", Step::enqueue);
}

void Queue::upload(const Memory& to, std::uint64_t offset, const void* host, std::uint64_t bytes) {
  if (bytes == 0) {
    return;
  }
  check_transfer(clEnqueueWriteBuffer(queue_(), object_of(to), CL_TRUE, offset, bytes, host, 0,
                                      nullptr, nullptr),
                 "clEnqueueWriteBuffer");
  report_dropped_work();
}

void Queue::download(void* host, const Memory& from, std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) {
    return;
  }
  check_transfer(clEnqueueReadBuffer(queue_(), object_of(from), CL_TRUE, offset, bytes, host, 0,
                                     nullptr, nullptr),
                 "clEnqueueReadBuffer");
  report_dropped_work();
}

// A blocking transfer enqueues and waits in one, so CL_OUT_OF_RESOURCES may mean that the transfer
// found no room or that earlier work broke the context. A finish tells them apart: it needs no
// resources, and fails on a broken context only.
void Queue::check_transfer(cl_int code, const char* call) const {
  if (code == CL_SUCCESS) {
    return;
  }
  const bool broken = code == CL_OUT_OF_RESOURCES && clFinish(queue_()) != CL_SUCCESS;
  fail(code, call, broken ? Step::wait : Step::enqueue);
}

std::unique_ptr<backend::Event> Queue::record() {
  cl_event event = nullptr;
  check(clEnqueueMarkerWithWaitList(queue_(), 0, nullptr, &event), "clEnqueueMarkerWithWaitList",
        Step::enqueue);
  auto result = std::make_unique<Event>(cl::Event(event), context_(), id_, timed_);
  // Only a flushed queue is promised to run. Whoever polls the event, or has another queue wait for
  // it, knows the event alone and could not flush this queue: without this they may wait for ever.
  check(clFlush(queue_()), "clFlush", Step::enqueue);
  return result;
}

void Queue::wait(std::span<const backend::Event* const> events) {
  std::vector<cl_event> list;
  list.reserve(events.size());
  for (const backend::Event* const event : events) {
    const auto* const own = dynamic_cast<const Event*>(event);
    if (own == nullptr) {
      refuse(ErrorCategory::invalid_argument, "an OpenCL queue waits for OpenCL events only");
    }
    if (own->context() != context_()) {
      refuse(ErrorCategory::invalid_argument,
             "a queue cannot wait for an event of another context; wait for it on the host");
    }
    list.push_back(own->handle());
  }
  if (list.empty()) {
    return;
  }
  // The barrier's event tells later whether the work behind it was dropped because an event of the
  // list had failed. PoCL 3.1 even ends the process when nobody holds it then.
  drop_done_barriers();
  barriers_.reserve(barriers_.size() + 1);
  cl_event barrier = nullptr;
  check(clEnqueueBarrierWithWaitList(queue_(), static_cast<cl_uint>(list.size()), list.data(),
                                     &barrier),
        "clEnqueueBarrierWithWaitList", Step::enqueue);
  barriers_.emplace_back(barrier);
}

void Queue::finish(TimeLimit limit) {
  if (limit) {
    const auto event = record();
    try {
      event->wait(limit);
    } catch (const Error& failure) {
      if (failure.category() != ErrorCategory::timeout) {
        barriers_.clear();  // Told once is enough.
      }
      throw;
    }
  } else {
    check(clFinish(queue_()), "clFinish", Step::wait);
  }
  report_dropped_work();
}

void Queue::drop_done_barriers() {
  std::erase_if(barriers_, [](const cl::Event& event) { return status_of(event) == CL_COMPLETE; });
}

// After a wait for the whole queue. Waits themselves succeed when work was dropped, so without this
// the host would go on with data that nobody computed.
void Queue::report_dropped_work() {
  if (barriers_.empty()) {
    return;
  }
  drop_done_barriers();
  const auto failed = std::find_if(barriers_.begin(), barriers_.end(),
                                   [](const cl::Event& event) { return status_of(event) < 0; });
  if (failed != barriers_.end()) {
    const cl_int code = status_of(*failed);
    barriers_.clear();
    fail(code, "clEnqueueBarrierWithWaitList", Step::wait,
         "an event that the queue waited for had failed, and the work behind it was dropped");
  }
}

}  // namespace bifold::backend::opencl
