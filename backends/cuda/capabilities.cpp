#include "cuda/capabilities.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "cuda/error.hpp"

namespace bifold::backend::cuda {
namespace {

std::uint32_t attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute");
  return static_cast<std::uint32_t>(std::max(value, 0));
}

}  // namespace

CUdevice device_of(std::uint32_t index) {
  CUdevice device = 0;
  check(driver().cuDeviceGet(&device, static_cast<int>(index)), "cuDeviceGet");
  return device;
}

std::uint32_t device_count() {
  int count = 0;
  check(driver().cuDeviceGetCount(&count), "cuDeviceGetCount");
  return static_cast<std::uint32_t>(std::max(count, 0));
}

int architecture_of(CUdevice device) {
  return static_cast<int>(attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10 +
                          attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
}

DeviceInfo read_info(std::uint32_t index) {
  std::array<char, 256> name{};
  check(driver().cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, device_of(index)),
        "cuDeviceGetName");
  const std::string version = version_text(driver().version);
  return {.selector = "cuda:" + std::to_string(index),
          .backend = "cuda",
          .index = index,
          .kind = DeviceKind::gpu,
          .name = name.data(),
          .vendor = "NVIDIA Corporation",
          .platform = "CUDA " + version,
          .driver = version};
}

Capabilities read_capabilities(CUdevice device) {
  std::size_t bytes = 0;
  check(driver().cuDeviceTotalMem(&bytes, device), "cuDeviceTotalMem");
  const int architecture = architecture_of(device);
  // From 7.0 on, threads are scheduled one by one and the memory model defines scopes.
  const bool volta = architecture >= 70;
  return {
      .global_bytes = bytes,
      .max_allocation_bytes = bytes,
      .local_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
      .cache_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE),
      .ring_bytes = architecture < 90
                        ? 0
                        : attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN),
      .compute_units = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
      .max_group_size = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
      .subgroup_width = attribute(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE),
      .f64 = true,
      .f16 = architecture >= 53,
      .atomics64 = true,
      .atomic_scope = AtomicScope::device,
      .acquire_release = volta,
      .denormals_f32 = true,
      .denormals_f64 = true,
      .unified_memory = attribute(device, CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0,
      .progress = volta ? ForwardProgress::started_groups : ForwardProgress::unknown,
      .architecture = "sm_" + std::to_string(architecture),
      .lanes = "shuffle",
      .atomics = "ptx",
  };
}

}  // namespace bifold::backend::cuda
