#include "cuda/driver/nvrtc_api.hpp"

#include <algorithm>
#include <cstdlib>

#include "cuda/driver/driver_api.hpp"
#include "cuda/driver/dynamic_library.hpp"
#include "cuda/driver/error.hpp"
#include "cuda/driver/loaded.hpp"

namespace bifold::backend::cuda {
namespace {

constexpr int oldest_major = 11;

/// NVRTC 11.2 to 11.8 share one name; since 12 the name holds the major version alone.
std::string library_name(int major) {
  return "libnvrtc.so." + (major == 11 ? std::string("11.2") : std::to_string(major));
}

/// Folder prefixes in search order; the first, empty, leaves it to the loader.
std::vector<std::string> search_folders() {
  std::vector<std::string> roots;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the library never writes the environment.
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr && *home != '\0') {
    roots.emplace_back(home);
  }
  constexpr const char* usual = "/usr/local/cuda";
  if (roots.empty() || roots.front() != usual) roots.emplace_back(usual);
  std::vector<std::string> folders{""};
  for (const std::string& root : roots) {
    folders.push_back(root + "/lib64/");
    folders.push_back(root + "/lib/");
  }
  return folders;
}

/// Fills `api` from an opened library; the reason when that cannot be done.
std::string read_library(const DynamicLibrary& library, int driver_major, NvrtcApi& api) {
  const char* missing = nullptr;
#define BIFOLD_BIND(function) \
  if (!bind(library, #function, api.function)) missing = #function;
  BIFOLD_NVRTC_FUNCTIONS(BIFOLD_BIND)
#undef BIFOLD_BIND
  if (missing != nullptr) return std::string("it has no ") + missing;
  int count = 0;
  if (api.nvrtcVersion(&api.major, &api.minor) != NVRTC_SUCCESS ||
      api.nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count <= 0) {
    return "it does not tell its version and targets";
  }
  if (api.major > driver_major) return "it is NVRTC " + version_text(api);
  api.architectures.resize(static_cast<std::size_t>(count));
  if (api.nvrtcGetSupportedArchs(api.architectures.data()) != NVRTC_SUCCESS) {
    return "it does not tell its targets";
  }
  std::sort(api.architectures.begin(), api.architectures.end());
  return {};
}

NvrtcApi load_nvrtc() { return find_nvrtc(driver().version); }

}  // namespace

NvrtcApi find_nvrtc(int driver_version) {
  const int driver_major = driver_version / 1000;
  std::string tried;
  for (int major = driver_major; major >= oldest_major; --major) {
    for (const std::string& folder : search_folders()) {
      const std::string path = folder + library_name(major);
      const DynamicLibrary library = open_library(path);
      NvrtcApi api;
      const std::string reason =
          library.handle == nullptr ? library.error : read_library(library, driver_major, api);
      if (reason.empty()) return api;
      tried.append("\n  ").append(path).append(": ").append(reason);
    }
  }
  throw plain_error(ErrorCategory::unavailable,
                    "no NVRTC for a driver of CUDA " + version_text(driver_version) +
                        (tried.empty() ? ", which is older than any supported" : ":" + tried),
                    "dlopen");
}

const NvrtcApi& nvrtc() {
  // Not destroyed, as the driver is not.
  static const auto& loaded = *new Loaded<NvrtcApi>(load_nvrtc);
  return loaded.get();
}

std::string version_text(const NvrtcApi& api) {
  return std::to_string(api.major) + '.' + std::to_string(api.minor);
}

std::string target_for(const NvrtcApi& api, int architecture) {
  const auto newer =
      std::upper_bound(api.architectures.begin(), api.architectures.end(), architecture);
  if (newer == api.architectures.begin()) return {};
  const int nearest = *std::prev(newer);
  return (nearest == architecture ? "sm_" : "compute_") + std::to_string(nearest);
}

}  // namespace bifold::backend::cuda
