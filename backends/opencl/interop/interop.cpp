// First, as it configures what the public header includes.
#include "opencl/driver/clhpp.hpp"
//
#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/interop/opencl.hpp>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/format.hpp"
#include "core/device/state.hpp"
#include "core/element/identity.hpp"
#include "core/opening/open_state.hpp"
#include "opencl/device/capabilities.hpp"
#include "opencl/device/device.hpp"
#include "opencl/driver/error.hpp"
#include "opencl/driver/query.hpp"
#include "opencl/driver/svm.hpp"
#include "opencl/queue/event.hpp"
#include "opencl/queue/queue.hpp"

namespace bifold::interop::opencl {

namespace {

namespace backend = bifold::backend::opencl;

// Numeric names of what came with OpenCL 2.0.
constexpr cl_mem_object_type pipe_object = 0x10F7;
constexpr cl_command_queue_properties on_device = 1U << 2U;

[[noreturn]] void refuse(const std::string& why) {
  backend::refuse(ErrorCategory::invalid_argument, why);
}

// A handle that the driver does not accept is the caller's mistake, whatever the driver calls it.
void check_handle(cl_int code, const char* call, const char* what) {
  if (code == CL_SUCCESS) return;
  throw Error(
      ErrorCategory::invalid_argument,
      core::formatted("opencl: the driver does not take the handle for {}: {} answers {} ({})",
                      what, call, backend::code_name(code), code),
      {.backend = "opencl",
       .call = call,
       .native_code = code,
       .native_name = std::string(backend::code_name(code)),
       .log = {},
       .source = {}});
}

// One fact of a handle, by the query function of its kind.
template <class T, class Function, class Handle>
T ask(Function query, Handle handle, cl_uint fact, const char* call, const char* what) {
  T value{};
  // NOLINTNEXTLINE(bugprone-sizeof-expression): some facts are handles, and a handle is meant.
  check_handle(query(handle, fact, sizeof value, &value, nullptr), call, what);
  return value;
}

template <class T>
T ask(cl_mem memory, cl_mem_info fact) {
  return ask<T>(clGetMemObjectInfo, memory, fact, "clGetMemObjectInfo", "a buffer");
}

template <class T>
T ask(cl_command_queue queue, cl_command_queue_info fact) {
  return ask<T>(clGetCommandQueueInfo, queue, fact, "clGetCommandQueueInfo", "a queue");
}

template <class T>
T ask(cl_event event, cl_event_info fact) {
  return ask<T>(clGetEventInfo, event, fact, "clGetEventInfo", "an event");
}

std::vector<cl_device_id> devices_of(cl_context context) {
  std::size_t bytes = 0;
  check_handle(clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, nullptr, &bytes),
               "clGetContextInfo", "a context");
  std::vector<cl_device_id> devices(bytes / sizeof(cl_device_id));
  check_handle(clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes,
                                static_cast<void*>(devices.data()), nullptr),
               "clGetContextInfo", "a context");
  return devices;
}

// Whether the context has the device, or the one that it is a part of: PoCL lists that one.
bool has_device(cl_context context, cl_device_id device) {
  const std::vector<cl_device_id> devices = devices_of(context);
  for (auto* one = device; one != nullptr;
       one = backend::device_value_or<cl_device_id>(one, CL_DEVICE_PARENT_DEVICE, nullptr)) {
    if (std::find(devices.begin(), devices.end(), one) != devices.end()) return true;
  }
  return false;
}

const backend::Device& opencl_device(const Device& device) {
  const auto* const own = dynamic_cast<const backend::Device*>(
      device.state() ? device.state()->backend.get() : nullptr);
  if (own == nullptr) refuse("the bifold device is not one of the OpenCL backend");
  return *own;
}

// Where the bytes of an object lie: in memory of the host, or a sub-buffer's in its parent.
void find_origin(cl_mem object, cl_mem_flags flags, bifold::detail::Memory& memory) {
  cl_mem_flags inherited = 0;
  cl_mem parent = nullptr;
  if ((flags & CL_MEM_USE_HOST_PTR) == 0) {
    parent = ask<cl_mem>(object, CL_MEM_ASSOCIATED_MEMOBJECT);
    if (parent != nullptr) inherited = ask<cl_mem_flags>(parent, CL_MEM_FLAGS);
  }
  if (((flags | inherited) & CL_MEM_USE_HOST_PTR) != 0) {
    // Of a sub-buffer this is its own place.
    memory.origin = bifold::detail::address_space;
    memory.origin_offset = reinterpret_cast<std::uintptr_t>(ask<void*>(object, CL_MEM_HOST_PTR));
  } else if (parent != nullptr) {
    memory.origin = reinterpret_cast<std::uintptr_t>(parent);
    memory.origin_offset = ask<std::size_t>(object, CL_MEM_OFFSET);
  }
}

}  // namespace

