#include "opencl/device/capabilities.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "opencl/driver/query.hpp"
#include "opencl/program/options.hpp"
#include "opencl/program/path_probes.hpp"

namespace bifold::backend::opencl {

namespace {

// Numeric names of what is newer than the headers are configured for, or an extension.
constexpr cl_device_info device_atomic_memory_capabilities = 0x1063;
constexpr cl_device_info device_atomic_fence_capabilities = 0x1064;
constexpr cl_device_info device_compute_capability_major_nv = 0x4000;
constexpr cl_device_info device_compute_capability_minor_nv = 0x4001;
constexpr cl_device_info device_sub_group_sizes_intel = 0x4108;
constexpr cl_bitfield atomic_order_acq_rel = 1U << 1U;
constexpr cl_bitfield atomic_scope_device = 1U << 5U;

bool has_all(cl_bitfield value, cl_bitfield wanted) { return (value & wanted) == wanted; }

// What order v1 needs of a floating type: denormals kept, rounding to nearest, Inf and NaN.
bool keeps_values(cl_device_fp_config config) {
  return has_all(config, CL_FP_DENORM | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN);
}

std::uint32_t narrowed(std::size_t value) {
  return static_cast<std::uint32_t>(
      std::min<std::size_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

std::uint32_t max_group_size(cl_device_id device) {
  const auto dimensions = device_value<cl_uint>(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
  std::vector<std::size_t> items(std::max<cl_uint>(dimensions, 1), 0);
  check(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, items.size() * sizeof(std::size_t),
                        items.data(), nullptr),
        "clGetDeviceInfo", Step::open);
  return narrowed(
      std::min(items.front(), device_value<std::size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE)));
}

// Newest language version with C11 atomics that the device compiles, 0 when it has none.
std::uint32_t c11_language(cl_device_id device) {
  std::uint32_t newest = 0;
  for (const std::uint32_t version : language_versions(device)) {
    if (version >= 20 && version <= 30) {
      newest = std::max(newest, version);
    }
  }
  return newest;
}

void read_atomics(cl_device_id device, const std::string& extensions, bool ptx,
                  Capabilities& capabilities) {
  const bool words64 = has_extension(extensions, "cl_khr_int64_base_atomics") &&
                       has_extension(extensions, "cl_khr_int64_extended_atomics");
  const std::uint32_t version = version_in(device_text(device, CL_DEVICE_VERSION));

  bool device_scope = true;  // Atomics of 1.2 know no scope: they hold for the whole device.
  bool acquire_release = false;
  if (version >= 30) {
    const auto memory = device_value<cl_bitfield>(device, device_atomic_memory_capabilities);
    const auto fence = device_value<cl_bitfield>(device, device_atomic_fence_capabilities);
    device_scope = has_all(memory, atomic_scope_device);
    acquire_release = has_all(memory, atomic_scope_device | atomic_order_acq_rel) &&
                      has_all(fence, atomic_scope_device | atomic_order_acq_rel);
  } else if (version >= 20) {
    acquire_release = true;  // 2.x leaves a device no choice.
  }

  if (ptx) {
    capabilities.atomics = "ptx";
    capabilities.atomics64 = true;
    capabilities.atomic_scope = AtomicScope::device;
    capabilities.acquire_release = true;
    return;
  }
  // Fences count only where the language that spells them is compiled.
  acquire_release = acquire_release && c11_language(device) != 0;
  capabilities.atomics64 = words64;
  capabilities.atomic_scope = device_scope ? AtomicScope::device : AtomicScope::work_group;
  capabilities.acquire_release = acquire_release;
  if (words64 && acquire_release) {
    capabilities.atomics = "c11";
  } else {
    capabilities.atomics = words64 ? "legacy" : "none";
  }
}

// "-cl-std=..." for the newest language the kernels' paths want.
std::string_view language_option(cl_device_id device, bool newest) {
  const std::uint32_t version = newest ? c11_language(device) : 0;
  return version >= 30 ? "-cl-std=CL3.0" : version >= 20 ? "-cl-std=CL2.0" : plain_language;
}

// The width of sub-groups that kernels may require and that shuffle rightly; 0 where there are
// none. Of several, 32: what a work-item holds of a tile is tuned for about that many lanes. On a
// CPU a lane is a turn of a loop and gains nothing, and one vendor's compiler was seen to shuffle
// wrongly behind two loops that lanes leave at different times.
std::uint32_t subgroup_width(const cl::Context& context, const cl::Device& device,
                             const std::string& extensions) {
  if (kind_of(device()) != DeviceKind::gpu) return 0;
  for (const char* needed : {"cl_khr_subgroup_shuffle", "cl_intel_required_subgroup_size"}) {
    if (!has_extension(extensions, needed)) return 0;
  }
  std::array<std::size_t, 16> sizes{};
  std::size_t bytes = 0;
  if (clGetDeviceInfo(device(), device_sub_group_sizes_intel, sizeof sizes, sizes.data(), &bytes) !=
      CL_SUCCESS) {
    return 0;
  }
  std::uint32_t width = 0;
  for (std::size_t i = 0; i < bytes / sizeof sizes.front(); ++i) {
    if (sizes[i] <= 32) width = std::max(width, static_cast<std::uint32_t>(sizes[i]));
  }
  const bool works =
      width > 1 && c11_language(device()) != 0 &&
      subgroups_work(context, device, width, std::string(language_option(device(), true)));
  return works ? width : 0;
}

// Of a GPU that is not NVIDIA's. AMD's driver calls a device by its architecture and what is
// switched on, as "gfx90a:sramecc+:xnack-".
std::string architecture_of(cl_device_id device) {
  constexpr cl_uint vendor_intel = 0x8086;
  if (kind_of(device) != DeviceKind::gpu) return {};
  const std::string name = device_text(device, CL_DEVICE_NAME);
  if (name.starts_with("gfx")) return name.substr(0, name.find(':'));
  return device_value<cl_uint>(device, CL_DEVICE_VENDOR_ID) == vendor_intel ? "intel" : "";
}

bool is_on(cl_device_id device, std::string_view platform) {
  auto* const id = device_value<cl_platform_id>(device, CL_DEVICE_PLATFORM);
  return platform_text(id, CL_PLATFORM_NAME) == platform;
}

constexpr std::string_view pocl = "Portable Computing Language";

// Whether all of bifold's tests run on such platforms, with inputs that take the longest loops:
// then nothing has to be tried when a device is opened, nor when it meets a struct. The interpreter
// would take seconds for the loop.
bool is_tested(cl_device_id device) {
  return is_nvidias(device) || is_on(device, pocl) || is_on(device, "Oclgrind");
}

ForwardProgress progress_of(cl_device_id device, cl_uint nvidia_major, DeviceKind kind) {
  // From Volta on, a work-group that has started keeps its place and its threads are scheduled.
  if (nvidia_major >= 7) {
    return ForwardProgress::started_groups;
  }
  // PoCL runs each started work-group to its end on a thread of the operating system.
  if (kind == DeviceKind::cpu && is_on(device, pocl)) return ForwardProgress::started_groups;
  return ForwardProgress::unknown;
}

}  // namespace

DeviceKind kind_of(cl_device_id device) {
  const auto type = device_value<cl_device_type>(device, CL_DEVICE_TYPE);
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return DeviceKind::gpu;
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return DeviceKind::cpu;
  return DeviceKind::accelerator;
}

DeviceInfo describe(cl_device_id device, std::string selector, std::uint32_t index) {
  DeviceInfo info{};
  info.selector = std::move(selector);
  info.backend = "opencl";
  info.index = index;
  info.kind = kind_of(device);
  info.name = device_text(device, CL_DEVICE_NAME);
  info.vendor = device_text(device, CL_DEVICE_VENDOR);
  info.platform = platform_of(device);
  info.driver = device_text(device, CL_DRIVER_VERSION);
  return info;
}

Capabilities read_capabilities(const cl::Context& context, const cl::Device& device) {
  auto* const id = device();
  const std::string extensions = device_text(id, CL_DEVICE_EXTENSIONS);
  const bool nvidia = is_nvidias(id);
  const auto major =
      nvidia ? device_value<cl_uint>(id, device_compute_capability_major_nv) : cl_uint{0};
  const auto minor =
      nvidia ? device_value<cl_uint>(id, device_compute_capability_minor_nv) : cl_uint{0};

  Capabilities result{};
  result.global_bytes = device_value<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE);
  result.max_allocation_bytes = device_value<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  result.local_bytes = device_value<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE);
  // NVIDIA answers with the first-level caches of all multiprocessors, which is not what this is.
  result.cache_bytes =
      nvidia ? 0 : device_value_or<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 0);
  result.compute_units = device_value<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  result.max_group_size = max_group_size(id);

  const auto config64 = device_value_or<cl_device_fp_config>(id, CL_DEVICE_DOUBLE_FP_CONFIG, 0);
  result.f64 = config64 != 0;
  result.f16 = has_extension(extensions, "cl_khr_fp16");
  const auto config32 = device_value<cl_device_fp_config>(id, CL_DEVICE_SINGLE_FP_CONFIG);
  result.denormals_f32 = keeps_values(config32);
  result.rounds_division_f32 = has_all(config32, CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
  result.denormals_f64 = result.f64 && keeps_values(config64);
  result.unified_memory =
      device_value_or<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_FALSE) == CL_TRUE;
  result.progress = progress_of(id, major, kind_of(id));
  result.architecture = nvidia ? "sm_" + std::to_string(10 * major + minor) : architecture_of(id);

  const bool ptx = nvidia && ptx_works(context, device);
  result.ring_bytes = ptx && major >= 9 ? ring_bytes(context, device) : 0;
  result.subgroup_width = ptx ? 32 : subgroup_width(context, device, extensions);
  result.lanes = ptx ? "ptx" : result.subgroup_width > 0 ? "subgroup" : "local";
  read_atomics(id, extensions, ptx, result);
  result.tries_types = !is_tested(id);
  if (result.tries_types) result.loop_turns = loop_turns(context, device);
  return result;
}

std::string compile_options_for(const cl::Device& device, const Capabilities& capabilities) {
  const bool newest = capabilities.atomics == "c11" || capabilities.lanes == "subgroup";
  return options_with(language_option(device(), newest), capabilities.rounds_division_f32);
}

}  // namespace bifold::backend::opencl
