// An OpenCL application as the tests of bifold inside one play it: its own context, queues, memory
// and events, and the counts of references to them.
#pragma once

#include <CL/cl.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <bifold/bifold.hpp>
#include <bifold/interop/opencl.hpp>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "opencl_layer/loaded_layer.hpp"
#include "support/errors.hpp"

namespace bifold::test::interop_opencl {

namespace native = bifold::interop::opencl;
using namespace std::chrono_literals;

inline void succeed(cl_int code) { REQUIRE(code == CL_SUCCESS); }

inline std::string name_of(cl_device_id device) {
  std::string name(256, '\0');
  succeed(clGetDeviceInfo(device, CL_DEVICE_NAME, name.size(), name.data(), nullptr));
  return name;
}

/// The devices of the first platform that has any.
inline std::vector<cl_device_id> all_devices() {
  cl_uint platforms = 0;
  succeed(clGetPlatformIDs(0, nullptr, &platforms));
  std::vector<cl_platform_id> list(platforms);
  succeed(clGetPlatformIDs(platforms, list.data(), nullptr));
  for (auto* const platform : list) {
    cl_uint count = 0;
    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) continue;
    std::vector<cl_device_id> devices(count);
    succeed(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr));
    if (!devices.empty()) return devices;
  }
  throw std::runtime_error("no OpenCL device to test with");
}

/// The first device that completes user events; PoCL's "basic" one deadlocks when they are set.
inline cl_device_id main_device() {
  for (auto* const device : all_devices()) {
    if (!name_of(device).starts_with("basic")) return device;
  }
  throw std::runtime_error("no OpenCL device to test with");
}

inline bool is_pocl() {
  cl_platform_id platform = nullptr;
  // NOLINTNEXTLINE(bugprone-sizeof-expression): a pointer is what a handle is.
  succeed(clGetDeviceInfo(main_device(), CL_DEVICE_PLATFORM, sizeof platform, &platform, nullptr));
  std::string name(256, '\0');
  succeed(clGetPlatformInfo(platform, CL_PLATFORM_NAME, name.size(), name.data(), nullptr));
  return name.starts_with("Portable Computing Language");
}

inline cl_uint references(cl_context context) {
  cl_uint count = 0;
  succeed(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, nullptr));
  return count;
}
inline cl_uint references(cl_command_queue queue) {
  cl_uint count = 0;
  succeed(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, nullptr));
  return count;
}
inline cl_uint references(cl_mem memory) {
  cl_uint count = 0;
  succeed(clGetMemObjectInfo(memory, CL_MEM_REFERENCE_COUNT, sizeof count, &count, nullptr));
  return count;
}
inline cl_uint references(cl_event event) {
  cl_uint count = 0;
  succeed(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, nullptr));
  return count;
}

/// The count once it rests: a driver lets go of finished work a little later. On a busy machine
/// that may be later still: then the count is too high.
template <class Handle>
cl_uint settled_references(const Handle& handle) {
  for (cl_uint last = references(handle);;) {
    std::this_thread::sleep_for(50ms);
    const cl_uint now = references(handle);
    if (now == last) return now;
    last = now;
  }
}

/// Whether the count falls to that number and no further, for however long that takes.
template <class Handle>
bool falls_to(const Handle& handle, cl_uint expected) {
  for (unsigned asked = 0; references(handle) > expected; ++asked) {
    if (asked == 10'000) {
      std::cerr << references(handle) << " references, to fall to " << expected << '\n';
    }
    std::this_thread::sleep_for(1ms);
  }
  return references(handle) == expected;
}

/// Waits until the count has fallen to one that settled_references() gave, or further.
template <class Handle>
void await_fall_to(const Handle& handle, cl_uint settled) {
  static_cast<void>(falls_to(handle, settled));
}

inline cl_int status_of(cl_event event) {
  cl_int status = CL_QUEUED;
  succeed(
      clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
  return status;
}

/// Released with this object.
template <class Handle, cl_int (*Release)(Handle)>
class Owned {
 public:
  explicit Owned(Handle handle = nullptr) : handle_(handle) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&&) = delete;
  ~Owned() {
    if (handle_ != nullptr) Release(handle_);
  }
  operator Handle() const { return handle_; }  // NOLINT(google-explicit-constructor)

 private:
  Handle handle_;
};
using OwnedContext = Owned<cl_context, clReleaseContext>;
using OwnedQueue = Owned<cl_command_queue, clReleaseCommandQueue>;
using OwnedMemory = Owned<cl_mem, clReleaseMemObject>;
using OwnedEvent = Owned<cl_event, clReleaseEvent>;

inline OwnedContext make_context(const std::vector<cl_device_id>& devices) {
  cl_int code = CL_SUCCESS;
  OwnedContext context(clCreateContext(nullptr, static_cast<cl_uint>(devices.size()),
                                       devices.data(), nullptr, nullptr, &code));
  succeed(code);
  return context;
}

inline OwnedQueue make_queue(cl_context context, cl_device_id device,
                             cl_command_queue_properties properties = 0) {
  cl_int code = CL_SUCCESS;
  OwnedQueue queue(clCreateCommandQueue(context, device, properties, &code));
  succeed(code);
  return queue;
}

