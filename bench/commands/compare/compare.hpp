// `bifold-bench compare`.
#pragma once

#include <string>
#include <vector>

#include "measure/options.hpp"

namespace bench {

/// As typed. What was not given stays empty.
struct CompareArguments {
  std::vector<std::string> files;
  bool backends = false;
  bool full = false;  ///< Every table, not the summary alone.
  RunArguments run;   ///< Of --backends.
  std::string markdown;
  std::string csv;
  std::string html;
};

/// Prints and writes the comparison. 0: all bits that can be compared agree; 1: some differ, or a
/// result was wrong; 3: no bits can be compared; exit_interrupted, where --backends was. Throws
/// UsageError for files that cannot be compared.
int run_compare(const CompareArguments& arguments);

}  // namespace bench
