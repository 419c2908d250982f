#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <bifold/workspace.hpp>

#include "core/ranges.hpp"
#include "core/workspace_layout.hpp"

namespace bifold {

void Workspace::prepare(Queue& queue) {
  core::check_view(queue.device(), memory_, core::Access::both, "workspace");
  const core::Scratch scratch = core::layout(queue.device(), memory_);
  const std::lock_guard lock(queue.state().mutex);
  // The fill would run with each launch of the graph, and not before the first.
  core::refuse_in_graph(queue.state(), "preparing a workspace");
  prepared_ = false;
  if (scratch.tagged_bytes > 0) {
    queue.state().backend->fill(scratch.tagged, scratch.tagged_offset, scratch.tagged_bytes,
                                std::array<std::byte, 4>{});
    // A call with a workspace would not wait for the fill otherwise.
    queue.state().backend->fence();
  }
  prepared_ = true;
}

namespace core {

namespace {

constexpr std::uint64_t granule = 256;

constexpr std::uint64_t round_up(std::uint64_t bytes) {
  return (bytes + granule - 1) / granule * granule;
}

}  // namespace

std::uint64_t workspace_bytes(ScratchSize size) noexcept {
  const std::uint64_t larger = std::max(size.tagged_bytes, size.raw_bytes);
  return larger == 0 ? 0 : granule - 1 + 2 * round_up(larger);
}

Scratch layout(const Device& device, const View<std::uint8_t>& memory) {
  Memory block = memory.memory();
  const std::uint64_t start = start_of(device, memory);
  const std::uint64_t padding = std::min(round_up(start) - start, memory.size());
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
  const std::uint64_t half = (block.bytes - begin) / (2 * granule) * granule;
  return {block, begin, half, block, begin + half};
}

}  // namespace core
}  // namespace bifold
