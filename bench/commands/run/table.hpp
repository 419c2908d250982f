// The results as a table for people.
#pragma once

#include "measure/result.hpp"

namespace bench {

/// Prints the report to standard output, grouped by device, with what the columns mean.
void print_table(const Report& report);

}  // namespace bench
