// For tests of files that lie beside the kernel cache: a device that they may be of, and the files.
#pragma once

#include <doctest/doctest.h>

#include <bifold/device.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

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

inline CacheOptions cache_in(const std::filesystem::path& folder) {
  CacheOptions options;
  options.directory = folder;
  return options;
}

inline std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Makes a folder that a cache may lie in, whatever the umask.
inline void make_private(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
}

/// A file that nobody else can write to, whatever the umask.
inline void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  REQUIRE(stream.good());
  std::filesystem::permissions(
      file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

}  // namespace bifold::test
