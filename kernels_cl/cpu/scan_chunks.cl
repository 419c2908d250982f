// Part scan_chunks: A scan for CPUs: production's where the order does not matter and
// order_v1_packs does not apply. Reduce-then-scan over consecutive chunks, one work-item per group.
// The first pass is reduce_chunks; this part has the scan of its results and the pass that writes.
// Cost: reads each element twice, writes it once; three launches; no barrier.
// Assumes nothing: operands are combined in index order.
// Source: bifold; the phases are those of reduce-then-scan.
// Provides: scan_chunks
// Uses: count, init, total, chunk_tile, blocks

#ifndef IN_RUNS
#define IN_RUNS 0  // Whether to combine more often for the sake of waiting less.
#endif
#define RUN 4  // Elements that are combined before what lies in front of them is.

// Scans a run and returns the prefix of the next one. Elements do not wait for those before the
// run, and hardly for each other.
DEVICE ACC scan_run(const __global IN* input, __global OUT* output, ACC before) {
  const ACC third = LIFT(input[2]);
  const ACC later = COMBINE(third, LIFT(input[3]));
  ACC next[RUN];
  next[0] = LIFT(input[0]);
  next[1] = COMBINE(next[0], LIFT(input[1]));
  next[2] = COMBINE(next[1], third);
  next[3] = COMBINE(next[1], later);
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) next[k] = COMBINE(before, next[k]);
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) {
    output[k] = TO_OUT(INCLUSIVE ? next[k] : k == 0 ? before : next[k == 0 ? 0 : k - 1]);
  }
  return next[RUN - 1];
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scan_chunk_results(
    __global ACC* partials, u64 partials_offset, u64 count, INIT_PARAMETERS TOTAL_PARAMETERS) {
  const ACC init = INIT;
  partials += partials_offset;

  // --- Scan the results of the chunks in place ---
  ACC carry = init;
  for (u64 i = 0; i < count; ++i) {
    const ACC sum = partials[i];
    partials[i] = carry;
    carry = COMBINE(carry, sum);
  }
  LEAVE_TOTAL(true, carry);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scan_chunks(
    const __global IN* input, u64 input_offset, COUNT_PARAMETERS, const __global ACC* partials,
    u64 partials_offset, __global OUT* output, u64 output_offset FIRST_PARAMETERS) {
  const u64 n = COUNT;
  const u64 begin = block_begin(n, get_group_id(0), get_num_groups(0));
  const u64 end = block_begin(n, get_group_id(0) + 1, get_num_groups(0));
  input += input_offset;
  output += output_offset;

  // --- Scan the chunk from its prefix on ---
  ACC carry = partials[partials_offset + get_group_id(0)];
  u64 i = begin;
  for (; IN_RUNS && i + 2 * RUN <= end; i += 2 * RUN) {
    carry = scan_run(input + i, output + i, carry);
    carry = scan_run(input + i + RUN, output + i + RUN, carry);
  }
  for (; i < end; ++i) {
    const ACC earlier = carry;
    carry = COMBINE(carry, LIFT(input[i]));
    output[i] = TO_OUT(INCLUSIVE ? carry : earlier);
  }
  STORE_FIRST(begin == 0 && end > 0, output);
}
