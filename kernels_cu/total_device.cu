// Prelude: the total of a scan goes to device memory, written by the work-item whose it is.

#define TOTAL_PARAMETERS , VALUE *total_memory, u64 total_offset
#define TOTAL_ARGUMENTS , total_memory, total_offset
#define LEAVE_TOTAL(mine, value) \
  if (mine) total_memory[total_offset] = VALUE_OF(value)
