// Part reduce_luitjens: Luitjens' two-pass reductions by register exchange: work-items walk the
// input with the stride of the launch, warps combine their registers, the first warp combines the
// results of all. `shuffle_multi` is the same kernel on accumulators of several fields, k
// reductions in one pass: all words of a value travel before the first of them is combined, so that
// their exchanges overlap. The paper's exchange names no lanes, which is undefined since Volta;
// here lanes are synchronised.
// Cost: reads each element once, writes one accumulator per group; two launches; one barrier.
// Assumes a commutative operator.
// Source: Luitjens 2014.
// Provides: reduce_luitjens
// Uses: lanes, levels, group_lanes

#ifndef GROUP_SIZE
#define GROUP_SIZE 512  // Work-items per group.
#endif

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    shuffle_two_pass(const IN* input, u64 input_offset, u64 n, ACC init, ACC* results,
                     u64 results_offset) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[WARPS];
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

// Part reduce_luitjens_vector: Luitjens' two-pass reduction with loads of VEC elements at once, 8
// bytes wide or 16. The paper assumes aligned input of whole vectors; here the elements before the
// first vector boundary and behind the last whole vector are read one by one.
// Cost: reads each element once, writes one accumulator per group; two launches; one barrier.
// Assumes a commutative operator.
// Source: Luitjens 2014.
// Provides: reduce_luitjens_vector
// Uses: lanes, vectors_in, levels, group_lanes

#ifndef GROUP_SIZE
#define GROUP_SIZE 512  // Work-items per group.
#endif

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    shuffle_vectorized(const IN* input, u64 input_offset, u64 n, ACC init, ACC* results,
                       u64 results_offset) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[WARPS];
  const u64 id = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x;
  const u64 stride = (u64)gridDim.x * GROUP_SIZE;
  input += input_offset;

  // --- Split the input at vector boundaries ---
  const u64 misaligned = ((u64)input / sizeof(IN)) % VEC;
  const u64 to_boundary = (VEC - misaligned) % VEC;
  const u64 head = to_boundary < n ? to_boundary : n;
  const u64 vectors = (n - head) / VEC;
  const IN* body = input + head;

  // --- Accumulate vectors with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 p = id; p < vectors; p += stride) {
    const InVector vector = load_vector(body + p * VEC);
#pragma unroll
    for (u32 k = 0; k < VEC; ++k) sum = COMBINE(sum, LIFT(vector.item[k]));
  }

  // --- Add the elements outside whole vectors ---
  const u64 tail = head + vectors * VEC;
  for (u64 i = id; i < head; i += stride) sum = COMBINE(sum, LIFT(input[i]));
  for (u64 i = tail + id; i < n; i += stride) sum = COMBINE(sum, LIFT(input[i]));

  // --- Reduce the group ---
  sum = group_lanes(sum, &lane_scratch, totals);

  // --- Write the result of the group ---
  if (threadIdx.x == 0) write_group_result(sum, init, results + results_offset);
}

// Part reduce_luitjens_atomic: Luitjens' single-launch reductions: work-items walk the input with
// the stride of the launch, then each warp (`shuffle_warp_atomic`) or each group
// (`shuffle_block_atomic`) combines its result into the accumulator by one atomic. The paper leaves
// open who makes the accumulator ready; here a fill in the same stream does. The order in which
// results reach the accumulator is not fixed, so neither are the last bits of floating sums.
// Cost: reads each element once, one atomic per warp or group; one launch; one barrier in
// `shuffle_block_atomic`.
// Assumes a commutative operator.
// Source: Luitjens 2014.
// Provides: reduce_luitjens_atomic
// Uses: lanes, lane_folds, group_lanes, atomic_accumulator, lane_index

#ifndef GROUP_SIZE
#define GROUP_SIZE 512  // Work-items per group.
#endif

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    shuffle_warp_atomic(const IN* input, u64 input_offset, u64 n, ACC* accumulator,
                        u64 accumulator_offset) {
  __shared__ LaneScratch lane_scratch;
  const u64 stride = (u64)gridDim.x * GROUP_SIZE;
  input += input_offset;

  // --- Warps: accumulate with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x; i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
  }

  // --- Warps: one atomic per warp ---
  sum = lane_reduce(sum, &lane_scratch);
  if (lane_index() == 0) combine_into(accumulator + accumulator_offset, sum);
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    shuffle_block_atomic(const IN* input, u64 input_offset, u64 n, ACC* accumulator,
                         u64 accumulator_offset) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[WARPS];
  const u64 stride = (u64)gridDim.x * GROUP_SIZE;
  input += input_offset;

  // --- Groups: accumulate with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x; i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
  }

  // --- Groups: one atomic per group ---
  sum = group_lanes(sum, &lane_scratch, totals);
  if (threadIdx.x == 0) combine_into(accumulator + accumulator_offset, sum);
}
