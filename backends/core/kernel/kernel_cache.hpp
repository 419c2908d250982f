// A device's compiled kernels, in memory and on disk.
#pragma once

#include <bifold/device.hpp>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/kernel/disk_cache.hpp"
#include "core/kernel/kernel_source.hpp"
#include "interface.hpp"

namespace bifold::core {

/// Compiles every program once, whichever threads ask for it. A program is known by its complete
/// text and options; on disk also by device, driver and compiler versions. Thread-safe.
class KernelCache {
 public:
  KernelCache(backend::Device& device, const CacheOptions& options);

  /// The kernel of that specification, from memory, from disk, or compiled on this thread.
  std::shared_ptr<const backend::Kernel> get(const KernelSpec& spec);

  [[nodiscard]] CacheStatistics statistics() const;

  /// Whether programs that are made from now on may go again, and whether there are too many.
  [[nodiscard]] bool is_half_full() const;
  [[nodiscard]] bool is_over_full() const;
  /// Drops programs that may go and that nobody uses, the least recently asked for first, until
  /// there are no longer too many. Whether there was one.
  bool drop_unused();

 private:
  struct Entry {
    std::mutex mutex;  // Held while the program is being made; others wait for it.
    std::shared_ptr<const backend::Program> program;
    std::unordered_map<std::string, std::shared_ptr<const backend::Kernel>> kernels;
    bool may_go = true;  // These two are of the cache's mutex.
    std::uint64_t asked = 0;
  };
  std::shared_ptr<const backend::Program> make(const backend::Source& source);

  backend::Device& device_;
  DiskCache disk_;
  std::uint64_t limit_;
  mutable std::mutex mutex_;  // Protects those below.
  std::uint64_t clock_ = 0;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
  CacheStatistics statistics_{};
};

}  // namespace bifold::core
