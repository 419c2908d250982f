// `bifold-bench run --devices`: one array over several devices.
#pragma once

#include "measure/options.hpp"

namespace bench {

/// Blocks. Measures calls over the first devices, more and more of them, prints each as it is
/// measured, and writes the files. Of the processes of `options.ranks`, the first one writes. The
/// exit status, as run_benchmark().
int run_groups(const RunOptions& options);

}  // namespace bench
