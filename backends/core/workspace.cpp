#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <bifold/workspace.hpp>

#include "core/ranges.hpp"
#include "core/workspace_layout.hpp"

namespace bifold {

void Workspace::prepare(Queue& queue) {
  core::check_view(queue.device(), memory_, core::Access::write, "workspace");
  const core::Scratch scratch = core::layout(queue.device(), memory_);
  prepared_ = false;
  if (scratch.tagged_bytes > 0) {
    const std::lock_guard lock(queue.state().mutex);
    queue.state().backend->fill(scratch.tagged, scratch.tagged_offset, scratch.tagged_bytes,
                                std::array<std::byte, 4>{});
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
  std::uint64_t begin = memory.byte_offset();
  const std::uint64_t end = begin + memory.size();
  if (device.state()->backend->handles_are_addresses()) {
    // An address need not be aligned itself, so offsets count from the first one that is.
    const std::uint64_t address = block.handle + begin;
    const std::uint64_t padding = round_up(address) - address;
    block.handle = round_up(address);
    block.bytes = memory.size() - std::min(padding, memory.size());
    begin = 0;
  } else {
    const std::uint64_t aligned = std::min(round_up(begin), end);
    block.bytes = end;
    begin = aligned;
  }
  const std::uint64_t half = (block.bytes - begin) / (2 * granule) * granule;
  return {block, begin, half, block, begin + half};
}

}  // namespace core
}  // namespace bifold
