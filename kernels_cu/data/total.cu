// Part first_carry: the first value of an exclusive scan is the carry that all elements begin with.
// Provides: first

#define FIRST_PARAMETERS
#define FIRST_ARGUMENTS
#define PUT_FIRST(mine, value)
#define STORE_FIRST(mine, to)

// Part first_given: the first value of an exclusive scan is given apart from the carry. A floating
// sum of nothing is +0, but -0 is the value that changes no sum.
// Provides: first

#define FIRST_PARAMETERS , ACC given_first
#define FIRST_ARGUMENTS , given_first
#define PUT_FIRST(mine, value) \
  if (mine) value = given_first
#define STORE_FIRST(mine, to) \
  if (mine) *(to) = TO_OUT(given_first)

// Part total_none: the total of a scan is not wanted. The macros also pass on the first value.
// Provides: total
// Uses: first

#define TOTAL_PARAMETERS FIRST_PARAMETERS
#define TOTAL_ARGUMENTS FIRST_ARGUMENTS
#define TOTAL_ARGUMENTS_OF(line) FIRST_ARGUMENTS
#define LEAVE_TOTAL(mine, value)
#define LEAVE_TOTAL_OF(line, mine, value)

// Part total_device: the total of a scan goes to device memory, written by the work-item that has
// it; those of many lines one after the other. The macros also pass on the first value.
// Provides: total
// Uses: first

#define TOTAL_PARAMETERS , VALUE *total_memory, u64 total_offset FIRST_PARAMETERS
#define TOTAL_ARGUMENTS , total_memory, total_offset FIRST_ARGUMENTS
#define TOTAL_ARGUMENTS_OF(line) , total_memory, total_offset + (line)FIRST_ARGUMENTS
#define LEAVE_TOTAL(mine, value) \
  if (mine) total_memory[total_offset] = VALUE_OF(value)
#define LEAVE_TOTAL_OF(line, mine, value) \
  if (mine) total_memory[total_offset + (line)] = VALUE_OF(value)
