// Devices and backends of no machine, for what chooses among them.
#pragma once

#include <array>
#include <bifold/device.hpp>
#include <cstdint>
#include <string>
#include <utility>

namespace bifold::test {

inline DeviceInfo made_up_device(std::string backend, std::uint32_t index, DeviceKind kind,
                                 std::string name, std::string vendor, std::string platform) {
  std::string selector = backend + ':' + std::to_string(index);
  return {.selector = std::move(selector),
          .backend = std::move(backend),
          .index = index,
          .kind = kind,
          .name = std::move(name),
          .vendor = std::move(vendor),
          .platform = std::move(platform),
          .driver = "1"};
}

/// A GPU by both backends, and two CPUs of one driver.
inline std::array<DeviceInfo, 4> made_up_devices() {
  constexpr const char* pocl = "Portable Computing Language, OpenCL 3.0 PoCL";
  return {
      made_up_device("cuda", 0, DeviceKind::gpu, "NVIDIA H200", "NVIDIA Corporation", "CUDA 13"),
      made_up_device("opencl", 0, DeviceKind::cpu, "pthread-XEON", "GenuineIntel", pocl),
      made_up_device("opencl", 1, DeviceKind::cpu, "basic-XEON", "GenuineIntel", pocl),
      made_up_device("opencl", 2, DeviceKind::gpu, "NVIDIA H200", "NVIDIA Corporation",
                     "NVIDIA CUDA, OpenCL 3.0 CUDA 13")};
}

inline std::array<BackendInfo, 2> made_up_backends() {
  return {BackendInfo{"cuda", true, "", "13.0"}, BackendInfo{"opencl", true, "", "3.0"}};
}

}  // namespace bifold::test
