#include "opencl/queue/queue.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/format.hpp"
#include "core/element/identity.hpp"
#include "opencl/driver/error.hpp"
#include "opencl/driver/query.hpp"
#include "opencl/driver/svm.hpp"
#include "opencl/queue/event.hpp"
#include "opencl/queue/fill.hpp"

namespace bifold::backend::opencl {

namespace {

cl_mem object_of(const Memory& memory) {
  return reinterpret_cast<cl_mem>(memory.handle);  // NOLINT(performance-no-int-to-ptr)
}

bool is_pointer(const Memory& memory) { return memory.kind == detail::HandleKind::pointer; }

std::byte* pointer_of(const Memory& memory, std::uint64_t offset) {
  return reinterpret_cast<std::byte*>(memory.handle) + offset;  // NOLINT(performance-no-int-to-ptr)
}

cl::CommandQueue make_queue(const cl::Context& context, const cl::Device& device, bool timed) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue_properties properties = timed ? CL_QUEUE_PROFILING_ENABLE : 0;
  cl::CommandQueue queue(context, device, properties, &code);
  check(code, "clCreateCommandQueue");
  return queue;
}

cl_command_queue_properties properties_of(const cl::CommandQueue& queue) {
  cl_command_queue_properties properties = 0;
  check(
      clGetCommandQueueInfo(queue(), CL_QUEUE_PROPERTIES, sizeof properties, &properties, nullptr),
      "clGetCommandQueueInfo");
  return properties;
}

std::uint64_t max_work_items_of(const cl::Device& device) {
  const auto bits = device_value<cl_uint>(device(), CL_DEVICE_ADDRESS_BITS);
  return bits >= 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << bits) - 1;
}

// The bindings' event is the native handle and nothing else, which makes a list of one a list of
// the other.
static_assert(sizeof(cl::Event) == sizeof(cl_event));

const cl_event* natives(const std::vector<cl::Event>& events) {
  return events.empty() ? nullptr : reinterpret_cast<const cl_event*>(events.data());
}

cl_uint count_of(const std::vector<cl::Event>& events) {
  return static_cast<cl_uint>(events.size());
}

// An event that is complete from the beginning.
cl::Event completed_event(const cl::Context& context) {
  cl_int code = CL_SUCCESS;
  cl::Event event(clCreateUserEvent(context(), &code));
  check(code, "clCreateUserEvent", Step::enqueue);
  check(clSetUserEventStatus(event(), CL_COMPLETE), "clSetUserEventStatus", Step::enqueue);
  return event;
}

}  // namespace

Queue::Queue(const cl::Context& context, const cl::Device& device, Timing timing)
    : context_(context),
      queue_(make_queue(context, device, timing == Timing::enabled)),
      id_(core::next_identity()),
      max_work_items_(max_work_items_of(device)),
      adopted_(false),
      timed_(timing == Timing::enabled) {}

