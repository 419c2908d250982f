// What a program pays before its first result: the first call of a shape, kernel caches empty and
// warm.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "json_parts.hpp"
#include "options.hpp"
#include "result.hpp"

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

/// Blocks. The starts of both algorithms on each device, and for each type.
std::vector<StartResult> measure_starts(const StartupCaches& caches,
                                        const std::vector<std::string>& selectors,
                                        const std::vector<bifold::Type>& types);

/// As in a document of `startup`.
Json as_json(const StartResult& result);

/// Carries out `startup`; the tool's exit status.
int run_startup(const StartupArguments& arguments);

}  // namespace bench
