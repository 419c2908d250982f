// `bifold-bench accuracy`: how exact sums in order v1 are.
#pragma once

#include <string>
#include <vector>

namespace bench {

/// As typed. What was not given stays empty.
struct AccuracyArguments {
  std::vector<std::string> devices;  ///< Selectors of devices that are to give the same bits.
  std::string max_size;
  std::string markdown;
};

/// Prints the errors of a sum from left to right, in order v1 and with its rounding errors added,
/// beside an exact sum, and writes the same table to a file where one is named. The exit status: 1
/// where a device gives other bits than the host. Throws UsageError for what it does not
/// understand.
int run_accuracy(const AccuracyArguments& arguments);

}  // namespace bench
