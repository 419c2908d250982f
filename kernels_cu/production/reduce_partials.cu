// Part reduce_partials: Second stage of every two-stage reduction: one group reduces the partial
// results of the first. Strided accumulation, then the tree in local memory; the initial value is
// folded in last.
// Cost: reads `count` accumulators, writes one; log2(GROUP_SIZE) + 1 barriers.
// Assumes a commutative operator.
// Source: Catanzaro 2010, as in Jradi 2017, section 2.3.
// Provides: reduce_partials
// Uses: init, group_tree

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_partials(const ACC* partials, u64 partials_offset, u64 count, INIT_PARAMETERS,
                    OUT* result, u64 result_offset) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u32 id = threadIdx.x;
  partials += partials_offset;

  // --- Accumulate the partials with the stride of the group ---
  ACC sum = IDENTITY;
  for (u64 i = id; i < count; i += GROUP_SIZE) sum = COMBINE(sum, partials[i]);

  // --- Reduce the group in local memory ---
  sum = group_tree(sum, scratch);

  // --- Write the result ---
  // Nobody else reads INIT, which may be the result's memory.
  if (id == 0) result[result_offset] = TO_OUT(COMBINE(INIT, sum));
}
