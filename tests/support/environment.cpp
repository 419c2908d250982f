#include "environment.hpp"

#include <algorithm>
#include <bifold/error.hpp>
#include <bifold/reduce.hpp>
#include <bifold/version.hpp>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>

namespace bifold::test {

namespace {

std::optional<Device>& device_slot() {
  static std::optional<Device> slot;
  return slot;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr ? value : "";
}

bool required(std::string_view word) {
  const std::string list = "," + environment("BIFOLD_REQUIRE") + ",";
  return list.find("," + std::string(word) + ",") != std::string::npos;
}

int missing(std::string_view what, std::string_view reason) {
  const bool fails = required(what);
  std::cout << (fails ? "FAILED" : "SKIPPED") << ": " << reason << '\n';
  return fails ? 1 : skip_status;
}

std::optional<int> find_compiler() {
  if (!std::filesystem::exists(environment("BIFOLD_TEST_COMPILER"))) {
    return missing("offline", "no compiler for " + environment("BIFOLD_TEST_TARGET") +
                                  " was found when the build was configured");
  }
  const std::string bitcode = environment("BIFOLD_TEST_BITCODE");
  if (!bitcode.empty() && !std::filesystem::exists(bitcode)) {
    return missing("offline",
                   "AMD's device libraries were not found when the build was configured");
  }
  return {};
}

}  // namespace

std::optional<int> prepare(Needs needs) {
  std::cout << "bifold " << version() << ", seed " << seed() << '\n';
  if (needs == Needs::nothing) return {};
  if (needs == Needs::offline) return find_compiler();
  const std::string selector =
      needs == Needs::nvrtc ? std::string("cuda") : environment("BIFOLD_TEST_DEVICE");
  const std::string backend =
      needs == Needs::nvrtc ? std::string("nvrtc") : selector.substr(0, selector.find(':'));
  try {
    device_slot().emplace(open_device(selector));
    // A CUDA device opens without its compiler; the first program that the library does not hold
    // tells.
    if (needs == Needs::nvrtc) (void)ReducePlan(device(), {.map = "x + 1"});
  } catch (const Error& error) {
    if (error.category() != ErrorCategory::unavailable) throw;
    device_slot().reset();
    return missing(backend, std::string("no such device: ") + error.what());
  }
  const DeviceInfo& info = device().info();
  std::cout << "device " << info.selector << ": " << info.name << ", " << info.platform
            << ", driver " << info.driver << '\n';
  return {};
}

void close_device() {
  if (!device_slot()) return;
  const CacheStatistics cache = device().cache_statistics();
  std::cout << cache.compiled << " programs compiled in " << cache.compile_seconds << " s, "
            << cache.from_disk << " from disk\n";
  device_slot().reset();
}

// NOLINTNEXTLINE(bugprone-unchecked-optional-access): it throws before there is one.
const Device& device() { return device_slot().value(); }

void use_device(Device device) { device_slot() = std::move(device); }

Device open_again(const CacheOptions& cache) {
  return open_device(device().info().selector, DeviceOptions{.cache = cache});
}

std::filesystem::path fresh_folder(std::string_view name) {
  std::string folder = "bifold-test-";
  folder += device_slot() ? device().info().selector : "host";
  std::replace(folder.begin(), folder.end(), ':', '-');
  auto path = std::filesystem::current_path() / folder / name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  // A kernel cache has to be so, whatever the umask.
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const std::string text = environment("BIFOLD_TEST_SEED");
    return text.empty() ? std::uint64_t{20240229} : std::stoull(text);
  }();
  return value;
}

std::uint64_t memory_budget() {
  const Capabilities& capabilities = device().capabilities();
  return std::min(capabilities.max_allocation_bytes, capabilities.global_bytes / 2);
}

}  // namespace bifold::test
