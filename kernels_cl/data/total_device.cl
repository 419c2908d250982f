// Prelude: the total of a scan goes to device memory, written by the work-item whose it is.
// Whoever is given its place is given the first value, too.

#define TOTAL_PARAMETERS , __global VALUE *total_memory, u64 total_offset FIRST_PARAMETERS
#define TOTAL_ARGUMENTS , total_memory, total_offset FIRST_ARGUMENTS
#define LEAVE_TOTAL(mine, value) \
  if (mine) total_memory[total_offset] = VALUE_OF(value)
