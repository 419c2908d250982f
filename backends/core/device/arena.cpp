#include "core/device/arena.hpp"

#include <algorithm>
#include <array>
#include <bifold/error.hpp>
#include <bit>
#include <exception>
#include <string>
#include <utility>

#include "core/base/log.hpp"
#include "core/base/polling.hpp"

namespace bifold::core {

namespace {

constexpr std::uint64_t smallest_block = 4096;
constexpr std::uint64_t address_alignment = 256;  // As drivers allocate.

Error no_memory(std::uint64_t bytes, const char* why) {
  return {ErrorCategory::out_of_memory,
          "the scratch allocator gave no " + std::to_string(bytes) + " bytes: " + why};
}

}  // namespace

Arena::Arena(std::shared_ptr<backend::Device> device, backend::Queue& queue,
             const ScratchAllocator& allocator)
    : device_(std::move(device)), queue_(queue), allocator_(allocator) {}

Arena::~Arena() {
  // Drivers free device memory behind the work that uses it. A pool may hand it to others at once,
  // and no driver promises anything of memory that the host sees.
  const bool waits = allocator_.release != nullptr || slot_lent_;
  give_back(!waits || work_ends());
}

bool Arena::work_ends() noexcept {
  if (allocator_.release != nullptr) {
    try {
      queue_.finish({});
      return true;
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): there are other means.
    }
  }
  return queue_.settle(settle_limit) == backend::WorkEnd::reached;
}

Memory Arena::allocate(std::uint64_t bytes) {
  if (allocator_.allocate == nullptr) return device_->allocate(bytes);
  std::uintptr_t handle = 0;
  try {
    handle = allocator_.allocate(allocator_.user, bytes);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw no_memory(bytes, error.what());
  } catch (...) {
    throw no_memory(bytes, "it threw");
  }
  if (handle == 0) throw no_memory(bytes, "it returned 0");
  const Memory block{handle, bytes, device_->context()};
  if (device_->handles_are_addresses() && handle % address_alignment != 0) {
    release(block);
    throw Error(ErrorCategory::invalid_argument,
                "the scratch allocator gave an address that is no multiple of " +
                    std::to_string(address_alignment));
  }
  return block;
}

void Arena::release(const Memory& block) noexcept {
  // NOLINTNEXTLINE(clang-analyzer-unix.Malloc): not the C library's.
  if (allocator_.release == nullptr) return device_->free(block);
  allocator_.release(allocator_.user, block.handle, block.bytes);
}

void Arena::grow(std::uint64_t bytes) {
  // What can fail comes before what has to be undone.
  retired_.reserve(retired_.size() + 1);
  auto done = block_.bytes > 0 ? queue_.record() : nullptr;
  const Memory larger = allocate(std::max({smallest_block, 2 * block_.bytes, bytes}));
  if (block_.bytes > 0) retired_.push_back({block_, std::move(done)});
  block_ = larger;
  clean_bytes_ = 0;
}

Scratch Arena::reserve(ScratchSize size) {
  const std::uint64_t bytes = bytes_in_halves(size);
  if (bytes > block_.bytes) grow(bytes);
  Scratch scratch = in_halves(block_, 0);
  if (size.tagged_bytes > clean_bytes_) {
    // A block may be large for the sake of its raw half.
    const std::uint64_t wanted = std::max(smallest_block, std::bit_ceil(size.tagged_bytes));
    const std::uint64_t clean = std::min(wanted, scratch.tagged_bytes);
    queue_.fill(scratch.memory, scratch.tagged_offset + clean_bytes_, clean - clean_bytes_,
                std::array<std::byte, 4>{});
    clean_bytes_ = clean;
  }
  scratch.tagged_bytes = clean_bytes_;
  return scratch;
}

ResultSlot Arena::lend_slot(std::uint64_t bytes) {
  if (slot_.memory.bytes < bytes) {
    give_back_slot(!slot_lent_ || work_ends());
    const std::uint64_t room = std::max(std::bit_ceil(bytes), std::uint64_t{max_element_bytes});
    if (allocator_.allocate == nullptr) slot_ = device_->allocate_host_visible(room);
    if (slot_.host == nullptr) {
      stage_ = std::make_unique<std::vector<std::byte>>(room);
      slot_ = {allocate(room), nullptr};
    }
  }
  slot_lent_ = true;
  return {slot_.memory, slot_.host, stage_ ? stage_->data() : nullptr};
}

void Arena::collect() {
  std::erase_if(retired_, [this](const Retired& block) {
    try {
      if (!block.done->complete()) return false;
    } catch (const Error&) {
      return false;  // Its work failed: the device may be gone, and the end is early enough.
    }
    release(block.memory);
    return true;
  });
}

// Memory that work may use for ever.
void Arena::keep(std::uint64_t bytes) noexcept {
  if (bytes == 0) return;
  try {
    log().error(
        "{} bytes of scratch memory are not given back: work may use them whose end the "
        "driver does not tell",
        bytes);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody is left to tell.
  }
}

void Arena::give_back_slot(bool work_has_ended) noexcept {
  const backend::HostVisible slot = std::exchange(slot_, {});
  const bool lent = std::exchange(slot_lent_, false) && !work_has_ended;
  if (slot.host != nullptr) {
    if (lent) return keep(slot.memory.bytes);
    return device_->free_host_visible(slot);
  }
  if (lent && stage_) keep(stage_.release()->size());
  stage_.reset();
  if (slot.memory.bytes == 0) return;
  // A driver frees its own memory behind the work.
  if (work_has_ended || allocator_.release == nullptr) return release(slot.memory);
  keep(slot.memory.bytes);
}

void Arena::give_back(bool work_has_ended) noexcept {
  std::uint64_t kept = 0;
  const auto end = [&](const Memory& block) {
    if (work_has_ended || allocator_.release == nullptr) return release(block);
    kept += block.bytes;
  };
  for (const Retired& block : retired_) end(block.memory);
  retired_.clear();
  const Memory unused = std::exchange(block_, {});
  if (unused.bytes > 0) end(unused);
  keep(kept);
  give_back_slot(work_has_ended);
}

}  // namespace bifold::core
