#include "cuda/driver/driver_api.hpp"

#include "core/base/process.hpp"
#include "cuda/driver/driver_error.hpp"
#include "cuda/driver/dynamic_library.hpp"
#include "cuda/driver/loaded.hpp"

namespace bifold::backend::cuda {
namespace {

constexpr const char* library_name = "libcuda.so.1";

/// Whatever fails before a device is found means that the backend cannot be used.
void check_available(const DriverApi& api, CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  throw driver_error(api, ErrorCategory::unavailable, result, call, explain(api, result));
}

DriverApi load_driver() {
  const DynamicLibrary library = open_library(library_name);
  if (library.handle == nullptr) {
    throw plain_error(ErrorCategory::unavailable, "the CUDA driver was not found: " + library.error,
                      "dlopen");
  }
  DriverApi api;
  const char* missing = nullptr;
#define BIFOLD_BIND(function, symbol) \
  if (!bind(library, symbol, api.function)) missing = symbol;
  BIFOLD_CUDA_DRIVER_FUNCTIONS(BIFOLD_BIND)
#undef BIFOLD_BIND
  if (missing != nullptr) {
    throw plain_error(
        ErrorCategory::unavailable,
        std::string("the CUDA driver is too old: ") + library_name + " has no " + missing, "dlsym");
  }
  // Works before cuInit, and without any device.
  check_available(api, api.cuDriverGetVersion(&api.version), "cuDriverGetVersion");
  constexpr int overlaps_in_graphs = 12030;
  if (api.version < overlaps_in_graphs ||
      !bind(library, "cuLaunchKernelEx", api.cuLaunchKernelEx)) {
    api.cuLaunchKernelEx = nullptr;
  }
  return api;
}

}  // namespace

const DriverApi& driver() {
  // Not destroyed: destructors that run at exit may still need it.
  static const auto& loaded = *new Loaded<DriverApi>(load_driver);
  return loaded.get();
}

const DriverApi& initialised_driver() {
  core::enter_drivers();
  const DriverApi& api = driver();
  check_available(api, api.cuInit(0), "cuInit");
  return api;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

}  // namespace bifold::backend::cuda
