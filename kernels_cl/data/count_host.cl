// Prelude: the number of elements, as the host gives it.

#define COUNT_PARAMETERS u64 given_count
#define COUNT given_count
#define KNOWN_COUNT given_count  // Before earlier work has ended.
