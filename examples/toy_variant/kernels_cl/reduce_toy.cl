// Part reduce_toy:
// A worked example of a variant: each work-item combines every stride-th element, and the first
// work-item of a group combines what the others found. Simple, and slow.
// Cost: reads each element once, writes one accumulator per group; two launches; one barrier.
// Assumes a commutative operator.
// Source: bifold, docs/contributing.md.
// Provides: reduce_toy
// Uses: count

#ifndef GROUP_SIZE
#define GROUP_SIZE 64  // Work-items per group.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_toy(
    const __global IN* input, u64 input_offset, COUNT_PARAMETERS, __global ACC* partials,
    u64 partials_offset) {
  __local ACC found[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 stride = (u64)get_num_groups(0) * GROUP_SIZE;
  input += input_offset;

  // --- Combine every stride-th element ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)get_group_id(0) * GROUP_SIZE + get_local_id(0); i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
  }
  found[get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- Combine the group ---
  if (get_local_id(0) == 0) {
    for (u32 k = 1; k < GROUP_SIZE; ++k) sum = COMBINE(sum, found[k]);
    partials[partials_offset + get_group_id(0)] = sum;
  }
}
