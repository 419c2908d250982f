#include <bifold/error.hpp>
#include <bifold/queue.hpp>
#include <string>

#include "core/base/log.hpp"
#include "core/device/fill.hpp"
#include "core/device/ranges.hpp"
#include "core/device/state.hpp"

namespace bifold {

namespace {

void check_count(const ErasedView& view, std::uint64_t count) {
  if (view.count != count) {
    throw Error(ErrorCategory::invalid_argument, "the host has " + std::to_string(count) +
                                                     " elements, the view " +
                                                     std::to_string(view.count));
  }
}

std::uint64_t bytes_of(const ErasedView& view) { return view.count * size_of(view.type); }

// Runs a call that waits for the queue; as it blocks anyway, it also frees outgrown scratch. When
// it fails, work may have been dropped half-way, the words that tiles publish included.
template <class Wait>
void wait_under_lock(detail::QueueState& state, const char* what, Wait wait) {
  const std::lock_guard lock(state.mutex);
  core::refuse_in_graph(state, what);
  try {
    wait(*state.backend);
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::timeout) state.arena.distrust();
    throw;
  } catch (...) {
    state.arena.distrust();
    throw;
  }
  state.arena.collect();
  state.group_arena.collect();
}

// The same for one that reads or writes host memory.
template <class Transfer>
void transfer_under_lock(detail::QueueState& state, const char* what, Transfer transfer) {
  const bool pending = state.backend->transfer_pending();
  try {
    wait_under_lock(state, what, transfer);
  } catch (...) {
    if (!pending && state.backend->transfer_pending()) {
      core::log().error("host memory of {} may stay in use: the driver does not tell its end",
                        what);
    }
    throw;
  }
}

}  // namespace

bool detail::transfer_pending(const QueueState& queue) noexcept {
  return queue.backend->transfer_pending();
}

Queue::Queue(const Device& device, const QueueOptions& options) try
    : Queue(core::make_state<detail::QueueState>(
          device, device.state()->backend->create_queue(options.timing))) {
} catch (...) {
  detail::rethrow();
}

detail::QueueState& Queue::state() const {
  if (!state_) core::refuse_moved_from("Queue");
  core::refuse_forked();
  return *state_;
}

const Device& Queue::device() const& {
  if (!state_) core::refuse_moved_from("Queue");
  return state_->device;
}

Device Queue::device() const&& { return device(); }

// What changes a queue's work is not const, though its handle stays as it is.
// NOLINTBEGIN(readability-make-member-function-const)

void Queue::finish(TimeLimit limit) try {
  wait_under_lock(state(), "waiting for the queue",
                  [limit](backend::Queue& queue) { queue.finish(limit); });
} catch (...) {
  detail::rethrow();
}

void Queue::trim() try {
  const std::lock_guard turn(state().blocking_reduce);  // Nobody's result is in the arena.
  const std::unique_lock group(state().group_call, std::try_to_lock);
  wait_under_lock(state(), "freeing scratch memory, which waits,", [&](backend::Queue& queue) {
    queue.finish({});
    state().arena.trim();
    if (group) state().group_arena.trim();
  });
} catch (...) {
  detail::rethrow();
}

Event Queue::record() try {
  detail::QueueState& own = state();
  const std::lock_guard lock(own.mutex);
  return core::record(own);
} catch (...) {
  detail::rethrow();
}

void Queue::wait_for(std::span<const Event> events) try {
  detail::QueueState& own = state();
  const auto list = core::waitable(events);
  if (list.empty()) return;
  const std::lock_guard lock(own.mutex);
  own.backend->wait(list);
} catch (...) {
  detail::rethrow();
}

void Queue::copy(const ErasedView& from, const ErasedView& to) try {
  detail::QueueState& own = state();
  if (from.type != to.type || from.count != to.count) {
    throw Error(ErrorCategory::invalid_argument,
                "a copy wants the same type and count on both sides");
  }
  core::check_view(device(), from, core::Access::copy_from, "source");
  core::check_view(device(), to, core::Access::copy_to, "destination");
  if (core::overlap(device(), from, to)) {
    throw Error(ErrorCategory::invalid_argument, "the ranges of a copy overlap");
  }
  if (from.count == 0) return;
  const std::lock_guard lock(own.mutex);
  own.backend->copy(to.memory, to.byte_offset, from.memory, from.byte_offset, bytes_of(from));
} catch (...) {
  detail::rethrow();
}

void Queue::fill(const ErasedView& view, const Value& value) try {
  detail::QueueState& own = state();
  if (value.type() != view.type) {
    throw Error(ErrorCategory::invalid_argument, "the fill value has another type than the view");
  }
  core::check_view(device(), view, core::Access::copy_to, "destination");
  if (view.count == 0) return;
  const std::lock_guard lock(own.mutex);
  core::fill_elements(*own.backend, view.memory, view.byte_offset, view.count, value);
} catch (...) {
  detail::rethrow();
}

void Queue::upload_bytes(const ErasedView& to, const void* host, std::uint64_t count) try {
  check_count(to, count);
  core::check_view(device(), to, core::Access::copy_to, "destination");
  if (count == 0) return;
  transfer_under_lock(state(), "an upload, which waits,", [&](backend::Queue& queue) {
    queue.upload(to.memory, to.byte_offset, host, bytes_of(to));
  });
} catch (...) {
  detail::rethrow();
}

void Queue::download_bytes(const ErasedView& from, void* host, std::uint64_t count) try {
  check_count(from, count);
  core::check_view(device(), from, core::Access::copy_from, "source");
  if (count == 0) return;
  transfer_under_lock(state(), "a download, which waits,", [&](backend::Queue& queue) {
    queue.download(host, from.memory, from.byte_offset, bytes_of(from));
  });
} catch (...) {
  detail::rethrow();
}

// NOLINTEND(readability-make-member-function-const)

}  // namespace bifold
