#include "embed/offline_opencl.hpp"

#include <bifold/error.hpp>
#include <span>
#include <string>
#include <utility>

#include "core/base/format.hpp"
#include "opencl/program/options.hpp"

namespace bifold::backend {

// Generated from the kernel files.
std::span<const std::pair<std::string_view, std::string_view>> opencl_kernel_files();
std::span<const std::pair<std::string_view, std::string_view>> opencl_kernel_paths();

}  // namespace bifold::backend

namespace bifold::embed {

namespace {

Capabilities common() {
  Capabilities has{};
  has.global_bytes = std::uint64_t{8} << 30U;
  has.max_allocation_bytes = std::uint64_t{4} << 30U;
  has.compute_units = 1;
  has.f64 = true;
  has.atomics64 = true;
  has.atomic_scope = AtomicScope::device;
  has.acquire_release = true;
  has.denormals_f32 = true;
  has.denormals_f64 = true;
  has.rounds_division_f32 = true;
  has.progress = ForwardProgress::started_groups;
  has.atomics = "c11";
  return has;
}

}  // namespace

Capabilities offline_cpu() {
  Capabilities has = common();
  has.local_bytes = 1U << 20U;
  has.max_group_size = 4096;
  has.lanes = "local";
  has.unified_memory = true;
  return has;
}

Capabilities offline_gpu() {
  Capabilities has = common();
  has.local_bytes = 64U << 10U;
  has.max_group_size = 1024;
  has.subgroup_width = 32;
  has.lanes = "subgroup";
  return has;
}

OfflineOpenclDevice::OfflineOpenclDevice(const Capabilities& capabilities)
    : OfflineDevice(capabilities, backend::opencl::options_with(backend::opencl::plain_language,
                                                                capabilities.rounds_division_f32)) {
}

std::string_view OfflineOpenclDevice::kernel_file(std::string_view name) const {
  for (const auto& [base, text] : backend::opencl_kernel_files()) {
    if (base == name) return text;
  }
  throw Error(ErrorCategory::build_failure,
              core::formatted("there is no kernel part \"{}\" in OpenCL C", name));
}

std::string_view OfflineOpenclDevice::path_of_part(std::string_view part) const noexcept {
  for (const auto& [name, path] : backend::opencl_kernel_paths()) {
    if (name == part) return path;
  }
  return {};
}

}  // namespace bifold::embed
