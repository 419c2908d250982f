// Checks on views, and events in and out of a queue: what every enqueuing call begins and ends
// with.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/event.hpp>
#include <cstdint>
#include <span>

#include "core/state.hpp"

namespace bifold::core {

enum class Access : std::uint8_t { read, write };

/// Throws invalid_argument, naming the view as `role`, unless it lies in its memory, is aligned,
/// lives in the device's context and may be accessed so.
void check_view(const Device& device, const ErasedView& view, Access access, const char* role);

/// Whether two views share a byte, as far as their handles tell.
bool overlap(const Device& device, const ErasedView& a, const ErasedView& b);

/// Whether two views are the same memory, offset and element size.
bool same_range(const Device& device, const ErasedView& a, const ErasedView& b);

/// An event behind everything enqueued. The caller holds the queue's lock.
Event record(detail::QueueState& queue);

/// Makes later work wait. The caller holds the queue's lock.
void wait_for(detail::QueueState& queue, std::span<const Event> events);

}  // namespace bifold::core
