#include "peers/modules.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "base/format.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

// A module stays open: objects of it may live until the program ends.
PeerModule open_module(const fs::path& folder, const std::string& name) {
  PeerModule module{name, nullptr, {}};
  const fs::path file = folder / (name + ".so");
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    module.reason = formatted("not built: there is no {}", file.string());
    return module;
  }
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    module.reason = one_line(dlerror());  // NOLINT(concurrency-mt-unsafe)
    return module;
  }
  const auto entry = reinterpret_cast<PeerEntry>(dlsym(handle, peer_entry_name));
  if (entry == nullptr) {
    module.reason = formatted("{} belongs to another version of this tool", file.string());
    return module;
  }
  module.peer = entry();
  return module;
}

}  // namespace

std::vector<std::string_view> peer_module_names() {
  return {"cub",    "cub_other",     "cub64",   "cub_segmented",
          "thrust", "boost_compute", "clblast", "tbb"};
}

std::vector<PeerModule> open_peers(const std::vector<std::string>& names) {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path() / "peers";
  std::vector<PeerModule> modules;
  modules.reserve(names.size());
  for (const std::string& name : names) modules.push_back(open_module(folder, name));
  return modules;
}

}  // namespace bench
