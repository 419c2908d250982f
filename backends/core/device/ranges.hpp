// Checks on views, and events in and out of a queue: what every enqueuing call begins and ends
// with.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/event.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "core/device/state.hpp"

namespace bifold::core {

/// Who does what to a view: kernels, which an OpenCL object may keep from reading or writing, or
/// copies, fills and transfers.
enum class Access : std::uint8_t { read, write, both, copy_from, copy_to };

/// Throws invalid_argument, naming the view as `role`, unless it lies in its memory, is aligned,
/// lives in the device's context and may be accessed so.
void check_view(const Device& device, const ErasedView& view, Access access, const char* role);

/// Where a view starts within its origin. Without one, an OpenCL object starts at 0 and is aligned
/// for everything.
std::uint64_t start_of(const Device& device, const ErasedView& view);

/// Whether the memory's handle is an address, so that an offset can be added to it.
bool is_address(const Device& device, const detail::Memory& memory);

/// Whether two views share a byte, as far as their handles tell.
bool overlap(const Device& device, const ErasedView& a, const ErasedView& b);

/// Whether two views are the same memory, offset and element size.
bool same_range(const Device& device, const ErasedView& a, const ErasedView& b);

/// An event behind everything enqueued. The caller holds the queue's lock.
Event record(detail::QueueState& queue);

/// The events that are not empty, as the queue's backend takes them.
std::vector<const backend::Event*> waitable(std::span<const Event> events);

/// Throws unsupported while the queue's commands, behind `events`, are recorded into a graph:
/// "`what` is not possible while ...". The caller holds the queue's lock.
void refuse_in_graph(const detail::QueueState& queue, const char* what,
                     std::span<const backend::Event* const> events = {});

}  // namespace bifold::core
