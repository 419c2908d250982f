// `bifold-bench kernel`: the text of a kernel as it is compiled.
#pragma once

#include <string>

namespace bench {

/// As typed. What was not given stays empty.
struct KernelArguments {
  std::string algorithm;
  std::string variant = "production";
  std::string type = "i32";
  std::string output;       ///< Of a scan's results, or a reduction's; empty: `type`'s own.
  std::string accumulator;  ///< Empty: accumulator_of() the type.
  std::string op = "plus";
  std::string kind = "inclusive";
  std::string order = "v1";
  std::string backend;    ///< cuda or opencl; empty: what the architecture or device is of.
  std::string arch;       ///< sm_90 and the like, cpu or gpu; empty: sm_90.
  std::string device;     ///< Selector of a device of this machine, instead of an architecture.
  bool lines = false;     ///< As calls over lines take them.
  bool segments = false;  ///< As reductions of segments take them.
  bool live = false;      ///< Only what the entries reach.
};

/// What the command prints: each text that a plan for these arguments has, under a heading, its
/// parts under headings of their own. Throws UsageError for what it does not understand, and
/// bifold::Error where the device runs no such kernel.
std::string kernel_text(const KernelArguments& arguments);

/// Prints that. Returns the exit status.
int run_kernel(const KernelArguments& arguments);

/// The last part of the command's help: examples, and the exit statuses.
std::string kernel_help();

}  // namespace bench
