// Numbers that name things where an address would come back for another.
#pragma once

#include <atomic>
#include <cstdint>

namespace bifold::core {

/// Above 0, and given once in the process.
inline std::uint64_t next_identity() noexcept {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace bifold::core
