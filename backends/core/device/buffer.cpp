#include <bifold/buffer.hpp>
#include <bifold/error.hpp>
#include <limits>
#include <string>

#include "core/device/state.hpp"

namespace bifold::detail {

void check_range(const Memory& memory, std::uint64_t byte_offset, std::uint64_t count,
                 std::size_t element_size) try {
  if (byte_offset % element_size != 0) {
    throw Error(ErrorCategory::invalid_argument, "a view of " + std::to_string(element_size) +
                                                     "-byte elements cannot start at byte " +
                                                     std::to_string(byte_offset) +
                                                     ": it is misaligned");
  }
  if (byte_offset > memory.bytes || count > (memory.bytes - byte_offset) / element_size) {
    throw Error(ErrorCategory::invalid_argument,
                "a view of " + std::to_string(count) + " elements of " +
                    std::to_string(element_size) + " bytes from byte " +
                    std::to_string(byte_offset) + " on reaches beyond memory of " +
                    std::to_string(memory.bytes) + " bytes");
  }
} catch (...) {
  detail::rethrow();
}

std::shared_ptr<AllocationState> allocate(const Device& device, std::uint64_t count,
                                          Type type) try {
  const auto& owner = device.state()->backend;
  if (!device.supports(type)) {
    throw Error(ErrorCategory::unsupported,
                device.info().selector + " has no " + std::string(name_of(type)));
  }
  if (count == 0) return nullptr;
  const std::uint64_t element_size = size_of(type);
  if (count > std::numeric_limits<std::uint64_t>::max() / element_size) {
    throw Error(ErrorCategory::out_of_memory,
                std::to_string(count) + " elements exceed any address space");
  }
  return core::make_state<AllocationState>(owner, count * element_size);
} catch (...) {
  detail::rethrow();
}

const Memory& memory_of(const AllocationState& allocation) noexcept { return allocation.memory; }

}  // namespace bifold::detail
