// A document of `run` or `gallery`, read back.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/result.hpp"

namespace bench {

/// A line of a paper's table, and ours. 0 for what is not known.
struct KeptPaperLine {
  std::string variant;
  std::string label;
  double paper_s = 0;
  double paper_share = 0;  ///< Of its device's bandwidth.
  double paper_speedup = 0;
  double our_s = 0;
  double our_share = 0;
  double our_speedup = 0;
};

struct KeptPaperTable {
  std::string paper;
  std::string title;
  std::string device;
  std::string type;
  std::uint64_t n = 0;
  std::vector<KeptPaperLine> lines;
};

struct RunFile : Measurements {
  std::filesystem::path path;
  std::string command;  ///< "run" or "gallery".
  std::string suite;    ///< Empty: none.
  bool whole_suite = false;
  bool complete = true;  ///< The run was not interrupted.
  double seconds = 0;
  std::uint64_t samples = 0;
  std::uint64_t first_element = 0;
  std::uint64_t data_seed = 0;
  std::vector<StartResult> starts;
  std::vector<std::string> papers;     ///< Of `gallery`: those that were measured.
  std::vector<KeptPaperTable> tables;  ///< Of `gallery`.
};

/// What a run has just measured, as if read from its document.
RunFile run_file_of(const Report& report);

/// Throws UsageError, which names file and field, for one that cannot be read, is damaged, cut off,
/// of another program, or newer than this one.
RunFile read_run_file(const std::filesystem::path& file);

/// The same of the text of such a file, which errors call `name`.
RunFile read_run_document(std::string_view text, const std::string& name);

}  // namespace bench
