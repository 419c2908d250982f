#include "measure/host.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>

namespace bench {
namespace {

/// What follows `key` and `separator` in the first line of `file` that starts with the key.
std::string value_in(const char* file, std::string_view key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    auto start = line.find(separator);
    if (start == std::string::npos) continue;
    start = line.find_first_not_of(" \t\"", start + 1);
    const auto end = line.find_last_not_of(" \t\"");
    if (start == std::string::npos || end < start) continue;
    return line.substr(start, end - start + 1);
  }
  return {};
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{}) return {};
  return value;
}

std::optional<std::uint64_t> number_in(const char* file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return {};
  return leading_number(line);
}

}  // namespace

HostInfo host_info() {
  HostInfo info;
  info.cpu = value_in("/proc/cpuinfo", "model name", ':');
  if (info.cpu.empty()) info.cpu = "unknown CPU";
  info.threads = std::thread::hardware_concurrency();
  utsname system{};
  if (uname(&system) == 0) {
    info.os = std::string(system.sysname) + ' ' + system.release + ' ' + system.machine;
  }
  const std::string distribution = value_in("/etc/os-release", "PRETTY_NAME", '=');
  if (!distribution.empty()) info.os = distribution + (info.os.empty() ? "" : ", " + info.os);
#ifdef _SC_LEVEL3_CACHE_SIZE
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (cache > 0) info.cache_bytes = static_cast<std::uint64_t>(cache);
#endif
  return info;
}

std::uint64_t host_bytes_available() {
  std::optional<std::uint64_t> available =
      leading_number(value_in("/proc/meminfo", "MemAvailable", ':'));
  if (available) *available *= 1024;
  // A container may allow less than the machine has.
  const auto limit = number_in("/sys/fs/cgroup/memory.max");
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (limit && used) {
    const std::uint64_t left = *limit > *used ? *limit - *used : 1;
    available = available ? std::min(*available, left) : left;
  }
  return available.value_or(0);
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm fields{};
  if (gmtime_r(&now, &fields) == nullptr) return {};
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &fields);
  return {text, length};
}

}  // namespace bench
