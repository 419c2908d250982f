// Prelude: the number of elements, in device memory; the host gives the most that there can be.

#define COUNT_PARAMETERS const COUNT_TYPE *count_memory, u64 count_offset, u64 count_limit
#define COUNT count_within(count_memory[count_offset], count_limit)
#define KNOWN_COUNT 0

DEVICE u64 count_within(u64 count, u64 limit) { return count < limit ? count : limit; }
