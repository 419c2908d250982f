#include <array>
#include <bifold/error.hpp>
#include <bifold/interop/cuda.hpp>
#include <string>
#include <utility>

#include "core/device/state.hpp"
#include "core/opening/open_state.hpp"
#include "cuda/device/capabilities.hpp"
#include "cuda/device/device.hpp"
#include "cuda/queue/event.hpp"
#include "cuda/queue/queue.hpp"

namespace bifold::interop::cuda {

namespace native_backend = backend::cuda;
using native_backend::driver;
using native_backend::initialised_driver;
using native_backend::raise_invalid_argument;

namespace {

/// What the driver tells of an address; zeros where it knows nothing.
struct Known {
  CUcontext context = nullptr;  // Null too for memory of a pool, which belongs to a device.
  unsigned type = 0;
  unsigned managed = 0;
  CUdeviceptr start = 0;
  std::size_t bytes = 0;
};

/// False where the driver cannot tell at all.
bool look_up(CUdeviceptr address, Known& known) {
  std::array attributes{CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                        CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                        CU_POINTER_ATTRIBUTE_RANGE_SIZE};
  std::array<void*, attributes.size()> values{&known.context, &known.type, &known.managed,
                                              &known.start, &known.bytes};
  return initialised_driver().cuPointerGetAttributes(static_cast<unsigned>(attributes.size()),
                                                     attributes.data(), values.data(),
                                                     address) == CUDA_SUCCESS;
}

/// Page-locked memory is reached from kernels under its own address, with exceptions.
void check_host_memory(CUdeviceptr address) {
  CUdeviceptr reached = address;
  const CUresult result =
      driver().cuPointerGetAttribute(&reached, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address);
  if (result == CUDA_SUCCESS && reached != address) {
    raise_invalid_argument(
        "kernels reach this page-locked memory under another address: cuMemHostGetDevicePointer");
  }
}

}  // namespace

bifold::detail::Memory detail::describe(CUdeviceptr address, std::uint64_t bytes) try {
  if (bytes == 0) return {static_cast<std::uintptr_t>(address), 0, nullptr};
  if (address == 0) raise_invalid_argument("a view of the null address");
  Known known;
  if (!look_up(address, known)) return {static_cast<std::uintptr_t>(address), bytes, nullptr};
  if (known.type == 0 && known.managed == 0) {
    raise_invalid_argument(
        "the address is none of the CUDA driver's: host memory has to be page-locked "
        "(cuMemHostRegister) or managed");
  }
  if (known.type == CU_MEMORYTYPE_HOST && known.managed == 0) check_host_memory(address);
  if (known.bytes > 0 && bytes > known.start + known.bytes - address) {
    raise_invalid_argument("a view of " + std::to_string(bytes) + " bytes of an allocation that " +
                           "has " + std::to_string(known.start + known.bytes - address) +
                           " from there on");
  }
  // Page-locked and managed memory is every context's.
  const bool bound = known.type == CU_MEMORYTYPE_DEVICE && known.managed == 0;
  return {static_cast<std::uintptr_t>(address), bytes, bound ? known.context : nullptr};
} catch (...) {
  bifold::detail::rethrow();
}

Device device(CUcontext context, const DeviceOptions& options) try {
  initialised_driver();
  auto adopted = std::make_shared<native_backend::Device>(context);
  DeviceInfo info = native_backend::read_info(adopted->index());
  return Device(core::open_state(std::move(info), std::move(adopted), options));
} catch (...) {
  bifold::detail::rethrow();
}

Device current_device(const DeviceOptions& options) try {
  CUcontext context = nullptr;
  native_backend::check(initialised_driver().cuCtxGetCurrent(&context), "cuCtxGetCurrent");
  if (context == nullptr) raise_invalid_argument("no context is current on this thread");
  return device(context, options);
} catch (...) {
  bifold::detail::rethrow();
}

Queue detail::adopt(CUstream stream, const Device& device, const QueueOptions& options) try {
  const auto* own = dynamic_cast<const native_backend::Device*>(device.state()->backend.get());
  if (own == nullptr) raise_invalid_argument("a CUDA stream needs a device of the CUDA backend");
  return Queue(
      core::make_state<bifold::detail::QueueState>(device, own->adopt(stream, options.timing)));
} catch (...) {
  bifold::detail::rethrow();
}

std::uint32_t device_index(CUdeviceptr memory) try {
  int ordinal = 0;
  const CUresult result = initialised_driver().cuPointerGetAttribute(
      &ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory);
  // Of some kinds of memory the driver answers with a number that is no device's.
  if (result != CUDA_SUCCESS || ordinal < 0) {
    raise_invalid_argument("the CUDA driver knows no device that has this address");
  }
  return static_cast<std::uint32_t>(ordinal);
} catch (...) {
  bifold::detail::rethrow();
}

Event event(CUevent event) try {
  core::enter_drivers();
  if (event == nullptr) raise_invalid_argument("there is no event");
  auto state = core::make_state<bifold::detail::EventState>();
  state->event = std::make_unique<native_backend::Event>(event);
  return Event(std::move(state));
} catch (...) {
  bifold::detail::rethrow();
}

CUevent native_event(const Event& event) try {
  const auto* own = event.state()
                        ? dynamic_cast<const native_backend::Event*>(event.state()->event.get())
                        : nullptr;
  if (own == nullptr) raise_invalid_argument("the event is empty, or none of the CUDA backend");
  return own->get();
} catch (...) {
  bifold::detail::rethrow();
}

CUstream native_stream(const Queue& queue) try {
  const auto* own = dynamic_cast<const native_backend::Queue*>(queue.state().backend.get());
  if (own == nullptr) raise_invalid_argument("the queue is none of the CUDA backend");
  return own->native();
} catch (...) {
  bifold::detail::rethrow();
}

void record(Queue& queue, CUevent event) try {
  if (event == nullptr) raise_invalid_argument("there is no event");
  auto* own = dynamic_cast<native_backend::Queue*>(queue.state().backend.get());
  if (own == nullptr) raise_invalid_argument("the queue is none of the CUDA backend");
  const std::lock_guard lock(queue.state().mutex);
  own->record(event);
} catch (...) {
  bifold::detail::rethrow();
}

}  // namespace bifold::interop::cuda
