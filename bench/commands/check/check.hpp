// `bifold-bench check`: does this device, with this driver, compute our kernels right?
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bench {

/// As typed. What was not given stays empty.
struct CheckArguments {
  std::vector<std::string> devices;
  std::vector<std::string> variants;
  std::optional<double> seconds;
  std::string json;
  bool no_store = false;
  bool no_progress = false;
};

/// As understood.
struct CheckOptions {
  std::vector<std::string> devices;   ///< Selectors; empty: every device found.
  std::vector<std::string> variants;  ///< "production": what it may pick; "all"; or names.
  double seconds = 6;                 ///< For the repeated runs on each device.
  std::filesystem::path json;         ///< Empty: none.
  bool store = true;
  bool progress = true;
};

/// Throws UsageError, with the choices in the message, for what it does not understand.
CheckOptions understand(const CheckArguments& arguments);

/// Blocks. Checks the variants on every device and prints each row when it was checked, stores the
/// self-check results beside the kernel cache unless told not to, writes the JSON file. An
/// interrupt from the keyboard ends it early; what was checked until then counts. The exit status:
/// 0, 1 when something failed or could not be checked, or there is no device, or exit_interrupted.
/// Throws UsageError for a selector that nothing answers and for a file that cannot be written,
/// before anything is run.
int run_check(const CheckOptions& options);

}  // namespace bench
