#include "core/slices/call_memory.hpp"

#include <algorithm>
#include <utility>

#include "core/device/ranges.hpp"
#include "core/device/state.hpp"

namespace bifold::core {

namespace {

// What arrays begin at a multiple of, and elements of that type.
std::uint64_t granule(Type type) { return std::max<std::uint64_t>(256 * size_of(type), 256); }

std::uint64_t room_for(std::uint64_t count, Type type) {
  return count == 0 ? 0 : granule(type) + count * size_of(type);
}

// Behind what is used so far.
ErasedView taken(const detail::Memory& memory, std::uint64_t& used, std::uint64_t count,
                 Type type) {
  if (count == 0) return {{}, 0, 0, type, true};
  const std::uint64_t offset = (used + granule(type) - 1) / granule(type) * granule(type);
  used = offset + count * size_of(type);
  return {memory, offset, count, type, true};
}

}  // namespace

void MemoryNeeds::add_device(std::uint64_t count, Type type) { device += room_for(count, type); }

void MemoryNeeds::add_results(std::uint64_t count, Type type) { results += room_for(count, type); }

CallMemory::CallMemory(const Queue& queue)
    : queue_(queue), state_(&queue.state()), turn_(state_->group_call, std::try_to_lock) {}

CallMemory::~CallMemory() {
  if (turn_.owns_lock() && complete_) state_->group_arena.take_back_slot();
}

void CallMemory::need(const MemoryNeeds& more) noexcept {
  needs_.device += more.device;
  needs_.results += more.results;
  pending_ = true;
}

void CallMemory::reserve() {
  if (!pending_) return;
  {
    const std::lock_guard lock(state_->mutex);
    refuse_in_graph(*state_, "a call over a group");
    if (turn_.owns_lock()) {
      Arena& arena = state_->group_arena;
      // Both halves, as there are no tagged words.
      if (needs_.device > 0) device_ = arena.reserve({0, (needs_.device + 1) / 2}).memory;
      if (needs_.results > 0) results_ = arena.lend_slot(needs_.results);
    }
  }
  if (!turn_.owns_lock()) {
    const auto allocated = [&](std::uint64_t bytes) {
      return bytes > 0 ? detail::allocate(queue_.device(), bytes, Type::u8) : nullptr;
    };
    own_device_ = allocated(needs_.device);
    own_results_ = allocated(needs_.results);
    own_stage_ = std::make_unique<std::vector<std::byte>>(needs_.results);
    if (own_device_) device_ = detail::memory_of(*own_device_);
    if (own_results_) results_ = {detail::memory_of(*own_results_), nullptr, own_stage_->data()};
  }
  needs_ = {};
  pending_ = false;
  device_used_ = 0;
  results_used_ = 0;
}

ErasedView CallMemory::take(std::uint64_t count, Type type) {
  return taken(device_, device_used_, count, type);
}

ErasedView CallMemory::take_results(std::uint64_t count, Type type) {
  complete_ = false;
  return taken(results_.memory, results_used_, count, type);
}

std::span<const std::byte> CallMemory::fetch(const ErasedView& results) {
  if (results.count == 0) return {};
  const std::uint64_t bytes = results.count * size_of(results.type);
  if (results_.host != nullptr) {
    if (!complete_) queue_.finish();
    complete_ = true;
    return {results_.host + results.byte_offset, bytes};
  }
  std::byte* const to = results_.stage + results.byte_offset;
  try {
    queue_.download_bytes(results, to, results.count);
  } catch (...) {
    if (own_stage_ && detail::transfer_pending(*state_)) static_cast<void>(own_stage_.release());
    throw;
  }
  complete_ = true;
  return {to, bytes};
}

}  // namespace bifold::core
