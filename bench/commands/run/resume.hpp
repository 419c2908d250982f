// What a run has measured so far, kept beside the file that it will write.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "measure/result.hpp"
#include "measure/session.hpp"

namespace bench {

struct Restored {
  bool found = false;    ///< There was something of an earlier run.
  std::string obstacle;  ///< Why nothing was taken from it; or nothing.
  std::size_t count = 0;
};

/// The file is FILE.partial: a document like the one that is made, which says that it is not
/// complete. It outlives an interruption and goes when the whole document is written.
class PartialRun {
 public:
  explicit PartialRun(std::filesystem::path file);

  /// Throws UsageError where what lies there was kept by no run: it would be overwritten.
  void check() const;

  /// Puts results of an earlier run in the place of those of `report` that are the same
  /// configuration on the same device. Takes nothing from a file that is damaged, of other
  /// settings, library, drivers or devices, or older than this program.
  Restored restore(Report& report, std::vector<Session>& sessions) const;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  /// Writes what there is, unless that was done a moment ago.
  void keep(Report& report);
  void remove() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::filesystem::path path_;
  Clock::time_point kept_ = Clock::now();
};

}  // namespace bench