namespace detail {

bifold::detail::Memory memory_of(cl_mem memory) try {
  core::enter_drivers();
  if (memory == nullptr) refuse("the memory object is null");
  const auto type = ask<cl_mem_object_type>(memory, CL_MEM_TYPE);
  if (type != CL_MEM_OBJECT_BUFFER) {
    refuse(core::formatted("a view wants a buffer object, not {}",
                           type == pipe_object ? "a pipe" : "an image"));
  }
  const auto flags = ask<cl_mem_flags>(memory, CL_MEM_FLAGS);
  bifold::detail::Memory result;
  result.handle = reinterpret_cast<std::uintptr_t>(memory);
  result.bytes = ask<std::size_t>(memory, CL_MEM_SIZE);
  result.context = ask<cl_context>(memory, CL_MEM_CONTEXT);
  result.readable = (flags & CL_MEM_WRITE_ONLY) == 0;
  result.writable = (flags & CL_MEM_READ_ONLY) == 0;
  find_origin(memory, flags, result);
  return result;
} catch (...) {
  bifold::detail::rethrow();
}

bifold::detail::Memory memory_of(const Device& device, const void* pointer,
                                 std::uint64_t bytes) try {
  const backend::Device& own = opencl_device(device);
  const auto svm =
      backend::device_value_or<cl_bitfield>(own.native()(), backend::device_svm_capabilities, 0);
  if (svm == 0 || !backend::loader_has_svm()) {
    backend::refuse(ErrorCategory::unsupported, "the device has no shared virtual memory");
  }
  if (pointer == nullptr && bytes != 0) refuse("the pointer to shared virtual memory is null");
  bifold::detail::Memory result;
  result.handle = reinterpret_cast<std::uintptr_t>(pointer);
  result.bytes = bytes;
  result.context = own.context();
  result.kind = bifold::detail::HandleKind::pointer;
  return result;
} catch (...) {
  bifold::detail::rethrow();
}

std::uint64_t bytes_of(std::uint64_t count, std::size_t element_size) try {
  if (count > std::numeric_limits<std::uint64_t>::max() / element_size) {
    refuse(core::formatted("{} elements exceed any address space", count));
  }
  return count * element_size;
} catch (...) {
  bifold::detail::rethrow();
}

}  // namespace detail

Device device(cl_context context, cl_device_id device, const DeviceOptions& options) try {
  core::enter_drivers();
  if (context == nullptr) refuse("the context is null");
  if (device == nullptr) refuse("the device is null");
  if (!has_device(context, device)) refuse("the device is not one of the context's");
  DeviceInfo info = backend::describe(device, "opencl:adopted", adopted_index);
  auto own =
      std::make_shared<backend::Device>(cl::Context(context, true), cl::Device(device, true));
  return Device(core::open_state(std::move(info), std::move(own), options));
} catch (...) {
  bifold::detail::rethrow();
}

Queue queue(cl_command_queue queue, const Device& device) try {
  if (queue == nullptr) refuse("the queue is null");
  const backend::Device& own = opencl_device(device);
  if (ask<cl_context>(queue, CL_QUEUE_CONTEXT) != own.native_context()()) {
    refuse("the queue is of another context than the bifold device");
  }
  if (ask<cl_device_id>(queue, CL_QUEUE_DEVICE) != own.native()()) {
    refuse("the queue is of another device of the context than the bifold device");
  }
  if ((ask<cl_command_queue_properties>(queue, CL_QUEUE_PROPERTIES) & on_device) != 0) {
    refuse("the queue lives on the device and takes no commands of the host");
  }
  return Queue(core::make_state<bifold::detail::QueueState>(
      device, std::make_unique<backend::Queue>(own.native_context(), own.native(),
                                               cl::CommandQueue(queue, true))));
} catch (...) {
  bifold::detail::rethrow();
}

Event event(cl_event event) try {
  core::enter_drivers();
  if (event == nullptr) refuse("the event is null");
  auto* const context = ask<cl_context>(event, CL_EVENT_CONTEXT);
  // Null for a user event, which nobody has to flush.
  auto* const queue = ask<cl_command_queue>(event, CL_EVENT_COMMAND_QUEUE);
  cl::CommandQueue unflushed;
  if (queue != nullptr) unflushed = cl::CommandQueue(queue, true);
  auto state = core::make_state<bifold::detail::EventState>();
  // Times are compared within one bifold queue; this event is of none.
  state->event = std::make_unique<backend::Event>(
      cl::Event(event, true), context, core::next_identity(), false, std::move(unflushed));
  return Event(std::move(state));
} catch (...) {
  bifold::detail::rethrow();
}

cl_event native_event(const Event& event) try {
  core::refuse_forked();
  const auto* const own =
      dynamic_cast<const backend::Event*>(event.state() ? event.state()->event.get() : nullptr);
  if (own == nullptr) refuse("the event is empty or of another backend than OpenCL");
  auto* const native = own->native()();
  backend::check(clRetainEvent(native), "clRetainEvent");
  return native;
} catch (...) {
  bifold::detail::rethrow();
}

}  // namespace bifold::interop::opencl
