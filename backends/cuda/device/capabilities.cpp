#include "cuda/device/capabilities.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/printable.hpp"
#include "cuda/driver/error.hpp"

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
          .name = core::printable(name.data()),
          .vendor = "NVIDIA Corporation",
          .platform = "CUDA " + version,
          .driver = version};
}

Capabilities capabilities_of(int architecture) {
  // From 7.0 on, threads are scheduled one by one and the memory model defines scopes.
  const bool volta = architecture >= 70;
  Capabilities has{};
  has.max_group_size = 1024;
  has.subgroup_width = 32;
  has.f64 = true;
  has.f16 = architecture >= 53;
  has.atomics64 = true;
  has.atomic_scope = AtomicScope::device;
  has.acquire_release = volta;
  has.denormals_f32 = true;
  has.denormals_f64 = true;
  has.rounds_division_f32 = true;
  has.progress = volta ? ForwardProgress::started_groups : ForwardProgress::unknown;
  has.architecture = "sm_" + std::to_string(architecture);
  has.lanes = "shuffle";
  has.atomics = "ptx";
  return has;
}

bool has_bulk_copies(int architecture, int driver_version) {
  // PTX of sm_90 knows them from its version 8.0 on, which came with CUDA 12.0.
  return architecture >= 90 && driver_version >= 12000;
}

bool has_overlapped_launches(int architecture, int driver_version) {
  // That kernels can wait, which is all that decides about their text.
  return has_bulk_copies(architecture, driver_version);
}

Capabilities read_capabilities(CUdevice device) {
  std::size_t bytes = 0;
  check(driver().cuDeviceTotalMem(&bytes, device), "cuDeviceTotalMem");
  const int architecture = architecture_of(device);
  Capabilities has = capabilities_of(architecture);
  has.global_bytes = bytes;
  has.max_allocation_bytes = bytes;
  has.local_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  has.cache_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  if (has_bulk_copies(architecture, driver().version)) {
    has.ring_bytes = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  }
  has.overlapped_launches = has_overlapped_launches(architecture, driver().version);
  has.compute_units = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  has.max_group_size = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  has.subgroup_width = attribute(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  has.unified_memory = attribute(device, CU_DEVICE_ATTRIBUTE_INTEGRATED) != 0;
  return has;
}

}  // namespace bifold::backend::cuda
