// Part reduce_harris: Harris' seven reductions, each one step from the one before, so that a diff
// of neighbours shows the step: divergent modulo, strided index, sequential index, first
// combination during the load, last warp without group barriers, all steps unrolled, many elements
// per work-item. The last two dozen lines of the original synchronise nothing and trust that a warp
// runs in lock step, which none does since Volta: here a lane barrier follows every step, and idle
// lanes keep out, so that nobody reads what another writes in the same step.
// Cost: each launch reads every value once and leaves one per group, until one is left; kernel 7
// walks the input and needs two launches; log2(GROUP_SIZE) + 1 barriers, fewer from kernel 5 on.
// Assumes a power-of-two group and, from kernel 3 on, a commutative operator.
// Source: Harris 2007, as tabulated by Jradi 2017.
// Provides: reduce_harris
// Uses: lanes, levels, lane_index, warp_index, lane_barrier

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#ifndef PER_ITEM
#define PER_ITEM 1  // Elements per work-item and step: 2 from kernel 4 on, and in groups of one.
#endif

// What LANES values of the group come to, in scratch[0]; called by the first warp.
DEVICE void fold_last_lanes(__local ACC* scratch) {
  const u32 lane = lane_index();
#pragma unroll
  for (u32 offset = LANES / 2; offset > 0; offset /= 2) {
    if (lane < offset) scratch[lane] = COMBINE(scratch[lane], scratch[lane + offset]);
    lane_barrier();
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void harris1(
    const __global IN* input, u64 input_offset, u64 n, ACC init, __global ACC* results,
    u64 results_offset) {
  __local ACC scratch[GROUP_SIZE];
  const u32 id = (u32)get_local_id(0);
  const u64 i = (u64)get_group_id(0) * GROUP_SIZE + id;

  // --- 1: Load one element per work-item ---
  scratch[id] = neighbours_or_identity(input + input_offset, i * PER_ITEM, n);
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- 1: Combine at doubling distances, by the work-items that a modulo picks ---
#pragma unroll 1
  for (u32 distance = 1; distance < GROUP_SIZE; distance *= 2) {
    if (id % (2 * distance) == 0) scratch[id] = COMBINE(scratch[id], scratch[id + distance]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  // --- 1: Write the result of the group ---
  if (id == 0) write_group_result(scratch[0], init, results + results_offset);
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void harris2(
    const __global IN* input, u64 input_offset, u64 n, ACC init, __global ACC* results,
    u64 results_offset) {
  __local ACC scratch[GROUP_SIZE];
  const u32 id = (u32)get_local_id(0);
  const u64 i = (u64)get_group_id(0) * GROUP_SIZE + id;

  // --- 2: Load one element per work-item ---
  scratch[id] = neighbours_or_identity(input + input_offset, i * PER_ITEM, n);
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- 2: Combine at doubling distances, by the first work-items ---
#pragma unroll 1
  for (u32 distance = 1; distance < GROUP_SIZE; distance *= 2) {
    const u32 slot = 2 * distance * id;
    if (slot < GROUP_SIZE) scratch[slot] = COMBINE(scratch[slot], scratch[slot + distance]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  // --- 2: Write the result of the group ---
  if (id == 0) write_group_result(scratch[0], init, results + results_offset);
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void harris3(
    const __global IN* input, u64 input_offset, u64 n, ACC init, __global ACC* results,
    u64 results_offset) {
  __local ACC scratch[GROUP_SIZE];
  const u32 id = (u32)get_local_id(0);
  const u64 i = (u64)get_group_id(0) * GROUP_SIZE + id;

  // --- 3: Load one element per work-item ---
  scratch[id] = neighbours_or_identity(input + input_offset, i * PER_ITEM, n);
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- 3: Combine at halving distances ---
#pragma unroll 1
  for (u32 offset = GROUP_SIZE / 2; offset > 0; offset /= 2) {
    if (id < offset) scratch[id] = COMBINE(scratch[id], scratch[id + offset]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  // --- 3: Write the result of the group ---
  if (id == 0) write_group_result(scratch[0], init, results + results_offset);
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void harris4(
    const __global IN* input, u64 input_offset, u64 n, ACC init, __global ACC* results,
    u64 results_offset) {
  __local ACC scratch[GROUP_SIZE];
  const u32 id = (u32)get_local_id(0);
  const u64 i = (u64)get_group_id(0) * GROUP_SIZE * PER_ITEM + id;
  input += input_offset;

  // --- 4: Load two elements per work-item and combine them at once ---
  const ACC sum = element_or_identity(input, i, n);
  scratch[id] = COMBINE(sum, element_or_identity(input, i + GROUP_SIZE, n));
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- 4: Combine at halving distances ---
#pragma unroll 1
  for (u32 offset = GROUP_SIZE / 2; offset > 0; offset /= 2) {
    if (id < offset) scratch[id] = COMBINE(scratch[id], scratch[id + offset]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  // --- 4: Write the result of the group ---
  if (id == 0) write_group_result(scratch[0], init, results + results_offset);
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void harris5(
    const __global IN* input, u64 input_offset, u64 n, ACC init, __global ACC* results,
    u64 results_offset) {
  __local ACC scratch[GROUP_SIZE];
  const u32 id = (u32)get_local_id(0);
  const u64 i = (u64)get_group_id(0) * GROUP_SIZE * PER_ITEM + id;
  input += input_offset;

  // --- 5: Load two elements per work-item and combine them at once ---
  const ACC sum = element_or_identity(input, i, n);
  scratch[id] = COMBINE(sum, element_or_identity(input, i + GROUP_SIZE, n));
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- 5: Combine at halving distances, down to a warp ---
#pragma unroll 1
  for (u32 offset = GROUP_SIZE / 2; offset >= LANES; offset /= 2) {
    if (id < offset) scratch[id] = COMBINE(scratch[id], scratch[id + offset]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  // --- 5: The last warp, unrolled ---
  if (warp_index() == 0) fold_last_lanes(scratch);

  // --- 5: Write the result of the group ---
  if (id == 0) write_group_result(scratch[0], init, results + results_offset);
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void harris6(
    const __global IN* input, u64 input_offset, u64 n, ACC init, __global ACC* results,
    u64 results_offset) {
  __local ACC scratch[GROUP_SIZE];
  const u32 id = (u32)get_local_id(0);
  const u64 i = (u64)get_group_id(0) * GROUP_SIZE * PER_ITEM + id;
  input += input_offset;

  // --- 6: Load two elements per work-item and combine them at once ---
  const ACC sum = element_or_identity(input, i, n);
  scratch[id] = COMBINE(sum, element_or_identity(input, i + GROUP_SIZE, n));
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- 6: Combine at halving distances, down to a warp, unrolled ---
#pragma unroll
  for (u32 offset = GROUP_SIZE / 2; offset >= LANES; offset /= 2) {
    if (id < offset) scratch[id] = COMBINE(scratch[id], scratch[id + offset]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  // --- 6: The last warp, unrolled ---
  if (warp_index() == 0) fold_last_lanes(scratch);

  // --- 6: Write the result of the group ---
  if (id == 0) write_group_result(scratch[0], init, results + results_offset);
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void harris7(
    const __global IN* input, u64 input_offset, u64 n, ACC init, __global ACC* results,
    u64 results_offset) {
  __local ACC scratch[GROUP_SIZE];
  const u32 id = (u32)get_local_id(0);
  const u64 stride = (u64)get_num_groups(0) * GROUP_SIZE * PER_ITEM;
  input += input_offset;

  // --- 7: Accumulate two elements per step with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)get_group_id(0) * GROUP_SIZE * PER_ITEM + id; i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
    sum = COMBINE(sum, element_or_identity(input, i + GROUP_SIZE, n));
  }
  scratch[id] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- 7: Combine at halving distances, down to a warp, unrolled ---
#pragma unroll
  for (u32 offset = GROUP_SIZE / 2; offset >= LANES; offset /= 2) {
    if (id < offset) scratch[id] = COMBINE(scratch[id], scratch[id + offset]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  // --- 7: The last warp, unrolled ---
  if (warp_index() == 0) fold_last_lanes(scratch);

  // --- 7: Write the result of the group ---
  if (id == 0) write_group_result(scratch[0], init, results + results_offset);
}
