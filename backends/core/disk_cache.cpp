#include "core/disk_cache.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "core/cache_files.hpp"
#include "core/format.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"

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

// Whether a file is an entry of this cache, finished or not: 32 hexadecimal digits, the suffix, and
// for an unfinished one ".process.counter".
bool is_entry(std::string_view name) {
  const auto hexadecimal = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  const auto digit_or_dot = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
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
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error) return {};
  const auto reject = [&path](std::string_view why) -> Lookup {
    log().debug("kernel cache: {} ignored: {}", path.string(), why);
    return {{}, true};
  };
  // Binaries are code: nobody else's are run.
  if (!is_own(path)) return reject("another user's");
  Header header{};
  std::ifstream file(path, std::ios::binary);
  if (size < sizeof header || !file.read(reinterpret_cast<char*>(&header), sizeof header)) {
    return reject("shorter than its header");
  }
  if (header.magic != magic) return reject("not of this format");
  // Lengths are compared before anything of that length is allocated: a file may claim any size.
  const std::uint64_t rest = size - sizeof header;
  if (header.key_bytes != key.size() || header.key_bytes > rest ||
      header.payload_bytes != rest - header.key_bytes || header.payload_bytes == 0 ||
      size > limit_bytes_) {
    return reject("wrong length");
  }
  std::vector<std::byte> content(rest);
  if (!file.read(reinterpret_cast<char*>(content.data()),
                 static_cast<std::streamsize>(content.size()))) {
    return reject("could not be read");
  }
  const std::span<const std::byte> all(content);
  const auto payload = all.subspan(header.key_bytes);
  if (as_text(all.first(header.key_bytes)) != key) return reject("another program's");
  if (checksum(key, payload) != header.checksum) return reject("checksum differs");
  // Eviction goes by the time of last use.
  fs::last_write_time(path, fs::file_time_type::clock::now(), error);
  return {{payload.begin(), payload.end()}, false};
}

void DiskCache::store(const std::string& key, std::span<const std::byte> binary) const {
  if (!enabled_ || binary.empty()) return;
  const Header header{magic, key.size(), binary.size(), checksum(key, binary)};
  if (sizeof header + key.size() + binary.size() > limit_bytes_) return;
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
  struct File {
    fs::path path;
    std::uint64_t bytes;
    fs::file_time_type used;
  };
  std::vector<File> files;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end;
       it.increment(error)) {
    // Other processes write and evict at the same time: what vanished is skipped.
    std::error_code vanished;
    File file{it->path(), it->file_size(vanished), {}};
    if (!vanished) file.used = it->last_write_time(vanished);
    if (vanished || !is_entry(file.path.filename().native())) continue;
    total += file.bytes;
    files.push_back(std::move(file));
  }
  if (total <= limit_bytes_) return;
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.used < b.used; });
  for (const File& file : files) {
    if (total <= limit_bytes_) break;
    std::error_code ignored;
    if (fs::remove(file.path, ignored)) total -= file.bytes;
  }
}

}  // namespace bifold::core
