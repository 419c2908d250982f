// Part scan_hillis_steele: Scan of Hillis and Steele: one sweep of log2 steps over each block, in
// step d every element takes in the one 2^d places before it. Blocks of blocks are scanned the same
// way and come back as carries. The source relies on a warp that runs in lock step and on lanes
// that are thread ids; here a step reads one copy of the block and writes the other, with a barrier
// between, and i counts elements, so that any group and any number of elements per work-item will
// do.
// Cost: reads each element twice, writes it once, and 2 / BLOCK accumulators per element above; 2
// launches per level and one for the last; log2(BLOCK) + 1 barriers, BLOCK log2(BLOCK) operations.
// Assumes GROUP_SIZE * PER_ITEM to be at least 2.
// Source: Oancea & Henriksen 2023, section on scan; Hillis & Steele 1986.
// Provides: scan_hillis_steele
// Uses: first

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef PER_ITEM
#define PER_ITEM 1  // Elements per work-item.
#endif
#define BLOCK (GROUP_SIZE * PER_ITEM)

// The inclusive scan of this block of the input, elements from n on being the identity; it lies
// from the returned index on in `copies`, which holds two blocks. Ends with a barrier behind it.
DEVICE u32 sweep(const __global IN* input, u64 n, __local ACC* copies) {
  const u64 begin = (u64)get_group_id(0) * BLOCK;
  for (u32 i = (u32)get_local_id(0); i < BLOCK; i += GROUP_SIZE) {
    copies[i] = begin + i < n ? LIFT(input[begin + i]) : IDENTITY;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  u32 from = 0;
  for (u32 distance = 1; distance < BLOCK; distance *= 2) {
    const u32 to = BLOCK - from;
    for (u32 i = (u32)get_local_id(0); i < BLOCK; i += GROUP_SIZE) {
      ACC sum = copies[from + i];
      if (i >= distance) sum = COMBINE(copies[from + i - distance], sum);
      copies[to + i] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    from = to;
  }
  return from;
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_blocks(
    const __global IN* input, u64 input_offset, u64 n, __global ACC* totals, u64 totals_offset) {
  __local ACC copies[2 * BLOCK];

  // --- Sweep the block ---
  const u32 scanned = sweep(input + input_offset, n, copies);

  // --- Write the total of the block ---
  if (get_local_id(0) == 0) totals[totals_offset + get_group_id(0)] = copies[scanned + BLOCK - 1];
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void scan_blocks(
    const __global IN* input, u64 input_offset, u64 n, const __global ACC* carries,
    u64 carries_offset, ACC init, __global OUT* output, u64 output_offset FIRST_PARAMETERS) {
  __local ACC copies[2 * BLOCK];
  const u64 begin = (u64)get_group_id(0) * BLOCK;
  output += output_offset;

  // --- Sweep the block ---
  const u32 scanned = sweep(input + input_offset, n, copies);

  // --- Write the block from its carry on ---
  ACC carry = init;
  if (get_num_groups(0) > 1) carry = carries[carries_offset + get_group_id(0)];
  for (u32 i = (u32)get_local_id(0); i < BLOCK; i += GROUP_SIZE) {
    ACC result = carry;
    if (INCLUSIVE) {
      result = COMBINE(carry, copies[scanned + i]);
    } else if (i > 0) {
      result = COMBINE(carry, copies[scanned + i - 1]);
    }
    PUT_FIRST(begin + i == 0, result);
    if (begin + i < n) output[begin + i] = TO_OUT(result);
  }
}
