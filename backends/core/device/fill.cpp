#include "core/device/fill.hpp"

#include <algorithm>
#include <span>

namespace bifold::core {

void fill_elements(backend::Queue& queue, const detail::Memory& memory, std::uint64_t byte_offset,
                   std::uint64_t count, const Value& value) {
  const std::span<const std::byte> bytes(value.data(), value.size());
  const std::size_t size = bytes.size();
  if (count == 0) return;
  if (size == 1 || size == 2 || size == 4 || size == 8) {
    queue.fill(memory, byte_offset, count * size, bytes);
    return;
  }
  const std::size_t piece = std::min<std::size_t>(align_of(value.type()), 8);
  for (std::size_t at = 0; at < size; at += piece) {
    queue.fill(memory, byte_offset + at, piece, bytes.subspan(at, piece));
  }
  for (std::uint64_t done = 1; done < count; done *= 2) {
    queue.copy(memory, byte_offset + done * size, memory, byte_offset,
               std::min(done, count - done) * size);
  }
}

}  // namespace bifold::core
