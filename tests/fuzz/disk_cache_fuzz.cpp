// Entries of the kernel cache: what is loaded is what was stored under that key, or nothing.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.hpp"
#include "core/kernel/disk_cache.hpp"

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

const std::string key = "made up";
constexpr std::size_t header_bytes = 32;
constexpr std::size_t checksum_at = 24;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

std::span<const std::byte> as_bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// A cache with one entry, whose file can be written anew.
struct Place {
  Place() {
    std::string pattern = (fs::temp_directory_path() / "bifold-fuzz-XXXXXX").string();
    require(mkdtemp(pattern.data()) != nullptr);
    options.directory = pattern;
    bifold::core::DiskCache(options).store(key, as_bytes("code"));
    file = fs::directory_iterator(options.directory)->path();
  }
  ~Place() {
    std::error_code ignored;
    fs::remove_all(options.directory, ignored);
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  bifold::CacheOptions options;
  fs::path file;
};

std::uint64_t checksum_of(std::string_view payload) {
  return bifold::core::hash(payload, bifold::core::hash(key));
}

void append(Bytes& bytes, std::uint64_t number) {
  for (const std::uint8_t byte : std::bit_cast<std::array<std::uint8_t, sizeof number>>(number)) {
    bytes.push_back(byte);
  }
}

/// The entry for the key with that binary.
Bytes entry_of(std::string_view payload) {
  constexpr std::string_view magic = "bifold01";
  Bytes bytes(magic.begin(), magic.end());
  append(bytes, key.size());
  append(bytes, payload.size());
  append(bytes, checksum_of(payload));
  bytes.insert(bytes.end(), key.begin(), key.end());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

void check(const Bytes& entry) {
  static const Place place;
  std::FILE* file = std::fopen(place.file.c_str(), "wb");
  require(file != nullptr);
  require(std::fwrite(entry.data(), 1, entry.size(), file) == entry.size());
  require(std::fclose(file) == 0);
  const auto found = bifold::core::DiskCache(place.options).load(key);
  const std::string_view payload(reinterpret_cast<const char*>(found.binary.data()),
                                 found.binary.size());
  const std::size_t before = header_bytes + key.size();
  const std::string_view whole(reinterpret_cast<const char*>(entry.data()), entry.size());
  const bool right = entry.size() > before && entry == entry_of(whole.substr(before));
  require(found.rejected != right);
  require(right == !payload.empty());
  require(!right || entry == entry_of(payload));
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes entry(data, data + size);
  check(entry);
  const std::size_t before = header_bytes + key.size();
  if (size > before) {
    // With a checksum that fits, lengths and key decide.
    const std::string_view payload(reinterpret_cast<const char*>(data) + before, size - before);
    const std::uint64_t checksum = checksum_of(payload);
    std::memcpy(entry.data() + checksum_at, &checksum, sizeof checksum);
    check(entry);
  }
  check(entry_of({reinterpret_cast<const char*>(data), size}));
  return 0;
}
