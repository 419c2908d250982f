// A queue's scratch memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/device/scratch.hpp"
#include "interface.hpp"

namespace bifold::core {

/// Where results come to the host.
struct ResultSlot {
  Memory memory;
  const std::byte* host = nullptr;  ///< Where the host reads it in place; null where it does not.
  std::byte* stage = nullptr;       ///< Else, where to download it to.
};

/// Memory for the calls of one in-order queue, which use it one after another. It grows to what
/// they needed. A block that became too small may still be in use and is retired behind an event:
/// freeing it can wait for the device, which an enqueuing call must not, so that is left to the
/// calls that block. As blocks double, all retired by growth are together smaller than the one in
/// use. What work may still write to is never freed: it is waited for, and where that fails, kept
/// for the life of the process, which is logged. Not thread-safe: its queue's lock protects it.
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

  /// Room for results on their way to the host, which work may write to until take_back_slot(). The
  /// host reads them in place where the device has such memory and the application brings none of
  /// its own.
  ResultSlot lend_slot(std::uint64_t bytes = max_element_bytes);
  /// That work has ended. Whoever was lent the slot calls it, without the queue's lock.
  void take_back_slot() noexcept { slot_lent_ = false; }

  /// After a failed call: the tagged words may be in any state and are zeroed before their next
  /// use.
  void distrust() noexcept { clean_bytes_ = 0; }

  /// Frees the retired blocks whose work is done.
  void collect();

  /// Frees every block. The queue's work is done.
  void trim() noexcept { give_back(true); }

 private:
  struct Retired {
    Memory memory;
    std::unique_ptr<backend::Event> done;
  };

  Memory allocate(std::uint64_t bytes);
  void release(const Memory& block) noexcept;
  [[nodiscard]] bool work_ends() noexcept;
  void give_back_slot(bool work_has_ended) noexcept;
  void keep(std::uint64_t bytes) noexcept;
  void give_back(bool work_has_ended) noexcept;
  void grow(std::uint64_t bytes);

  std::shared_ptr<backend::Device> device_;
  backend::Queue& queue_;
  ScratchAllocator allocator_;
  Memory block_;
  backend::HostVisible slot_;
  std::unique_ptr<std::vector<std::byte>> stage_;
  bool slot_lent_ = false;
  std::uint64_t clean_bytes_ = 0;  // Of its tagged words: from the first one on.
  std::vector<Retired> retired_;
};

}  // namespace bifold::core
