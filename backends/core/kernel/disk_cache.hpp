// Binaries on disk. An optimisation only: every failure here is a message in the log, never an
// error.
#pragma once

#include <bifold/device.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace bifold::core {

/// One file per entry, named by a hash of its key:
///   8 bytes magic and format, 8 bytes key length, 8 bytes payload length, 8 bytes checksum of key
///   and payload, key, payload; integers little-endian as the host writes them.
/// What others could have written is not loaded: see PrivateFolder. Before any byte reaches a
/// driver, lengths, checksum and the complete key are compared: some drivers crash on damaged
/// binaries. Thread-safe.
class DiskCache {
 public:
  explicit DiskCache(const CacheOptions& options);

  struct Lookup {
    std::vector<std::byte> binary;  ///< Empty when there is none.
    bool rejected = false;          ///< There was a file, but it was damaged or not trusted.
  };

  [[nodiscard]] bool enabled() const noexcept { return enabled_; }
  [[nodiscard]] Lookup load(const std::string& key) const;
  void store(const std::string& key, std::span<const std::byte> binary) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;
  void evict() const;

  bool enabled_;
  std::uint64_t limit_bytes_;
  std::filesystem::path directory_;
};

}  // namespace bifold::core
