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

inline void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  REQUIRE(stream.good());
}

}  // namespace bifold::test
