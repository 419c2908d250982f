// Part reduce_catanzaro: Catanzaro's two-stage reduction: as many work-items as the device holds
// walk the input with the stride of the whole launch, then each group reduces its accumulators in a
// local-memory tree.
// Cost: reads each element once, writes one accumulator per group; two launches; log2(GROUP_SIZE) +
// 1 barriers.
// Assumes a commutative operator and a power-of-two group.
// Source: Catanzaro 2010, as in Jradi 2017, section 2.3, listing 1.
// Provides: reduce_catanzaro
// Uses: count, group_tree

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_catanzaro(const IN* input, u64 input_offset, COUNT_PARAMETERS, ACC* partials,
                     u64 partials_offset) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 stride = (u64)gridDim.x * GROUP_SIZE;
  input += input_offset;

  // --- Accumulate with the stride of the launch ---
  ACC sum = IDENTITY;
  for (u64 i = (u64)blockIdx.x * GROUP_SIZE + threadIdx.x; i < n; i += stride) {
    sum = COMBINE(sum, LIFT(input[i]));
  }

  // --- Reduce the group in local memory ---
  sum = group_tree(sum, scratch);

  // --- Write the partial result of the group ---
  if (threadIdx.x == 0) partials[partials_offset + blockIdx.x] = sum;
}
