/// @file
/// bifold inside a CUDA application: its contexts, streams, memory and events, used in place.
///
///     CUcontext context = ...;  CUstream stream = ...;  CUdeviceptr flags = ..., places = ...;
///     const bifold::Device device = bifold::interop::cuda::device(context);
///     bifold::Queue queue = bifold::interop::cuda::queue(stream, device);
///     bifold::exclusive_scan(queue, bifold::interop::cuda::view<const int>(flags, n),
///                            bifold::interop::cuda::view<int>(places, n), bifold::plus);
///
/// The runtime's cudaStream_t, cudaEvent_t and device pointers are the same things; its context is
/// the device's primary one, current once the runtime has been used: current_device().
///
/// Nothing here takes ownership: bifold destroys, retains and changes nothing of the application's,
/// and leaves the thread's current context as found. What is adopted outlives the work that uses
/// it, and the context outlives every bifold handle made on it; those released, bifold holds
/// nothing of it. docs/embedding.md tells more, and how calls are captured into graphs.
#pragma once

#include <cuda.h>

#include <bifold/buffer.hpp>
#include <bifold/device.hpp>
#include <bifold/event.hpp>
#include <bifold/export.hpp>
#include <bifold/queue.hpp>
#include <cstdint>
#include <type_traits>

namespace bifold::interop::cuda {

namespace detail {

/// What the driver knows of `bytes` bytes at `address`; see view().
BIFOLD_API bifold::detail::Memory describe(CUdeviceptr address, std::uint64_t bytes);

BIFOLD_API Queue adopt(CUstream stream, const Device& device, const QueueOptions& options);

/// The stream that null stands for in this source file.
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
static const CUstream default_stream = CU_STREAM_PER_THREAD;
#else
static const CUstream default_stream = CU_STREAM_LEGACY;
#endif

}  // namespace detail

/// @addtogroup adoption_cuda
/// @{

/// A Device that works in `context`, a device's primary context or any other. Its selector names
/// the GPU; opening that one later gives the primary context. Throws invalid_argument for null and
/// for what is no context, unsupported below compute capability 7.0, unavailable without a driver.
BIFOLD_API Device device(CUcontext context, const DeviceOptions& options = {});

/// The same for the context that is current on this thread; invalid_argument when none is.
BIFOLD_API Device current_device(const DeviceOptions& options = {});

/// A Queue that enqueues into `stream`, behind what the application enqueued there and before what
/// it enqueues next. Any stream of the device's context will do; one of another context is
/// invalid_argument. The default streams are those of the device's context: null as this source
/// file's CUDA_API_PER_THREAD_DEFAULT_STREAM says, CU_STREAM_LEGACY, and CU_STREAM_PER_THREAD,
/// whose queue only this thread may use. One queue per stream is enough: each has scratch memory
/// of its own, and thread safety is among the calls on one queue.
// Internal linkage, as what null means differs between source files.
[[maybe_unused]] static inline Queue queue(CUstream stream, const Device& device,
                                           const QueueOptions& options = {}) {
  return detail::adopt(stream != nullptr ? stream : detail::default_stream, device, options);
}

/// `count` elements at `memory`, from any of the driver's or the runtime's allocation functions,
/// page-locked and managed memory included. One look-up in the driver, none when the view is used:
/// keep views rather than making them again. Throws invalid_argument for null, for host memory that
/// the driver does not know, and where the allocation ends before the view; memory of another
/// context is refused by the call that uses it.
template <element T>
[[nodiscard]] View<T> view(CUdeviceptr memory, std::uint64_t count) {
  // More bytes than a number holds are more than any allocation has.
  const bool fits = count <= UINT64_MAX / sizeof(T);
  return View<T>(detail::describe(memory, fits ? count * sizeof(T) : UINT64_MAX), 0, count);
}

/// The same for a pointer, as the runtime gives it; that of a const element is for reading.
template <element T>
[[nodiscard]] View<T> view(T* memory, std::uint64_t count) {
  return view<T>(reinterpret_cast<CUdeviceptr>(memory), count);
}

/// The device that memory lives on, by the number that the driver and selectors know it by: of
/// memory from any allocation function of the driver's or the runtime's. Throws invalid_argument
/// where the driver knows nothing of the address.
BIFOLD_API std::uint32_t device_index(CUdeviceptr memory);

/// An event of the application's, for wait lists. Not owned. What it stands for is what was last
/// recorded into it when a call waits for it.
BIFOLD_API Event event(CUevent event);

/// The driver's event behind `event`, for cuStreamWaitEvent and the like. Owned by `event`, and
/// valid as long as a copy of it. Throws invalid_argument for one that is empty or not CUDA's.
BIFOLD_API CUevent native_event(const Event& event);

/// The stream behind `queue`, for whoever enqueues there beside bifold. Owned by the queue. Throws
/// invalid_argument for a queue that is not CUDA's.
BIFOLD_API CUstream native_stream(const Queue& queue);

/// The address of the first element of a view of CUDA's memory.
[[nodiscard]] inline CUdeviceptr native_address(const ErasedView& view) noexcept {
  return static_cast<CUdeviceptr>(view.memory.handle) + view.byte_offset;
}

/// Records the application's event behind everything enqueued so far. Throws invalid_argument for
/// an event of another context.
BIFOLD_API void record(Queue& queue, CUevent event);

/// @}

}  // namespace bifold::interop::cuda
