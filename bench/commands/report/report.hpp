// `bifold-bench report`: what a bug report has to say about a machine, in one block.
#pragma once

#include <string>
#include <vector>

namespace bench {

/// As typed. What was not given stays empty.
struct ReportArguments {
  std::vector<std::string> devices;
};

/// Prints devices, drivers, versions, build options, self-check results, tuning files, the cache
/// folder and environment variables. The exit status: 0, also without a device. Throws UsageError
/// for a selector that nothing answers.
int run_report(const ReportArguments& arguments);

}  // namespace bench
