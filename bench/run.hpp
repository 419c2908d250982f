// `bifold-bench run`.
#pragma once

#include "options.hpp"

namespace bench {

/// Blocks. Measures, prints the table to standard output, writes the JSON file. The exit status:
/// 0, or 1 when a result was wrong, a call failed or there is no device. Throws UsageError for a
/// selector that nothing answers and for a JSON file that cannot be written, before it measures.
int run_benchmark(const RunOptions& options);

}  // namespace bench
