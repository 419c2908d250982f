// A queue's scratch memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/scratch.hpp"
#include "interface.hpp"

namespace bifold::core {

/// Memory for the calls of one in-order queue, which use it one after another. It grows to what
/// they needed. A block that became too small may still be in use and is retired behind an event:
/// freeing it can wait for the device, which an enqueuing call must not, so that is left to the
/// calls that block. As blocks double, all retired by growth are together smaller than the one in
/// use. Not thread-safe: its queue's lock protects it.
class Arena {
 public:
  /// The queue lives longer. An allocator without functions stands for the device's own memory.
  Arena(std::shared_ptr<backend::Device> device, backend::Queue& queue,
        const ScratchAllocator& allocator);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Scratch of at least `size`, valid for work enqueued before the next call of reserve. May
  /// enqueue a fill. Throws out_of_memory, and stays usable.
  Scratch reserve(ScratchSize size);

  /// Room for one element of any type: a result on its way to the host. It lies where the host
  /// reads it, where the device has such memory and the application brings none of its own.
  const backend::HostVisible& result_cell();

  /// After a failed call: the tagged words may be in any state and are zeroed before their next
  /// use.
  void distrust() noexcept { clean_bytes_ = 0; }

  /// Frees the retired blocks whose work is done.
  void collect();

  /// Frees every block. The queue's work is done.
  void trim() noexcept;

 private:
  struct Retired {
    Memory memory;
    std::unique_ptr<backend::Event> done;
  };

  Memory allocate(std::uint64_t bytes);
  void release(const Memory& block) noexcept;
  void grow(std::uint64_t bytes);

  std::shared_ptr<backend::Device> device_;
  backend::Queue& queue_;
  ScratchAllocator allocator_;
  Memory block_;
  backend::HostVisible cell_;
  std::uint64_t clean_bytes_ = 0;  // Of its tagged words: from the first one on.
  std::vector<Retired> retired_;
};

}  // namespace bifold::core
