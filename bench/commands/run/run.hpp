// `bifold-bench run`.
#pragma once

#include "measure/options.hpp"
#include "measure/result.hpp"

namespace bench {

/// Blocks. Opens the devices, measures, and prints each row as it is measured, and the summary. Of
/// a suite, what `options.json` is given for is kept in part on the way. An interrupt from the
/// keyboard ends it early: the report is then not complete. Throws UsageError for a selector that
/// nothing answers.
Report measure_run(const RunOptions& options);

/// Throws UsageError where the file that `options.json` is given for, if any, could not be written,
/// or not what a suite keeps beside it meanwhile.
void check_run_file(const RunOptions& options);

/// Writes the document of a run that `options.json` is given for, if any.
void write_run(const Report& report);

/// Throws UsageError where a file that the options name could not be written.
void check_run_files(const RunOptions& options);
/// Writes those files.
void write_run_files(const Report& report);

/// Blocks. Measures, prints the table to standard output, writes the JSON file. The exit status:
/// 0, 1 when a result was wrong, a call failed or there is no device, or exit_interrupted. Throws
/// UsageError for a selector that nothing answers and for a JSON file that cannot be written,
/// before it measures.
int run_benchmark(const RunOptions& options);

}  // namespace bench
