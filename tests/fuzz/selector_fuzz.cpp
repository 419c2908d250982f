// Selectors: whatever the text, a device is found or an Error says why not.
#include <array>
#include <bifold/error.hpp>
#include <cstdint>
#include <string_view>

#include "core/device/selector.hpp"

namespace {

std::array<bifold::DeviceInfo, 3> known_devices() {
  std::array<bifold::DeviceInfo, 3> devices;
  devices[0].selector = "cuda:0";
  devices[0].backend = "cuda";
  devices[0].name = "NVIDIA H200";
  devices[0].vendor = "NVIDIA";
  devices[0].kind = bifold::DeviceKind::gpu;
  devices[1].selector = "opencl:0";
  devices[1].backend = "opencl";
  devices[1].name = "pthread-INTEL(R) XEON(R)";
  devices[1].kind = bifold::DeviceKind::cpu;
  devices[2] = devices[1];
  devices[2].selector = "opencl:1";
  devices[2].index = 1;
  return devices;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto devices = known_devices();
  static const std::array<bifold::BackendInfo, 2> backends{
      bifold::BackendInfo{"cuda", true, "", ""}, bifold::BackendInfo{"opencl", true, "", ""}};
  try {
    const auto& found =
        bifold::core::select({reinterpret_cast<const char*>(data), size}, devices, backends);
    if (&found < devices.data() || &found >= devices.data() + devices.size()) __builtin_trap();
  } catch (const bifold::Error& error) {
    if (std::string_view(error.what()).empty()) __builtin_trap();
  }
  return 0;
}
