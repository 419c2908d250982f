// The reduction in order v1 in one launch: groups reduce a subtree of leaves each, as reduce_order
// does, and the one that finishes last combines the subtrees; of many, first those of its set.
// Cost: reads each element once, and writes and reads one accumulator per group, and per set of
// them, or adds it to one word; one launch.
// Assumes a commutative operator, and 64-bit atomics and fences that reach the whole device. Groups
// do not wait for each other.
// Source: bifold, docs/order.md; the last group as in NVIDIA's threadFenceReduction sample.

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_order_single(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global void* work, INIT_PARAMETERS, __global OUT* result,
    ReducePlaces places) {
  __local LeafScratch scratch;
  __local u32 flag;
  await_earlier_work();
  __global ACC* const nodes = (__global ACC*)work + places.nodes;
  __global u64* const control = (__global u64*)work + places.control;
  const u64 n = COUNT;

  // --- Reduce the leaves of the group ---
  ACC root = total_leaves(INPUT, n, get_group_id(0), &scratch);

  // --- Combine the results of all groups ---
  const u64 count = (n + NODE_ELEMENTS - 1) / NODE_ELEMENTS;
  const bool done =
      combine_groups(&root, nodes, count, control, places.per_set, &scratch.tree, &flag);

  // --- Write the result ---
  // Nobody else reads INIT, whose place may be the result's.
  if (done) result[places.result] = TO_OUT(COMBINE(INIT, root));
}
