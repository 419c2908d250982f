#include "core/arena.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <bit>

#include "core/log.hpp"

namespace bifold::core {

namespace {

constexpr std::uint64_t smallest_block = 4096;
constexpr std::uint64_t cell_bytes = 8;

}  // namespace

Arena::~Arena() {
  for (const Retired& block : retired_) device_->free(block.memory);
  for (const Memory& block : {tagged_, raw_, cell_}) {
    if (block.bytes > 0) device_->free(block);
  }
}

void Arena::free_retired() noexcept {
  std::erase_if(retired_, [this](const Retired& block) {
    try {
      if (!block.last_use->complete()) return false;
    } catch (const Error& error) {
      // The work failed, so nothing uses the block any more; its failure reaches the program
      // through its own events and waits.
      log().debug("scratch block retired after a failure: {}", error.what());
    }
    device_->free(block.memory);
    return true;
  });
}

void Arena::grow(backend::Queue& queue, Memory& block, std::uint64_t bytes) {
  free_retired();
  const Memory larger = device_->allocate(std::max(smallest_block, std::bit_ceil(bytes)));
  if (block.bytes > 0) {
    try {
      retired_.push_back({block, queue.record()});
    } catch (...) {
      device_->free(larger);
      throw;
    }
  }
  block = larger;
}

Scratch Arena::reserve(backend::Queue& queue, ScratchSize size) {
  if (size.tagged_bytes > tagged_.bytes) {
    grow(queue, tagged_, size.tagged_bytes);
    tagged_is_clean_ = false;
  }
  if (size.raw_bytes > raw_.bytes) grow(queue, raw_, size.raw_bytes);
  if (!tagged_is_clean_ && size.tagged_bytes > 0) {
    queue.fill(tagged_, 0, tagged_.bytes, std::array<std::byte, 4>{});
    tagged_is_clean_ = true;
  }
  return {tagged_, 0, tagged_.bytes, raw_, 0};
}

const Memory& Arena::result_cell() {
  if (cell_.bytes == 0) cell_ = device_->allocate(cell_bytes);
  return cell_;
}

}  // namespace bifold::core
