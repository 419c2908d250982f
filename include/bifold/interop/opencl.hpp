/// @file
/// bifold inside an OpenCL application: on its context, its queues, its memory and its events.
///
/// With the C++ bindings, every object converts by operator():
///
///     namespace cl_interop = bifold::interop::opencl;
///     const bifold::Device device = cl_interop::device(context(), cl_device());
///     bifold::Queue queue = cl_interop::queue(command_queue(), device);
///     const auto flags = cl_interop::view<const std::uint32_t>(flag_buffer(), n);
///     const auto slots = cl_interop::view<std::uint32_t>(slot_buffer(), n);
///     bifold::Event scanned;
///     bifold::exclusive_scan(queue, flags, slots, bifold::plus,
///                            {.wait = {cl_interop::event(flagged())}, .done = &scanned});
///     const cl::Event native(cl_interop::native_event(scanned));  // takes over the reference
///
/// Adoption is explicit: bifold keeps no list of contexts. What it adopts it retains, and releases
/// with the last handle that needs it; an application may release its own references first. Nothing
/// of the application's is changed. docs/embedding.md says who owns what.
///
/// Null handles, and handles that the driver does not know as such, are invalid_argument.
#pragma once

#include <CL/cl.h>

#include <bifold/buffer.hpp>
#include <bifold/device.hpp>
#include <bifold/event.hpp>
#include <bifold/export.hpp>
#include <bifold/queue.hpp>
#include <cstdint>

namespace bifold::interop::opencl {

namespace detail {
/// What a view of the buffer object, or of `bytes` bytes from the pointer on, refers to.
BIFOLD_API bifold::detail::Memory memory_of(cl_mem memory);
BIFOLD_API bifold::detail::Memory memory_of(const Device& device, const void* pointer,
                                            std::uint64_t bytes);
/// Bytes of that many elements; throws invalid_argument when no memory is that large.
BIFOLD_API std::uint64_t bytes_of(std::uint64_t count, std::size_t element_size);
}  // namespace detail

/// @addtogroup adoption_opencl
/// @{

/// A device of the application's context, which may have others. Kernels, plans and scratch memory
/// belong to this handle and its copies: adopt once and keep it. Its selector is "opencl:adopted",
/// which opens nothing. Throws invalid_argument when the device is not one of the context's.
BIFOLD_API Device device(cl_context context, cl_device_id device,
                         const DeviceOptions& options = {});

/// A queue of the application's, in order or not, with profiling or without: with it, elapsed()
/// works on its events. Throws invalid_argument when it is of another context or device than
/// `device`, or lives on the device.
///
/// Calls enqueue and return. They neither flush nor finish the queue, unless their first line of
/// documentation says that they block; until somebody flushes it, the driver may hold back what is
/// enqueued, from Event::complete() and from other queues that wait for it too.
///
/// record() and finish() speak of everything in the native queue, the application's commands
/// included. On an out-of-order queue events order the rest. The commands of a call follow one
/// another, and it starts after
/// - its wait list, and what wait_for() was given before, and
/// - everything that bifold enqueued on this Queue before, unless it brings a workspace: then it
///   knows no other dependencies, and what it reads, writes and works in is the caller's to order.
/// Copies, fills and transfers count as calls without a workspace. The application's own commands
/// are waited for only where they are in the wait list, and wait only for events that they are
/// given, such as the call's options.done.
BIFOLD_API Queue queue(cl_command_queue queue, const Device& device);

/// `count` elements of a buffer object from its first byte on. Owns nothing, and retains nothing:
/// the object must outlive the work that uses it, as with a view of any memory. A sub-buffer is
/// seen to overlap its parent and its siblings. An object that kernels may only read is refused as
/// an output and as a workspace, one that they may only write as an input. Throws invalid_argument
/// when the object is no buffer or too small.
template <element T>
[[nodiscard]] View<T> view(cl_mem memory, std::uint64_t count) {
  return View<T>(detail::memory_of(memory), 0, count);
}

/// `count` elements from element `first` on.
template <element T>
[[nodiscard]] View<T> view(cl_mem memory, std::uint64_t first, std::uint64_t count) {
  return View<T>(detail::memory_of(memory), detail::bytes_of(first, sizeof(T)), count);
}

/// `count` elements of shared virtual memory of the device's context. The pointer may lie anywhere
/// in an allocation of clSVMAlloc, or be any host pointer where the device shares those; that it
/// does is the caller's promise, as OpenCL has no way to ask. Coarse-grained memory must not be
/// mapped while work uses it. Throws unsupported where the device has no shared virtual memory,
/// invalid_argument for a null pointer.
template <element T>
[[nodiscard]] View<T> svm_view(const Device& device, T* pointer, std::uint64_t count) {
  return View<T>(detail::memory_of(device, pointer, detail::bytes_of(count, sizeof(T))), 0, count);
}

/// An event of the application's, user events included, for wait lists and for waits. Retained.
BIFOLD_API Event event(cl_event event);

/// The native event behind an event of an OpenCL queue, retained for the caller, who releases it.
/// Whoever has another queue wait for it flushes the queue it is of first. Throws invalid_argument
/// for an empty event, which stands for no work, and for one of another backend.
[[nodiscard]] BIFOLD_API cl_event native_event(const Event& event);

/// @}

}  // namespace bifold::interop::opencl
