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

#ifndef GROUP_SIZE
#define GROUP_SIZE 512  // Work-items per group.
#endif

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    shuffle_warp_atomic(const IN* input, u64 input_offset, u64 n, ACC* cell, u64 cell_offset) {
  __shared__ LaneScratch lane_scratch;
  const u64 stride = (u64)gridDim.x * GROUP_SIZE;
  input += input_offset;

  // --- Lane groups: accumulate with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x; i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
  }

  // --- Lane groups: one atomic per lane group ---
  sum = lane_reduce(sum, &lane_scratch);
  if (lane_index() == 0) combine_into(cell + cell_offset, sum);
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    shuffle_block_atomic(const IN* input, u64 input_offset, u64 n, ACC* cell, u64 cell_offset) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[LANE_GROUPS];
  const u64 stride = (u64)gridDim.x * GROUP_SIZE;
  input += input_offset;

  // --- Groups: accumulate with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x; i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
  }

  // --- Groups: one atomic per group ---
  sum = group_lanes(sum, &lane_scratch, totals);
  if (threadIdx.x == 0) combine_into(cell + cell_offset, sum);
}
