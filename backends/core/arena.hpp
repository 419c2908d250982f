// A queue's scratch memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "interface.hpp"

namespace bifold::core {

using detail::Memory;

/// What one call may use. Tagged words keep their content from call to call: every word carries a
/// tag that tells its call, so that nothing has to be reset. Raw bytes hold anything. The two never
/// share bytes.
struct Scratch {
  Memory tagged;
  std::uint64_t tagged_offset = 0;  // In bytes, a multiple of 8.
  std::uint64_t tagged_bytes = 0;
  Memory raw;
  std::uint64_t raw_offset = 0;  // In bytes, a multiple of 8.
};

/// How much of each a call needs; both grow with n only.
struct ScratchSize {
  std::uint64_t tagged_bytes = 0;
  std::uint64_t raw_bytes = 0;
};

/// Grow-only memory for the calls of one in-order queue, which use it one after another. A block
/// that became too small may still be in use and is kept to the end: freeing can wait for the
/// device, which an enqueuing call must not, and as blocks double, all outgrown ones together are
/// smaller than the one in use. Not thread-safe: its queue's lock protects it.
class Arena {
 public:
  explicit Arena(std::shared_ptr<backend::Device> device) : device_(std::move(device)) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Scratch of at least `size`, valid for work enqueued before the next call of reserve. May
  /// enqueue a fill. Throws out_of_memory, and stays usable.
  Scratch reserve(backend::Queue& queue, ScratchSize size);

  /// Room for one element of any type: a result on its way to the host.
  const Memory& result_cell();

  /// After a failed call: the tagged words may be in any state and are zeroed before their next
  /// use.
  void distrust() noexcept { tagged_is_clean_ = false; }

 private:
  void grow(Memory& block, std::uint64_t bytes);

  std::shared_ptr<backend::Device> device_;
  Memory tagged_;
  Memory raw_;
  Memory cell_;
  bool tagged_is_clean_ = true;
  std::vector<Memory> outgrown_;
};

}  // namespace bifold::core
