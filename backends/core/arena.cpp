#include "core/arena.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace bifold::core {

namespace {

constexpr std::uint64_t smallest_block = 4096;

}  // namespace

Arena::~Arena() {
  for (const Memory& block : outgrown_) device_->free(block);
  for (const Memory& block : {tagged_, raw_, cell_}) {
    if (block.bytes > 0) device_->free(block);
  }
}

void Arena::grow(Memory& block, std::uint64_t bytes) {
  outgrown_.reserve(outgrown_.size() + 1);
  const Memory larger = device_->allocate(std::max(smallest_block, std::bit_ceil(bytes)));
  if (block.bytes > 0) outgrown_.push_back(block);
  block = larger;
}

Scratch Arena::reserve(backend::Queue& queue, ScratchSize size) {
  if (size.tagged_bytes > tagged_.bytes) {
    grow(tagged_, size.tagged_bytes);
    tagged_is_clean_ = false;
  }
  if (size.raw_bytes > raw_.bytes) grow(raw_, size.raw_bytes);
  if (!tagged_is_clean_ && size.tagged_bytes > 0) {
    queue.fill(tagged_, 0, tagged_.bytes, std::array<std::byte, 4>{});
    tagged_is_clean_ = true;
  }
  return {tagged_, 0, tagged_.bytes, raw_, 0};
}

const Memory& Arena::result_cell() {
  if (cell_.bytes == 0) cell_ = device_->allocate(max_element_bytes);
  return cell_;
}

}  // namespace bifold::core
