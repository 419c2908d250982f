// Part first_carry: the first value of an exclusive scan is what lies before all elements.
// Provides: first

#define FIRST_PARAMETERS
#define FIRST_ARGUMENTS
#define PUT_FIRST(mine, place)
#define STORE_FIRST(mine, to)

// Part first_given:
// the first value of an exclusive scan is given apart from what lies before all elements:
// a floating sum of nothing is +0, and -0 is what changes no sum.
// Provides: first

#define FIRST_PARAMETERS , ACC given_first
#define FIRST_ARGUMENTS , given_first
#define PUT_FIRST(mine, place) \
  if (mine) place = given_first
#define STORE_FIRST(mine, to) \
  if (mine) *(to) = TO_OUT(given_first)

// Part total_none:
// nobody asks for the total of a scan. Whoever is given it is given the first value, too.
// Provides: total
// Uses: first

#define TOTAL_PARAMETERS FIRST_PARAMETERS
#define TOTAL_ARGUMENTS FIRST_ARGUMENTS
#define LEAVE_TOTAL(mine, value)

// Part total_device:
// the total of a scan goes to device memory, written by the work-item whose it is.
// Whoever is given its place is given the first value, too.
// Provides: total
// Uses: first

#define TOTAL_PARAMETERS , VALUE *total_memory, u64 total_offset FIRST_PARAMETERS
#define TOTAL_ARGUMENTS , total_memory, total_offset FIRST_ARGUMENTS
#define LEAVE_TOTAL(mine, value) \
  if (mine) total_memory[total_offset] = VALUE_OF(value)
