/// @file
/// Scratch memory that the caller supplies.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/export.hpp>
#include <bifold/queue.hpp>
#include <cstdint>
#include <memory>

namespace bifold {

/// @addtogroup plans
/// @{

namespace detail {
struct WorkspaceState;
}

/// Scratch memory for one call at a time, instead of the queue's own. Any content and any
/// alignment will do; a plan's workspace_bytes(n) tells the size. Owns nothing. A value handle:
/// copies are the same workspace, and one that was moved from has no bytes.
///
/// Raw, it costs one extra fill per call whose groups count themselves or publish words, as those
/// of production do. Prepared, its content belongs to bifold until the workspace is released or its
/// last copy destroyed, the memory may not be written by others, and that fill falls away. A
/// prepared workspace serves calls one after another: on one queue, or on several ordered by
/// events. After an error other than invalid_argument, unsupported and timeout it has to be
/// prepared again.
class BIFOLD_API_CLASS Workspace {
 public:
  /// Scratch memory of no bytes.
  Workspace() noexcept = default;
  /// Raw scratch memory, of a plan's workspace_bytes(n) or more.
  explicit Workspace(View<std::uint8_t> memory);

  /// Enqueues the one fill that later calls then save. Throws unsupported while the queue's work is
  /// captured in a graph: prepare before, or use the workspace raw.
  void prepare(Queue& queue);

  /// From now on the memory is raw again and may be used for anything once work on it is done.
  void release() noexcept;

  /// In bytes.
  [[nodiscard]] std::uint64_t size() const noexcept { return memory().size(); }
  /// Whether prepare() has been called on it or a copy, and release() not since.
  [[nodiscard]] bool prepared() const noexcept;
  /// The memory it was made of.
  [[nodiscard]] const View<std::uint8_t>& memory() const noexcept;

 private:
  std::shared_ptr<detail::WorkspaceState> state_;
};

/// @}

}  // namespace bifold
