#include "core/device/workspace.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <bifold/workspace.hpp>

#include "core/device/ranges.hpp"
#include "core/device/state.hpp"

namespace bifold {

Workspace::Workspace(View<std::uint8_t> memory) try
    : state_(std::make_shared<detail::WorkspaceState>()) {
  state_->memory = memory;
} catch (...) {
  detail::rethrow();
}

const View<std::uint8_t>& Workspace::memory() const noexcept {
  static const View<std::uint8_t> none;
  return state_ ? state_->memory : none;
}

bool Workspace::prepared() const noexcept { return state_ && state_->prepared; }

void Workspace::release() noexcept {
  if (state_) state_->prepared = false;
}

void Workspace::prepare(Queue& queue) try {
  detail::QueueState& own = queue.state();
  core::check_view(own.device, memory(), core::Access::both, "workspace");
  const core::Scratch scratch = core::layout(own.device, memory());
  const std::lock_guard lock(own.mutex);
  // The fill would run with each launch of the graph, and not before the first.
  core::refuse_in_graph(own, "preparing a workspace");
  release();
  if (scratch.tagged_bytes > 0) {
    own.backend->fill(scratch.memory, scratch.tagged_offset, scratch.tagged_bytes,
                      std::array<std::byte, 4>{});
    // A call with a workspace would not wait for the fill otherwise.
    own.backend->fence();
  }
  if (state_) state_->prepared = true;
} catch (...) {
  detail::rethrow();
}

namespace core {

std::uint64_t workspace_bytes(ScratchSize size) noexcept {
  const std::uint64_t bytes = bytes_in_halves(size);
  return bytes == 0 ? 0 : scratch_granule - 1 + bytes;
}

Scratch layout(const Device& device, const View<std::uint8_t>& memory) {
  Memory block = memory.memory();
  const std::uint64_t start = start_of(device, memory);
  const std::uint64_t padding = std::min(in_granules(start) - start, memory.size());
  std::uint64_t begin = memory.byte_offset() + padding;
  block.bytes = memory.byte_offset() + memory.size();
  if (is_address(device, block)) {
    // An address need not be aligned itself, so offsets count from the first one that is.
    block.handle += begin;
    block.bytes -= begin;
    begin = 0;
  } else if (begin % sizeof(std::uint64_t) != 0 && padding < memory.size()) {
    throw Error(ErrorCategory::invalid_argument,
                "workspace: the buffer's host memory does not start at a multiple of 8 bytes");
  }
  return in_halves(block, begin);
}

}  // namespace core
}  // namespace bifold
