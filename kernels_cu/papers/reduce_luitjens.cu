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

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    shuffle_two_pass(const IN* input, u64 input_offset, u64 n, ACC init, ACC* results,
                     u64 results_offset) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[LANE_GROUPS];
  const u64 stride = (u64)gridDim.x * GROUP_SIZE;
  input += input_offset;

  // --- Accumulate with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x; i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
  }

  // --- Reduce the group ---
  sum = group_lanes(sum, &lane_scratch, totals);

  // --- Write the result of the group ---
  if (threadIdx.x == 0) write_group_result(sum, init, results + results_offset);
}
