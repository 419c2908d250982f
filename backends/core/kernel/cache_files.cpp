#include "core/kernel/cache_files.hpp"

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "core/base/format.hpp"
#include "core/base/hash.hpp"
#include "core/base/log.hpp"

namespace bifold::core {

namespace fs = std::filesystem;

namespace {

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

constexpr std::size_t most_warnings = 10'000;

std::string of_folder(const fs::path& folder, const std::string& problem) {
  return formatted("the cache folder {} is not used: {}", folder.string(), problem);
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

fs::path file_of_device(const CacheOptions& options, const DeviceInfo& info,
                        std::string_view suffix) {
  const fs::path directory = cache_directory(options);
  if (directory.empty()) return {};
  const std::uint64_t name = hash(info.backend + '\n' + info.vendor + '\n' + info.name);
  return directory / formatted("{:016x}{}", name, suffix);
}

bool disabled_by_environment() {
  const std::string_view value = variable("BIFOLD_CACHE_DISABLE");
  return !value.empty() && value != "0";
}

void warn_once(const std::string& message) {
  // Where nobody listens, it was not told.
  if (!Logger::listens(LogLevel::warning)) return;
  static std::mutex mutex;
  static std::unordered_set<std::uint64_t> told;
  {
    const std::lock_guard hold(mutex);
    if (told.size() >= most_warnings || !told.insert(hash(message)).second) return;
  }
  log().warn("{}", message);
}

std::optional<PrivateFolder> open_cache_folder(const fs::path& folder) {
  auto opened = PrivateFolder::open(folder);
  if (opened.refused) {
    warn_once(of_folder(folder, opened.problem));
  } else if (!opened.problem.empty()) {
    log().debug("the cache folder {} cannot be opened: {}", folder.string(), opened.problem);
  }
  return std::move(opened.thing);
}

Opened<OpenFile> open_cache_file(const fs::path& file) {
  const auto folder = open_cache_folder(file.parent_path());
  if (!folder) return {};
  return folder->file(file.filename());
}

std::string write_atomically(const fs::path& file, std::initializer_list<std::string_view> parts) {
  const auto folder = PrivateFolder::make(file.parent_path());
  std::string problem = folder.problem;
  if (folder.refused) {
    problem = of_folder(file.parent_path(), folder.problem);
    warn_once(problem);
  }
  if (folder.thing) problem = folder.thing->write(file.filename(), parts);
  if (problem.empty()) return {};
  return formatted("{} could not be written: {}", file.string(), problem);
}

}  // namespace bifold::core
