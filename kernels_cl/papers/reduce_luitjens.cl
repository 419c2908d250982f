// Part reduce_luitjens:
// Luitjens' two-pass reductions by register exchange: work-items walk the input with the stride of
// the launch, lane groups combine their registers, the first lane group combines the results of
// all. `shuffle_multi` is the same kernel on accumulators of several fields, k reductions in one
// pass: all words of a value travel before the first of them is combined, so that their exchanges
// overlap.
// The paper's exchange names no lanes, which is undefined since Volta; here lanes are synchronised.
// Cost: reads each element once, writes one accumulator per group; two launches; one barrier.
// Assumes a commutative operator.
// Source: Luitjens 2014.
// Provides: reduce_luitjens
// Uses: lanes, levels, group_lanes

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

// Part reduce_luitjens_vector:
// Luitjens' two-pass reduction with loads of VEC elements at once, 8 bytes wide or 16.
// The paper assumes aligned input of whole packs; here the elements before the first pack boundary
// and behind the last whole pack are read one by one.
// Cost: reads each element once, writes one accumulator per group; two launches; one barrier.
// Assumes a commutative operator.
// Source: Luitjens 2014.
// Provides: reduce_luitjens_vector
// Uses: lanes, packs_in, levels, group_lanes

#ifndef GROUP_SIZE
#define GROUP_SIZE 512  // Work-items per group.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void shuffle_vectorized(
    const __global IN* input, u64 input_offset, u64 n, ACC init, __global ACC* results,
    u64 results_offset) {
  __local LaneScratch lane_scratch;
  __local ACC totals[LANE_GROUPS];
  const u64 id = (u64)get_group_id(0) * GROUP_SIZE + get_local_id(0);
  const u64 stride = (u64)get_num_groups(0) * GROUP_SIZE;
  input += input_offset;

  // --- Split the input at pack boundaries ---
  const u64 misaligned = ((u64)(size_t)input / sizeof(IN)) % VEC;
  const u64 to_boundary = (VEC - misaligned) % VEC;
  const u64 head = to_boundary < n ? to_boundary : n;
  const u64 packs = (n - head) / VEC;
  const __global IN* body = input + head;

  // --- Accumulate packs with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 p = id; p < packs; p += stride) {
    const IN_PACK pack = load_pack(body + p * VEC);
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) sum = COMBINE(sum, LIFT(pack.item[k]));
  }

  // --- Add the elements outside whole packs ---
  const u64 tail = head + packs * VEC;
  for (u64 i = id; i < head; i += stride) sum = COMBINE(sum, LIFT(input[i]));
  for (u64 i = tail + id; i < n; i += stride) sum = COMBINE(sum, LIFT(input[i]));

  // --- Reduce the group ---
  sum = group_lanes(sum, &lane_scratch, totals);

  // --- Write the result of the group ---
  if (get_local_id(0) == 0) write_group_result(sum, init, results + results_offset);
}

// Part reduce_luitjens_atomic:
// Luitjens' single-launch reductions: work-items walk the input with the stride of the launch, then
// each lane group (`shuffle_warp_atomic`) or each group (`shuffle_block_atomic`) combines its
// result into the cell by one atomic.
// The paper leaves open who makes the cell ready; here a fill in the same stream does.
// The order in which results reach the cell is not fixed, so neither are the last bits of floating
// sums.
// Cost: reads each element once, one atomic per lane group or group; one launch; one barrier in
// `shuffle_block_atomic`.
// Assumes a commutative operator.
// Source: Luitjens 2014.
// Provides: reduce_luitjens_atomic
// Uses: lanes, lane_folds, group_lanes, cell

#ifndef GROUP_SIZE
#define GROUP_SIZE 512  // Work-items per group.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void shuffle_warp_atomic(
    const __global IN* input, u64 input_offset, u64 n, __global ACC* cell, u64 cell_offset) {
  __local LaneScratch lane_scratch;
  const u64 stride = (u64)get_num_groups(0) * GROUP_SIZE;
  input += input_offset;

  // --- Lane groups: accumulate with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)get_group_id(0) * GROUP_SIZE + get_local_id(0); i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
  }

  // --- Lane groups: one atomic per lane group ---
  sum = lane_reduce(sum, &lane_scratch);
  if (lane_index() == 0) combine_into(cell + cell_offset, sum);
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void shuffle_block_atomic(
    const __global IN* input, u64 input_offset, u64 n, __global ACC* cell, u64 cell_offset) {
  __local LaneScratch lane_scratch;
  __local ACC totals[LANE_GROUPS];
  const u64 stride = (u64)get_num_groups(0) * GROUP_SIZE;
  input += input_offset;

  // --- Groups: accumulate with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)get_group_id(0) * GROUP_SIZE + get_local_id(0); i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
  }

  // --- Groups: one atomic per group ---
  sum = group_lanes(sum, &lane_scratch, totals);
  if (get_local_id(0) == 0) combine_into(cell + cell_offset, sum);
}
