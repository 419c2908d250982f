#include "core/cache_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "core/format.hpp"

namespace bifold::core {

namespace fs = std::filesystem;

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

}  // namespace

fs::path cache_directory(const CacheOptions& options) {
  if (!options.directory.empty()) return options.directory;
  if (const auto chosen = variable("BIFOLD_CACHE_DIR"); !chosen.empty()) return chosen;
  // The XDG specification has relative paths ignored.
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); xdg.is_absolute()) return xdg / "bifold";
  if (const auto home = variable("HOME"); !home.empty()) {
    return fs::path(home) / ".cache" / "bifold";
  }
  return {};
}

bool disabled_by_environment() {
  const std::string_view value = variable("BIFOLD_CACHE_DISABLE");
  return !value.empty() && value != "0";
}

bool is_own(const fs::path& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 && status.st_uid == geteuid();
}

std::string write_atomically(const fs::path& file, std::initializer_list<std::string_view> parts) {
  std::error_code error;
  if (fs::create_directories(file.parent_path(), error)) {
    fs::permissions(file.parent_path(), fs::perms::owner_all, error);
  }
  static std::atomic<std::uint64_t> counter{0};
  const fs::path temporary = fs::path(file).concat(formatted(".{}.{}", getpid(), ++counter));
  std::ofstream stream(temporary, std::ios::binary);
  for (const std::string_view part : parts) {
    stream.write(part.data(), static_cast<std::streamsize>(part.size()));
  }
  stream.close();
  if (!stream) {
    fs::remove(temporary, error);
    return formatted("{} could not be written", temporary.string());
  }
  fs::rename(temporary, file, error);
  if (!error) return {};
  const std::string why = error.message();
  fs::remove(temporary, error);
  return formatted("{} could not be renamed: {}", temporary.string(), why);
}

}  // namespace bifold::core
