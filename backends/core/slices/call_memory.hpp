// What a call over a group uses of a local rank's device besides the rank's own arrays.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/queue.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/device/arena.hpp"
#include "core/device/state.hpp"

namespace bifold::core {

/// How much of it.
struct MemoryNeeds {
  std::uint64_t device = 0;   ///< Bytes that stay there.
  std::uint64_t results = 0;  ///< Bytes that come to the host.

  void add_device(std::uint64_t count, Type type);
  void add_results(std::uint64_t count, Type type);
};

/// Memory on one queue's device: that which the queue keeps for such calls, or, where another call
/// uses it now, memory of its own. All of it is used in the order of the queue.
class CallMemory {
 public:
  explicit CallMemory(const Queue& queue);
  CallMemory(CallMemory&&) = default;
  CallMemory& operator=(CallMemory&&) = delete;
  CallMemory(const CallMemory&) = delete;
  CallMemory& operator=(const CallMemory&) = delete;
  ~CallMemory();

  [[nodiscard]] bool is_of(const Queue& queue) const { return &queue.state() == state_; }
  /// For what reserve() gives, one after the other for all ranks on the queue.
  void need(const MemoryNeeds& more) noexcept;
  /// What is needed since the last time. What was taken before is so no more. Throws unsupported
  /// while the queue is captured.
  void reserve();

  /// Uninitialised memory. Of no elements none.
  ErasedView take(std::uint64_t count, Type type);
  /// The same for results that come to the host, of work that is enqueued before the next fetch().
  ErasedView take_results(std::uint64_t count, Type type);
  /// Blocks until such results are there. They stay until the next reserve().
  std::span<const std::byte> fetch(const ErasedView& results);

 private:
  Queue queue_;
  detail::QueueState* state_;
  std::unique_lock<std::mutex> turn_;
  MemoryNeeds needs_;
  detail::Memory device_;
  ResultSlot results_;
  std::uint64_t device_used_ = 0;
  std::uint64_t results_used_ = 0;
  bool pending_ = false;  // Something is needed, of no bytes, too.
  bool complete_ = true;  // What results_ has.
  // Where the queue's are in use.
  std::shared_ptr<detail::AllocationState> own_device_;
  std::shared_ptr<detail::AllocationState> own_results_;
  std::unique_ptr<std::vector<std::byte>> own_stage_;
};

}  // namespace bifold::core
