#include "core/kernel/disk_cache.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/format.hpp"
#include "core/base/hash.hpp"
#include "core/base/log.hpp"
#include "core/kernel/cache_files.hpp"

namespace bifold::core {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view suffix = ".kernel";
constexpr std::array<char, 8> magic{'b', 'i', 'f', 'o', 'l', 'd', '0', '1'};

struct Header {
  std::array<char, 8> magic;
  std::uint64_t key_bytes;
  std::uint64_t payload_bytes;
  std::uint64_t checksum;
};

// Longer ones are neither kept nor read: hundreds of times what compilers give.
constexpr std::uint64_t most_entry_bytes = std::uint64_t{1} << 30;

// Whether a file is an entry of this cache, finished or not: 32 hexadecimal digits, the suffix, and
// for an unfinished one a full stop and digits, which earlier versions had two of.
bool is_entry(std::string_view name) {
  const auto hexadecimal = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  const auto digit_or_dot = [&](char c) { return hexadecimal(c) || c == '.'; };
  const std::string_view stem = name.substr(0, 32);
  if (stem.size() < 32 || !std::all_of(stem.begin(), stem.end(), hexadecimal)) return false;
  name.remove_prefix(32);
  if (name.substr(0, suffix.size()) != suffix) return false;
  name.remove_prefix(suffix.size());
  return std::all_of(name.begin(), name.end(), digit_or_dot);
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint64_t checksum(std::string_view key, std::span<const std::byte> payload) {
  return hash(as_text(payload), hash(key));
}

}  // namespace

DiskCache::DiskCache(const CacheOptions& options)
    : enabled_(options.disk && !disabled_by_environment()),
      limit_bytes_(options.limit_bytes),
      directory_(cache_directory(options)) {
  if (directory_.empty()) enabled_ = false;
}

fs::path DiskCache::file_of(const std::string& key) const {
  const std::uint64_t first = hash(key);
  return directory_ / formatted("{:016x}{:016x}{}", first, hash(key, ~first), suffix);
}

DiskCache::Lookup DiskCache::load(const std::string& key) const {
  if (!enabled_) return {};
  const fs::path path = file_of(key);
  Opened<OpenFile> opened = open_cache_file(path);
  if (!opened.thing) {
    // Binaries are code: what others could have written is not run.
    const std::string message =
        formatted("kernel cache: {} is not loaded: {}", path.string(), opened.problem);
    if (opened.refused) warn_once(message);
    if (!opened.refused && !opened.problem.empty()) log().debug("{}", message);
    return {{}, !opened.problem.empty()};
  }
  OpenFile& file = *opened.thing;
  const auto reject = [&path](std::string_view why) -> Lookup {
    log().debug("kernel cache: {} ignored: {}", path.string(), why);
    return {{}, true};
  };
  Header header{};
  if (file.bytes() < sizeof header || !file.read(std::as_writable_bytes(std::span(&header, 1)))) {
    return reject("shorter than its header");
  }
  if (header.magic != magic) return reject("not of this format");
  // Lengths are compared before anything of that length is allocated: a file may claim any size.
  const std::uint64_t rest = file.bytes() - sizeof header;
  if (header.key_bytes != key.size() || header.key_bytes > rest ||
      header.payload_bytes != rest - header.key_bytes || header.payload_bytes == 0 ||
      file.bytes() > std::min(limit_bytes_, most_entry_bytes)) {
    return reject("wrong length");
  }
  std::vector<std::byte> content(rest);
  if (!file.read(content)) return reject("could not be read");
  const std::span<const std::byte> all(content);
  const auto payload = all.subspan(header.key_bytes);
  if (as_text(all.first(header.key_bytes)) != key) return reject("another program's");
  if (checksum(key, payload) != header.checksum) return reject("checksum differs");
  file.touch();  // Eviction goes by the time of last use.
  return {{payload.begin(), payload.end()}, false};
}

void DiskCache::store(const std::string& key, std::span<const std::byte> binary) const {
  if (!enabled_ || binary.empty()) return;
  const Header header{magic, key.size(), binary.size(), checksum(key, binary)};
  if (sizeof header + key.size() + binary.size() > std::min(limit_bytes_, most_entry_bytes)) return;
  const std::string problem = write_atomically(
      file_of(key),
      {{reinterpret_cast<const char*>(&header), sizeof header}, key, as_text(binary)});
  if (!problem.empty()) {
    log().debug("kernel cache: {}", problem);
    return;
  }
  evict();
}

void DiskCache::evict() const {
  const auto folder = open_cache_folder(directory_);
  if (!folder) return;
  std::vector<PrivateFolder::Entry> files = folder->entries();
  std::erase_if(files, [](const auto& file) { return !is_entry(file.name); });
  std::uint64_t total = 0;
  for (const auto& file : files) total += file.bytes;
  if (total <= limit_bytes_) return;
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) {
    return std::pair(a.seconds, a.nanoseconds) < std::pair(b.seconds, b.nanoseconds);
  });
  // Other processes write and evict at the same time: what vanished is skipped.
  for (const auto& file : files) {
    if (total <= limit_bytes_) break;
    if (folder->remove(file.name)) total -= file.bytes;
  }
}

}  // namespace bifold::core
