#include "embed/offline_cuda.hpp"

#include <span>
#include <string>
#include <utility>

#include "cuda/device/capabilities.hpp"
#include "cuda/program/compiler.hpp"

namespace bifold::backend {

// Generated from the kernel files.
std::span<const std::pair<std::string_view, std::string_view>> cuda_kernel_paths();

}  // namespace bifold::backend

namespace bifold::embed {

Capabilities offline_capabilities(int architecture) {
  constexpr int newest_driver = 1000000;
  Capabilities has = backend::cuda::capabilities_of(architecture);
  // Whether there is enough of it for a ring is all that matters: sm_120 has 99 KiB.
  if (backend::cuda::has_bulk_copies(architecture, newest_driver)) {
    has.ring_bytes = std::uint64_t{architecture < 120 ? 227U : 99U} << 10U;
  }
  has.overlapped_launches = backend::cuda::has_overlapped_launches(architecture, newest_driver);
  has.compute_units = 1;
  return has;
}

OfflineCudaDevice::OfflineCudaDevice(const Capabilities& capabilities, std::string_view target)
    : OfflineDevice(capabilities, std::string(backend::cuda::common_options).append(target)) {}

std::string_view OfflineCudaDevice::kernel_file(std::string_view name) const {
  return backend::cuda::kernel_text(name);
}

std::string_view OfflineCudaDevice::path_of_part(std::string_view part) const noexcept {
  for (const auto& [name, path] : backend::cuda_kernel_paths()) {
    if (name == part) return path;
  }
  return {};
}

}  // namespace bifold::embed
