// Luitjens' two-pass reductions by register exchange: work-items walk the input with the stride of
// the launch, lane groups combine their registers, the first lane group combines the results of
// all. `shuffle_multi` is the same kernel on accumulators of several fields, k reductions in one
// pass: all words of a value travel before the first of them is combined, so that their exchanges
// overlap.
// The paper's exchange names no lanes, which is undefined since Volta; here lanes are synchronised.
// Cost: reads each element once, writes one accumulator per group; two launches; one barrier.
// Assumes a commutative operator.
// Source: Luitjens 2014.

#ifndef GROUP_SIZE
#define GROUP_SIZE 512  // Work-items per group.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void shuffle_two_pass(
    const __global IN* input, u64 input_offset, u64 n, ACC init, __global ACC* results,
    u64 results_offset) {
  __local LaneScratch lane_scratch;
  __local ACC totals[LANE_GROUPS];
  const u64 stride = (u64)get_num_groups(0) * GROUP_SIZE;
  input += input_offset;

  // --- Accumulate with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)get_group_id(0) * GROUP_SIZE + get_local_id(0); i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
  }

  // --- Reduce the group ---
  sum = group_lanes(sum, &lane_scratch, totals);

  // --- Write the result of the group ---
  if (get_local_id(0) == 0) write_group_result(sum, init, results + results_offset);
}
