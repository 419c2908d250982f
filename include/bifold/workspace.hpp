/// @file
/// Scratch memory that the caller supplies.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/export.hpp>
#include <cstdint>

namespace bifold {

/// @addtogroup plans
/// @{

class Queue;

/// Scratch memory for one call at a time, in place of the queue's own. Any content and any
/// alignment will do; a plan's workspace_bytes(n) tells the size. Owns nothing.
///
/// Raw, it costs one extra fill per call whose groups count themselves or publish words, as those
/// of production do. Prepared, its content belongs to bifold until the Workspace is destroyed or
/// released, the memory may not be written by others, and that fill falls away. A prepared
/// workspace serves calls one after another: on one queue, or on several ordered by events. After
/// an error other than invalid_argument, unsupported and timeout it has to be prepared again.
class BIFOLD_API Workspace {
 public:
  /// Scratch memory of no bytes.
  Workspace() noexcept = default;
  /// Raw scratch memory, of a plan's workspace_bytes(n) or more.
  explicit Workspace(View<std::uint8_t> memory) noexcept : memory_(memory) {}

  /// Enqueues the one fill that later calls then save. Throws unsupported while the queue's work is
  /// captured in a graph: prepare before, or use the workspace raw.
  void prepare(Queue& queue);

  /// From now on the memory is raw again and may be used for anything once work on it is done.
  void release() noexcept { prepared_ = false; }

  /// In bytes.
  [[nodiscard]] std::uint64_t size() const noexcept { return memory_.size(); }
  /// Whether prepare() has been called, and release() not since.
  [[nodiscard]] bool prepared() const noexcept { return prepared_; }
  /// The memory it was made of.
  [[nodiscard]] const View<std::uint8_t>& memory() const noexcept { return memory_; }

 private:
  View<std::uint8_t> memory_;
  bool prepared_ = false;
};

/// @}

}  // namespace bifold
