// Reductions and scans of host memory, chunk by chunk, beside copies alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace bench {

/// Of `stream`, as typed.
struct StreamArguments {
  std::vector<std::string> devices;
  std::vector<std::string> types;
  std::string size;  ///< Empty: as suits the device.
  std::optional<double> seconds;
  std::string csv;  ///< A file for the medians; empty: none.
};

/// Carries out `stream`; the tool's exit status.
int run_stream(const StreamArguments& arguments);

}  // namespace bench
