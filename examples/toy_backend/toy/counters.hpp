// What a device and its queues count, from any thread.
#pragma once

#include <atomic>
#include <cstdint>

namespace bifold::backend::toy {

struct Counters {
  std::atomic<std::uint64_t> programs{0};
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> uploaded{0};
  std::atomic<std::uint64_t> downloaded{0};
};

}  // namespace bifold::backend::toy