inline OwnedMemory make_buffer(cl_context context, std::size_t bytes,
                               cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr) {
  cl_int code = CL_SUCCESS;
  OwnedMemory memory(clCreateBuffer(context, flags, bytes, host, &code));
  succeed(code);
  return memory;
}

inline OwnedMemory make_sub_buffer(cl_mem parent, std::size_t origin, std::size_t bytes) {
  const cl_buffer_region region{origin, bytes};
  cl_int code = CL_SUCCESS;
  OwnedMemory memory(clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code));
  succeed(code);
  return memory;
}

/// A user event that ends well, if nobody has set it: commands that wait for ever end no queue.
class Gate {
 public:
  explicit Gate(cl_context context) : event_(make(context)) {}
  ~Gate() { set(CL_COMPLETE); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  void set(cl_int status) {
    if (!std::exchange(set_, true)) CHECK(clSetUserEventStatus(event_, status) == CL_SUCCESS);
  }
  [[nodiscard]] cl_event get() const { return event_; }
  [[nodiscard]] Event adopted() const { return native::event(event_); }

 private:
  static cl_event make(cl_context context) {
    cl_int code = CL_SUCCESS;
    auto* const event = clCreateUserEvent(context, &code);
    succeed(code);
    return event;
  }
  OwnedEvent event_;
  bool set_ = false;
};

/// Whether a command may pass an earlier one that waits, in an out-of-order queue. It is allowed,
/// but no driver has to let it; NVIDIA's does not.
inline bool overtakes(cl_context context, cl_device_id device) {
  const OwnedQueue queue = make_queue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  const OwnedMemory waiting = make_buffer(context, 64);
  const OwnedMemory free = make_buffer(context, 64);
  Gate gate(context);
  auto* const gated = gate.get();
  const std::uint32_t value = 5;
  cl_event event = nullptr;
  succeed(clEnqueueFillBuffer(queue, waiting, &value, sizeof value, 0, 64, 1, &gated, nullptr));
  succeed(clEnqueueFillBuffer(queue, free, &value, sizeof value, 0, 64, 0, nullptr, &event));
  const OwnedEvent done(event);
  succeed(clFlush(queue));
  const auto deadline = std::chrono::steady_clock::now() + 3s;
  while (status_of(done) != CL_COMPLETE && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(1ms);
  }
  const bool passed = status_of(done) == CL_COMPLETE;
  gate.set(CL_COMPLETE);
  succeed(clFinish(queue));
  return passed;
}

inline constexpr std::uint32_t count = 10'000;
inline constexpr std::size_t bytes = count * sizeof(std::uint32_t);

/// Ones, and what an exclusive scan makes of them.
inline std::vector<std::uint32_t> ones() {
  std::vector<std::uint32_t> values(count, 1);
  return values;
}
inline std::vector<std::uint32_t> ramp() {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 0U);
  return values;
}

/// A context with a queue and two buffers, the first of ones.
struct Application {
  explicit Application(cl_command_queue_properties properties = 0)
      : queue(make_queue(context, device, properties)) {
    write(input, ones());
    write(output, std::vector<std::uint32_t>(count, 77));
  }

  void write(cl_mem memory, const std::vector<std::uint32_t>& values) const {
    succeed(clEnqueueWriteBuffer(own_queue, memory, CL_TRUE, 0,
                                 values.size() * sizeof(std::uint32_t), values.data(), 0, nullptr,
                                 nullptr));
  }
  [[nodiscard]] std::vector<std::uint32_t> read(cl_mem memory) const {
    std::vector<std::uint32_t> values(count);
    succeed(clEnqueueReadBuffer(own_queue, memory, CL_TRUE, 0, bytes, values.data(), 0, nullptr,
                                nullptr));
    return values;
  }
  /// The application's own commands in the queue that is adopted, on both buffers.
  void use() const {
    const std::uint32_t one = 1;
    for (cl_mem memory : {cl_mem{input}, cl_mem{output}}) {
      succeed(clEnqueueFillBuffer(queue, memory, &one, sizeof one, 0, bytes, 0, nullptr, nullptr));
    }
    succeed(clFinish(queue));
  }
  [[nodiscard]] View<const std::uint32_t> in() const {
    return native::view<const std::uint32_t>(input, count);
  }
  [[nodiscard]] View<std::uint32_t> out() const {
    return native::view<std::uint32_t>(output, count);
  }

  cl_device_id device = main_device();
  OwnedContext context = make_context({device});
  OwnedQueue queue;  // The one that is adopted.
  OwnedQueue own_queue = make_queue(context, device);
  OwnedMemory input = make_buffer(context, bytes);
  OwnedMemory output = make_buffer(context, bytes);
};

inline constexpr cl_command_queue_properties out_of_order = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
inline constexpr cl_command_queue_properties profiling = CL_QUEUE_PROFILING_ENABLE;

/// `body` is refused with that category and those words.
template <class Body>
void refused(ErrorCategory category, const char* words, Body&& body) {
  const Failure failure = failure_of(body);
  INFO(failure.what);
  CHECK(failure.category == category);
  CHECK(failure.mentions(words));
}

}  // namespace bifold::test::interop_opencl
