// An application's pool of device memory.
#pragma once

#include <bifold/bifold.hpp>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "support/environment.hpp"

namespace bifold::test {

/// Scratch memory of the test's own, with every call counted.
class Pool {
 public:
  enum class Mood : std::uint8_t { good, empty, throwing, throwing_errors };

  ScratchAllocator allocator() {
    return {[](void* self, std::uint64_t bytes) { return static_cast<Pool*>(self)->take(bytes); },
            [](void* self, std::uintptr_t handle, std::uint64_t bytes) {
              static_cast<Pool*>(self)->give(handle, bytes);
            },
            this};
  }
  /// The device under test, with this pool.
  Device open() {
    DeviceOptions options;
    options.scratch = allocator();
    return open_device(test::device().info().selector, options);
  }
  /// Where the memory comes from, of the device that open() gave.
  void use(const Device& device) { device_ = device; }
  void be(Mood mood) { mood_ = mood; }
  /// From now on gives what was given back out again as it is. Such blocks end with the pool.
  void recycle() { recycles_ = true; }

  [[nodiscard]] std::size_t blocks() {
    const std::lock_guard lock(mutex_);
    return blocks_.size();
  }
  [[nodiscard]] std::size_t taken() {
    const std::lock_guard lock(mutex_);
    return taken_;
  }
  [[nodiscard]] bool mistaken() {
    const std::lock_guard lock(mutex_);
    return mistaken_;
  }

 private:
  std::uintptr_t take(std::uint64_t bytes) {
    if (mood_ == Mood::empty) return 0;
    if (mood_ == Mood::throwing) throw std::runtime_error("the pool is closed");
    if (mood_ == Mood::throwing_errors) throw Error(ErrorCategory::device_lost, "gone");
    const std::lock_guard lock(mutex_);
    if (!device_) return 0;
    auto spare = spare_.extract(bytes);
    Buffer<std::uint8_t> buffer =
        spare ? std::move(spare.mapped()) : Buffer<std::uint8_t>(*device_, bytes);
    const std::uintptr_t handle = buffer.view().memory().handle;
    blocks_.emplace(handle, std::move(buffer));
    ++taken_;
    return handle;
  }
  void give(std::uintptr_t handle, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(handle);
    mistaken_ = mistaken_ || found == blocks_.end() || found->second.size() != bytes;
    if (found == blocks_.end()) return;
    if (recycles_) spare_.emplace(bytes, std::move(found->second));
    blocks_.erase(found);
  }

  std::mutex mutex_;
  Mood mood_ = Mood::good;
  std::optional<Device> device_;
  std::map<std::uintptr_t, Buffer<std::uint8_t>> blocks_;
  std::multimap<std::uint64_t, Buffer<std::uint8_t>> spare_;  // By their bytes.
  bool recycles_ = false;
  std::size_t taken_ = 0;
  bool mistaken_ = false;
};

}  // namespace bifold::test
