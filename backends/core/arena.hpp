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
/// that became too small is freed once the work that uses it is done. Not thread-safe: its queue's
/// lock protects it.
class Arena {
 public:
  explicit Arena(std::shared_ptr<backend::Device> device) : device_(std::move(device)) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Scratch of at least `size`, valid for work enqueued before the next call of reserve. May
  /// enqueue a fill. Throws out_of_memory with the arena as it was.
  Scratch reserve(backend::Queue& queue, ScratchSize size);

  /// Eight bytes for a result on its way to the host.
  const Memory& result_cell();

  /// After a failed call: the tagged words may be in any state and are zeroed before their next
  /// use.
  void distrust() noexcept { tagged_is_clean_ = false; }

 private:
  struct Retired {
    Memory memory;
    std::unique_ptr<backend::Event> last_use;
  };
  void grow(backend::Queue& queue, Memory& block, std::uint64_t bytes);
  void free_retired() noexcept;

  std::shared_ptr<backend::Device> device_;
  Memory tagged_;
  Memory raw_;
  Memory cell_;
  bool tagged_is_clean_ = true;
  std::vector<Retired> retired_;
};

}  // namespace bifold::core
