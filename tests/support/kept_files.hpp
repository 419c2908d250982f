// For tests of files that lie beside the kernel cache: a device that they may be of, the files, and
// what the library says of them.
#pragma once

#include <doctest/doctest.h>

#include <bifold/device.hpp>
#include <bifold/log.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace bifold::test {

inline DeviceInfo made_up_device() {
  DeviceInfo info{};
  info.selector = "opencl:0";
  info.backend = "opencl";
  info.kind = DeviceKind::gpu;
  info.name = "Made Up 9000";
  info.vendor = "Nobody";
  info.driver = "1.2";
  return info;
}

/// Warnings of the library while it lives.
class Warnings {
 public:
  Warnings() {
    set_log(LogLevel::warning,
            [this](LogLevel, std::string_view message) { all_.emplace_back(message); });
  }
  ~Warnings() { set_log(LogLevel::off, {}); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;

  [[nodiscard]] std::size_t count() const { return all_.size(); }
  [[nodiscard]] bool mention(std::string_view words) const {
    for (const std::string& message : all_) {
      if (message.find(words) != std::string::npos) return true;
    }
    return false;
  }

 private:
  std::vector<std::string> all_;
};

inline CacheOptions cache_in(const std::filesystem::path& folder) {
  CacheOptions options;
  options.directory = folder;
  return options;
}

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  REQUIRE(stream.good());
}

}  // namespace bifold::test
