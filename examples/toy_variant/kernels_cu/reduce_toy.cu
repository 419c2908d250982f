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

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_toy(const IN* input, u64 input_offset, COUNT_PARAMETERS, ACC* partials,
               u64 partials_offset) {
  __shared__ ACC found[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 stride = (u64)gridDim.x * GROUP_SIZE;
  input += input_offset;

  // --- Combine every stride-th element ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x; i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
  }
  found[threadIdx.x] = sum;
  __syncthreads();

  // --- Combine the group ---
  if (threadIdx.x == 0) {
    for (u32 k = 1; k < GROUP_SIZE; ++k) sum = COMBINE(sum, found[k]);
    partials[partials_offset + blockIdx.x] = sum;
  }
}