// NOLINTNEXTLINE(modernize-pass-by-value): as the constructor above.
Queue::Queue(const cl::Context& context, const cl::Device& device, cl::CommandQueue queue)
    : context_(context),
      queue_(std::move(queue)),
      id_(core::next_identity()),
      max_work_items_(max_work_items_of(device)),
      adopted_(true),
      timed_((properties_of(queue_) & CL_QUEUE_PROFILING_ENABLE) != 0) {
  if ((properties_of(queue_) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) order_.emplace();
}

Queue::~Queue() {
  if (adopted_) return;
  // Releasing a queue flushes it too, but without telling whether that worked.
  const cl_int code = clFlush(queue_());
  if (code != CL_SUCCESS) {
    log_failure(code, "clFlush");
  }
}

void Queue::begin_call(Ordering ordering) {
  if (order_) order_->begin_call(ordering);
}

void Queue::end_call() noexcept {
  if (order_) order_->end_call();
}

void Queue::fence() {
  if (order_) order_->fence();
}

bool Queue::lost_work() {
  if (order_) return order_->has_news();
  watched_.look_if_done();
  return watched_.has_news();
}

// Calls `command` with the wait list and the place for the event that it wants.
template <class Enqueue>
cl_int Queue::enqueue(Enqueue command) {
  // PoCL 3.1 ends the process when a command is dropped that others follow and nobody holds the
  // event of. So whoever may be dropped has one, and it is kept until the end is known.
  if (order_ || !watched_.empty()) watched_.make_room();
  if (!order_) {
    cl_event event = nullptr;
    const cl_int code = command(0, nullptr, watched_.empty() ? nullptr : &event);
    if (event != nullptr) watched_.add(cl::Event(event));
    return code;
  }
  const bool alone = !order_->in_call();
  if (alone) order_->begin_call(Ordering::queue);
  const std::vector<cl::Event>& heads = order_->heads();
  cl_event event = nullptr;
  const cl_int code = command(count_of(heads), natives(heads), &event);
  if (event != nullptr) {
    const cl::Event own(event);
    order_->enqueued(own);
    watched_.add(own);
  }
  if (alone) order_->end_call();
  return code;
}

void Queue::launch(const backend::Kernel& kernel, std::uint64_t groups, std::uint32_t group_size,
                   std::span<const Argument> arguments) {
  const auto* const own = dynamic_cast<const Kernel*>(&kernel);
  if (own == nullptr) {
    refuse(ErrorCategory::invalid_argument, "a kernel of another backend cannot run here");
  }
  if (group_size == 0 || group_size > own->max_group_size()) {
    refuse(ErrorCategory::invalid_argument,
           core::formatted(
               "kernel {} runs in work-groups of 1 to {} work-items on this device, not {}",
               own->entry(), own->max_group_size(), group_size));
  }
  if (groups == 0 || groups > max_work_items_ / group_size) {
    refuse(ErrorCategory::invalid_argument,
           core::formatted("{} work-groups of {}: a launch on this device takes 1 to {} work-items",
                           groups, group_size, max_work_items_));
  }
  auto* const native = kernels_.prepare(*own, arguments);
  const std::size_t local = group_size;
  const std::size_t global = static_cast<std::size_t>(groups) * local;
  const cl_int code = enqueue([&](cl_uint count, const cl_event* list, cl_event* event) {
    return clEnqueueNDRangeKernel(queue_(), native, 1, nullptr, &global, &local, count, list,
                                  event);
  });
  if (code != CL_SUCCESS) {
    fail(code, "clEnqueueNDRangeKernel", Step::enqueue,
         core::formatted("kernel {}, {} work-groups of {}", own->entry(), groups, group_size));
  }
}

void Queue::copy(const Memory& to, std::uint64_t to_offset, const Memory& from,
                 std::uint64_t from_offset, std::uint64_t bytes) {
  if (bytes == 0) {
    return;
  }
  if (is_pointer(to) != is_pointer(from)) {
    refuse(ErrorCategory::unsupported,
           "copies between a buffer object and shared virtual memory are left to the application");
  }
  if (is_pointer(to)) {
    check(enqueue([&](cl_uint count, const cl_event* list, cl_event* event) {
            return clEnqueueSVMMemcpy(queue_(), CL_FALSE, pointer_of(to, to_offset),
                                      pointer_of(from, from_offset), bytes, count, list, event);
          }),
          "clEnqueueSVMMemcpy", Step::enqueue);
    return;
  }
  check(enqueue([&](cl_uint count, const cl_event* list, cl_event* event) {
          return clEnqueueCopyBuffer(queue_(), object_of(from), object_of(to), from_offset,
                                     to_offset, bytes, count, list, event);
        }),
        "clEnqueueCopyBuffer", Step::enqueue);
}

void Queue::fill(const Memory& to, std::uint64_t offset, std::uint64_t bytes,
                 std::span<const std::byte> pattern) {
  if (bytes == 0) {
    return;
  }
  using Pattern = std::span<const std::byte>;
  if (is_pointer(to)) {
    const auto fill_part = [&](std::uint64_t start, std::uint64_t part_bytes, Pattern part) {
      auto* const target = reinterpret_cast<void*>(start);  // NOLINT(performance-no-int-to-ptr)
      check(enqueue([&](cl_uint count, const cl_event* list, cl_event* event) {
              return clEnqueueSVMMemFill(queue_(), target, part.data(), part.size(), part_bytes,
                                         count, list, event);
            }),
            "clEnqueueSVMMemFill", Step::enqueue);
    };
    for_each_fill_part(to.handle + offset, bytes, pattern, fill_part);
    return;
  }
  for_each_fill_part(
      offset, bytes, pattern, [&](std::uint64_t start, std::uint64_t part_bytes, Pattern part) {
        const Place place = place_for_fill(queue_, object_of(to), start, part_bytes, part.size());
        check(enqueue([&](cl_uint count, const cl_event* list, cl_event* event) {
                return clEnqueueFillBuffer(queue_(), place.object(), part.data(), part.size(),
                                           place.offset, part_bytes, count, list, event);
              }),
              "clEnqueueFillBuffer", Step::enqueue);
      });
}

void Queue::upload(const Memory& to, std::uint64_t offset, const void* host, std::uint64_t bytes) {
  if (bytes == 0) {
    return;
  }
  if (is_pointer(to)) {
    check_transfer(enqueue([&](cl_uint count, const cl_event* list, cl_event* event) {
                     return clEnqueueSVMMemcpy(queue_(), CL_TRUE, pointer_of(to, offset), host,
                                               bytes, count, list, event);
                   }),
                   "clEnqueueSVMMemcpy");
  } else {
    check_transfer(enqueue([&](cl_uint count, const cl_event* list, cl_event* event) {
                     return clEnqueueWriteBuffer(queue_(), object_of(to), CL_TRUE, offset, bytes,
                                                 host, count, list, event);
                   }),
                   "clEnqueueWriteBuffer");
  }
  report_dropped_work();
}

void Queue::download(void* host, const Memory& from, std::uint64_t offset, std::uint64_t bytes) {
  if (bytes == 0) {
    return;
  }
  if (is_pointer(from)) {
    check_transfer(enqueue([&](cl_uint count, const cl_event* list, cl_event* event) {
                     return clEnqueueSVMMemcpy(queue_(), CL_TRUE, host, pointer_of(from, offset),
                                               bytes, count, list, event);
                   }),
                   "clEnqueueSVMMemcpy");
  } else {
    check_transfer(enqueue([&](cl_uint count, const cl_event* list, cl_event* event) {
                     return clEnqueueReadBuffer(queue_(), object_of(from), CL_TRUE, offset, bytes,
                                                host, count, list, event);
                   }),
                   "clEnqueueReadBuffer");
  }
  report_dropped_work();
}

// Behind everything in the queue, the application's commands included.
cl::Event Queue::enqueue_marker() {
  cl_event event = nullptr;
  check(clEnqueueMarkerWithWaitList(queue_(), 0, nullptr, &event), "clEnqueueMarkerWithWaitList",
        Step::enqueue);
  return cl::Event(event);
}

std::unique_ptr<backend::Event> Queue::record() {
  const auto event_of = [this](cl::Event event) {
    return std::make_unique<Event>(std::move(event), context_(), id_, timed_,
                                   adopted_ ? queue_ : cl::CommandQueue(),
                                   !adopted_ && !behind_others_);
  };
  if (order_ && order_->in_call()) {
    if (order_->heads().empty()) return event_of(completed_event(context_));
    if (order_->heads().size() > 1) {
      check(enqueue([&](cl_uint count, const cl_event* list, cl_event* event) {
              return clEnqueueMarkerWithWaitList(queue_(), count, list, event);
            }),
            "clEnqueueMarkerWithWaitList", Step::enqueue);
    }
    return event_of(order_->heads().front());
  }
  const bool watches = order_ || !watched_.empty();
  if (watches) watched_.make_room();
  const cl::Event event = enqueue_marker();
  if (watches) watched_.add(event);
  auto result = event_of(event);
  if (adopted_) return result;
  // Only a flushed queue is promised to run. Whoever polls the event, or has another queue wait for
  // it, knows the event alone and could not flush this queue: without this they may wait for ever.
  check(clFlush(queue_()), "clFlush", Step::enqueue);
  return result;
}

void Queue::finish(TimeLimit limit) {
  if (limit) {
    const auto event = record();
    try {
      event->wait(limit);
    } catch (const Error& failure) {
      if (failure.category() != ErrorCategory::timeout) {
        watched_.forget();  // Told once is enough.
        ++losses_told_;
      }
      throw;
    }
  } else {
    check(clFinish(queue_()), "clFinish", Step::wait);
  }
  report_dropped_work();
}

void Queue::check_wait(std::span<const backend::Event* const> events) const {
  for (const backend::Event* const event : events) {
    const auto* const own = dynamic_cast<const Event*>(event);
    if (own == nullptr) {
      refuse(ErrorCategory::invalid_argument, "an OpenCL queue waits for OpenCL events only");
    }
    if (own->context() != context_()) {
      refuse(ErrorCategory::invalid_argument,
             "a queue cannot wait for an event of another context; wait for it on the host");
    }
    // PoCL 3.1 waits for ever when an event has failed before it is waited for.
    static_cast<void>(own->complete());
  }
}

void Queue::wait(std::span<const backend::Event* const> events) {
  check_wait(events);
  std::vector<cl::Event> list;
  list.reserve(events.size());
  for (const backend::Event* const event : events) {
    const auto* const own = static_cast<const Event*>(event);
    list.push_back(own->native());
    behind_others_ = behind_others_ || !own->tells_of_device();
  }
  if (list.empty()) {
    return;
  }
  if (order_) {
    if (!order_->in_call()) {
      watched_.make_room(list.size());
      order_->wait(list);
      for (cl::Event& event : list) watched_.add(std::move(event));
    } else {
      order_->wait(list);
    }
    return;
  }
  // The barrier's event tells later whether the work behind it was dropped because an event of the
  // list had failed.
  watched_.look_if_done();
  watched_.make_room();
  cl_event barrier = nullptr;
  check(clEnqueueBarrierWithWaitList(queue_(), count_of(list), natives(list), &barrier),
        "clEnqueueBarrierWithWaitList", Step::enqueue);
  watched_.add(cl::Event(barrier));
}

}  // namespace bifold::backend::opencl
