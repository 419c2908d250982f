// Device memory of an element type that is known at run time only.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/queue.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/device/ranges.hpp"

namespace bifold::core {

/// Uninitialised memory for some elements, freed behind the work that uses it. None takes no
/// memory.
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(const Device& device, std::uint64_t count, Type type) : count_(count), type_(type) {
    if (count > 0) allocation_ = detail::allocate(device, count, type);
  }

  [[nodiscard]] ErasedView view() const { return view(0, count_); }
  [[nodiscard]] ErasedView view(std::uint64_t offset, std::uint64_t count) const {
    if (!allocation_) return {{}, 0, 0, type_, true};
    return {detail::memory_of(*allocation_), offset * size_of(type_), count, type_, true};
  }

 private:
  std::shared_ptr<detail::AllocationState> allocation_;
  std::uint64_t count_ = 0;
  Type type_;
};

/// Elements [offset, offset + count) of a view.
inline ErasedView part(const ErasedView& view, std::uint64_t offset, std::uint64_t count) {
  ErasedView part = view;
  part.byte_offset += offset * size_of(view.type);
  part.count = count;
  return part;
}

/// transfer(), which reads or writes the bytes. Where it fails and the device may still use them,
/// they are kept for ever.
template <class Transfer>
void transferred(const Queue& queue, std::vector<std::byte>& bytes, const Transfer& transfer) {
  try {
    transfer();
  } catch (...) {
    if (detail::transfer_pending(queue.state())) {
      static_cast<void>(std::make_unique<std::vector<std::byte>>(std::move(bytes)).release());
    }
    throw;
  }
}

/// Blocks. The bytes of the view's elements.
inline std::vector<std::byte> download(Queue queue, const ErasedView& view) {
  std::vector<std::byte> bytes(view.count * size_of(view.type));
  transferred(queue, bytes, [&] { queue.download_bytes(view, bytes.data(), view.count); });
  return bytes;
}

/// Blocks. Writes the bytes of as many elements as the view has.
inline void upload(Queue queue, const ErasedView& view, std::vector<std::byte>& bytes) {
  transferred(queue, bytes, [&] { queue.upload_bytes(view, bytes.data(), view.count); });
}
inline void upload(const Queue& queue, const ErasedView& view, std::vector<std::byte>&& bytes) {
  upload(queue, view, bytes);
}

/// Queue::copy(). Between an OpenCL buffer and shared virtual memory, which it refuses, it goes
/// over the host and blocks.
inline void copy_any(Queue queue, const ErasedView& from, const ErasedView& to) {
  const Device& device = queue.device();
  if (is_address(device, from.memory) == is_address(device, to.memory)) {
    queue.copy(from, to);
  } else {
    upload(queue, to, download(queue, from));
  }
}

}  // namespace bifold::core
