// The machine this program runs on.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

struct HostInfo {
  std::string cpu;
  unsigned threads = 0;
  std::string os;
  std::uint64_t cache_bytes = 0;  ///< Last-level cache, 0 when unknown.
};

HostInfo host_info();

/// Memory this process may still take, as far as the system tells; 0 when it does not.
std::uint64_t host_bytes_available();

/// "2025-01-31T12:00:00Z".
std::string utc_now();

}  // namespace bench
