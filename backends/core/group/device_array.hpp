// Device memory of an element type that is known at run time only.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/queue.hpp>
#include <cstdint>
#include <memory>

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

}  // namespace bifold::core
