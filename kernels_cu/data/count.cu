// Part count_host: the number of elements, given by the host.
// Provides: count

#define COUNT_PARAMETERS u64 given_count
#define COUNT given_count
#define KNOWN_COUNT given_count  // Before earlier kernels have ended.

// Part count_device: the number of elements, in device memory. The host gives an upper limit.
// Provides: count

#define COUNT_PARAMETERS const COUNT_TYPE *count_memory, u64 count_offset, u64 count_limit
#define COUNT count_within(count_memory[count_offset], count_limit)
#define KNOWN_COUNT 0

DEVICE u64 count_within(u64 count, u64 limit) { return count < limit ? count : limit; }
