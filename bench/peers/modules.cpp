#include "peers/modules.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "base/format.hpp"

namespace bench {
namespace {

namespace fs = std::filesystem;

PeerModule open_peer(const std::string& name) {
  const ModuleEntry module = open_module_entry(name, peer_entry_name);
  if (module.entry == nullptr) return {name, nullptr, module.reason};
  return {name, reinterpret_cast<PeerEntry>(module.entry)(), {}};
}

}  // namespace

ModuleEntry open_module_entry(const std::string& name, const char* entry) {
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path() / "peers";
  const fs::path file = folder / (name + ".so");
  if (!fs::exists(file, ignored)) {
    return {nullptr, formatted("not built: there is no {}", file.string())};
  }
  void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  if (handle == nullptr) return {nullptr, one_line(dlerror())};
  void* const found = dlsym(handle, entry);
  if (found == nullptr) {
    return {nullptr, formatted("{} belongs to another version of this tool", file.string())};
  }
  return {found, {}};
}

std::vector<std::string_view> peer_module_names() {
  return {"cub",    "cub_other",     "cub64",   "cub_segmented",
          "thrust", "boost_compute", "clblast", "tbb"};
}

std::vector<PeerModule> open_peers(const std::vector<std::string>& names) {
  std::vector<PeerModule> modules;
  modules.reserve(names.size());
  for (const std::string& name : names) modules.push_back(open_peer(name));
  return modules;
}

}  // namespace bench
