#include "core/c_api/c_api_queue.hpp"

#include <cstddef>
#include <limits>
#include <span>

#include "core/c_api/c_api_handles.hpp"
#include "core/c_api/c_api_structs.hpp"
#include "core/c_api/c_api_types.hpp"

namespace bifold::c_api {

QueueOptions options_from(const bifold_queue_options* options) {
  const auto given =
      read_struct(options, BIFOLD_C_SIZE_TO(bifold_queue_options, timing), "queue options");
  return {given.timing ? Timing::enabled : Timing::disabled};
}

ErasedView view_from(const bifold_view& view, const char* what) {
  const bifold_buffer& buffer = need(view.buffer, what);
  const Type type = type_from(view.type);
  const std::uint64_t size = size_of(type);
  if (view.offset > std::numeric_limits<std::uint64_t>::max() / size) {
    refuse(std::string(what) + " starts beyond its memory");
  }
  detail::check_range(buffer.memory, view.offset * size, view.count, size);
  return {buffer.memory, view.offset * size, view.count, type, true};
}

TimeLimit limit_from(std::uint64_t nanoseconds) {
  using Nanoseconds = std::chrono::nanoseconds;
  if (nanoseconds > static_cast<std::uint64_t>(Nanoseconds::max().count())) return {};
  return Nanoseconds(static_cast<Nanoseconds::rep>(nanoseconds));
}

std::vector<Event> events_from(bifold_event* const* events, std::size_t count) {
  std::vector<Event> all;
  for (std::size_t i = 0; i < count; ++i) {
    static_cast<void>(need(events, "the wait list"));
    all.push_back(need(events[i], "an event of the wait list").value);
  }
  return all;
}

}  // namespace bifold::c_api

using namespace bifold::c_api;

bifold_status bifold_queue_create(const bifold_device* device, const bifold_queue_options* options,
                                  bifold_queue** queue) {
  return guard([&] {
    static_cast<void>(need(queue, "queue"));
    put_handle(queue, bifold::Queue(need(device, "device").value, options_from(options)));
  });
}

bifold_status bifold_queue_finish(bifold_queue* queue, uint64_t limit_ns) {
  return guard([&] { need(queue, "queue").value.finish(limit_from(limit_ns)); });
}

bifold_status bifold_queue_trim(bifold_queue* queue) {
  return guard([&] { need(queue, "queue").value.trim(); });
}

bifold_status bifold_queue_record(bifold_queue* queue, bifold_event** event) {
  return guard([&] {
    static_cast<void>(need(event, "event"));
    put_handle(event, need(queue, "queue").value.record());
  });
}

bifold_status bifold_queue_wait_for(bifold_queue* queue, bifold_event* const* events,
                                    size_t count) {
  return guard([&] { need(queue, "queue").value.wait_for(events_from(events, count)); });
}

void bifold_queue_destroy(bifold_queue* queue) { delete queue; }

bifold_status bifold_buffer_create(const bifold_device* device, uint64_t bytes,
                                   bifold_buffer** buffer) {
  return guard([&] {
    static_cast<void>(need(buffer, "buffer"));
    auto allocation =
        bifold::detail::allocate(need(device, "device").value, bytes, bifold::Type::u8);
    const auto memory =
        allocation ? bifold::detail::memory_of(*allocation) : bifold::detail::Memory{};
    put_handle(buffer, std::move(allocation), memory);
  });
}

uint64_t bifold_buffer_size(const bifold_buffer* buffer) {
  return buffer == nullptr ? 0 : buffer->memory.bytes;
}

void bifold_buffer_destroy(bifold_buffer* buffer) { delete buffer; }

bifold_status bifold_upload(bifold_queue* queue, const void* from, bifold_view to) {
  return guard([&] {
    const bifold::ErasedView view = view_from(to, "the destination's buffer");
    if (view.count > 0) static_cast<void>(need(static_cast<const char*>(from), "from"));
    need(queue, "queue").value.upload_bytes(view, from, view.count);
  });
}

bifold_status bifold_download(bifold_queue* queue, bifold_view from, void* to) {
  return guard([&] {
    const bifold::ErasedView view = view_from(from, "the source's buffer");
    if (view.count > 0) static_cast<void>(need(static_cast<char*>(to), "to"));
    need(queue, "queue").value.download_bytes(view, to, view.count);
  });
}

bifold_status bifold_copy(bifold_queue* queue, bifold_view from, bifold_view to) {
  return guard([&] {
    need(queue, "queue")
        .value.copy(view_from(from, "the source's buffer"),
                    view_from(to, "the destination's buffer"));
  });
}

bifold_status bifold_fill(bifold_queue* queue, bifold_view view, const void* value) {
  return guard([&] {
    const bifold::ErasedView range = view_from(view, "the view's buffer");
    static_cast<void>(need(static_cast<const char*>(value), "value"));
    need(queue, "queue").value.fill(range, bifold::Value::from_bytes(range.type, value));
  });
}

bifold_status bifold_event_wait(const bifold_event* event, uint64_t limit_ns) {
  return guard([&] { need(event, "event").value.wait(limit_from(limit_ns)); });
}

bifold_status bifold_event_complete(const bifold_event* event, bool* complete) {
  return guard([&] { need(complete, "complete") = need(event, "event").value.complete(); });
}

bifold_status bifold_event_elapsed(const bifold_event* earlier, const bifold_event* later,
                                   double* seconds) {
  return guard([&] {
    need(seconds, "seconds") =
        bifold::elapsed(need(earlier, "earlier").value, need(later, "later").value);
  });
}

void bifold_event_destroy(bifold_event* event) { delete event; }

bifold_status bifold_workspace_create(bifold_view memory, bifold_workspace** workspace) {
  return guard([&] {
    static_cast<void>(need(workspace, "workspace"));
    if (memory.type != BIFOLD_U8) refuse("a workspace is a view of u8");
    const bifold::ErasedView view = view_from(memory, "the workspace's buffer");
    put_handle(
        workspace, memory.buffer->allocation,
        bifold::Workspace(bifold::View<std::uint8_t>(view.memory, view.byte_offset, view.count)));
  });
}

bifold_status bifold_workspace_prepare(bifold_workspace* workspace, bifold_queue* queue) {
  return guard([&] { need(workspace, "workspace").value.prepare(need(queue, "queue").value); });
}

bifold_status bifold_workspace_release(bifold_workspace* workspace) {
  return guard([&] { need(workspace, "workspace").value.release(); });
}

void bifold_workspace_destroy(bifold_workspace* workspace) { delete workspace; }
