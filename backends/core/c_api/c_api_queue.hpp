// Queues, buffers and events of the C interface.
#pragma once

#include <bifold/bifold.h>

#include <bifold/buffer.hpp>
#include <bifold/event.hpp>
#include <bifold/queue.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bifold::c_api {

QueueOptions options_from(const bifold_queue_options* options);

ErasedView view_from(const bifold_view& view, const char* what);

TimeLimit limit_from(std::uint64_t nanoseconds);

std::vector<Event> events_from(bifold_event* const* events, std::size_t count);

}  // namespace bifold::c_api
