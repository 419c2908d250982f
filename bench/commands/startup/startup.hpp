// What a program pays before its first result: the first call of a shape, kernel caches empty and
// warm.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "measure/options.hpp"
#include "measure/result.hpp"

namespace bench {

/// Empty folders for kernel caches, gone at the end. From its making on, drivers that have not been
/// used yet keep their caches there, too: make it before any device is opened, and keep it.
class StartupCaches {
 public:
  StartupCaches();
  ~StartupCaches();
  StartupCaches(const StartupCaches&) = delete;
  StartupCaches& operator=(const StartupCaches&) = delete;

  /// A folder of that name.
  [[nodiscard]] std::filesystem::path folder(const std::string& name) const;

 private:
  std::filesystem::path path_;
};

/// Elements, where no other number is asked for: large enough to run what a program runs, small
/// enough to take no time beside a compiler.
constexpr std::uint64_t startup_size = std::uint64_t{1} << 20;

/// Blocks. The starts of both algorithms on each device, and for each type, of `size` elements.
std::vector<StartResult> measure_starts(const StartupCaches& caches,
                                        const std::vector<std::string>& selectors,
                                        const std::vector<bifold::Type>& types, std::uint64_t size);

/// Carries out `startup`; the tool's exit status.
int run_startup(const StartupArguments& arguments);

}  // namespace bench
