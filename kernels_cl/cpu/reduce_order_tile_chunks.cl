// The CPU's reduction in order v1 by operators that do not commute, in one launch: one work-item
// per group totals the tiles of its block, and the one that finishes last combines the totals.
// Cost: reads each element once, and writes and reads one accumulator per tile; one launch; one
// barrier, for which nobody waits.
// Assumes 64-bit atomics and fences that reach the whole device. Groups do not wait for each other.
// Source: bifold, docs/order.md; the last group as in NVIDIA's threadFenceReduction sample.

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_order_tile_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global void* work, INIT_PARAMETERS, __global OUT* result,
    ReducePlaces places) {
  __local TreeScratch scratch;
  __local u32 flag;
  __global ACC* const nodes = (__global ACC*)work + places.nodes;
  __global u64* const control = (__global u64*)work + places.control;
  const Elements input = INPUT;
  const u64 n = COUNT;
  const u64 groups = get_num_groups(0);
  const u64 first = block_begin(n, get_group_id(0), groups);
  const u64 end = block_begin(n, get_group_id(0) + 1, groups);

  // --- Reduce the tiles of this work-item ---
  for (u64 begin = first; begin < end; begin += TILE) {
    nodes[begin / TILE] = total_of_tile(input, begin, n);
  }

  // --- Count the group as finished ---
  if (!finishes_last(control + 1, groups, &flag) && groups > 1) return;

  // --- Combine the totals of all tiles ---
  const ACC root = combine_nodes(nodes, n / TILE + (n % TILE != 0), &scratch);

  // --- Write the result ---
  // Nobody else reads INIT, whose place may be the result's.
  result[places.result] = TO_OUT(COMBINE(INIT, root));
}
