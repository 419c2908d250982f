// `bifold-bench tune`: searches the tuning values of production's rows on the device in front of
// it.
#pragma once

#include <bifold/type.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// As typed. What was not given stays empty.
struct TuneArguments {
  std::vector<std::string> devices;
  std::vector<std::string> types;
  std::vector<std::string> sizes;
  std::optional<double> seconds;
  std::string output;
  bool install = false;
  bool no_progress = false;
};

/// As understood.
struct TuneOptions {
  std::vector<std::string> devices;  ///< Selectors; empty: every device found.
  std::vector<bifold::Type> types;   ///< Of elements; one for each class to be tuned.
  std::vector<std::uint64_t> sizes;  ///< Elements; empty: what suits device and row; else three.
  double seconds = 300;              ///< For each device.
  std::filesystem::path output;      ///< Empty: none.
  bool install = false;              ///< Beside the kernel cache.
  bool progress = true;
};

/// Throws UsageError, with the choices in the message, for what it does not understand.
TuneOptions understand(const TuneArguments& arguments);

/// Blocks. Searches on every device, prints a table to standard output and writes the tuning files
/// asked for. An interrupt from the keyboard ends the search; what was found until then counts. The
/// exit status: 0, 1 when a result was wrong or something failed, or there is no device, or
/// exit_interrupted. Throws
/// UsageError for a selector that nothing answers, for several devices with one file, and for a
/// file that cannot be written, before anything is run.
int run_tune(const TuneOptions& options);

}  // namespace bench
