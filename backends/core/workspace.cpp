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
  const std::uint64_t start =
      (device.state()->backend->handles_are_addresses() ? memory.memory().handle : 0) +
      memory.byte_offset();
  const std::uint64_t padding = round_up(start) - start;
  const std::uint64_t usable = memory.size() > padding ? memory.size() - padding : 0;
  const std::uint64_t half = usable / (2 * granule) * granule;
  const std::uint64_t first = memory.byte_offset() + padding;
  return {memory.memory(), first, half, memory.memory(), first + half};
}

}  // namespace core
}  // namespace bifold
