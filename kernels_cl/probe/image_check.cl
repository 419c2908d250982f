// Part image_check: What a program needs of a driver that runs it: parameters of each kind, a
// required number of work-items, more local memory than drivers advertise. Word GROUP_SIZE - 1 - i
// from `first` on, times a factor and with something added, becomes word i.
// Cost: one group; one barrier.
// Source: bifold.
// Provides: image_check

#ifndef GROUP_SIZE
#define GROUP_SIZE 288  // Work-items of the group.
#endif
#ifndef LOCAL_WORDS
#define LOCAL_WORDS 2048  // Words of local memory beside one, at least GROUP_SIZE.
#endif

typedef struct {
  u64 factor;
  u64 added;
} ImageCheckPlaces;

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void image_check(
    const __global u64* input, u64 first, ImageCheckPlaces places, __global u64* output) {
  __local u64 words[LOCAL_WORDS];
  __local u64 factor;

  // --- Into local memory, at its end ---
  const u64 item = get_local_id(0);
  if (item == 0) factor = places.factor;
  words[LOCAL_WORDS - 1 - item] = input[first + item];
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- Out of it, in the other order ---
  output[item] = words[LOCAL_WORDS - GROUP_SIZE + item] * factor + places.added;
}
