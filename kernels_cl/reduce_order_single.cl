// The reduction in order v1 in one launch: groups reduce a subtree of leaves each, as reduce_order
// does, and the one that finishes last combines the subtrees.
// Cost: reads each element once, and writes and reads one accumulator per group; one launch.
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
  const ACC node = total_leaves(INPUT, n, get_group_id(0), &scratch);
  if (get_local_id(0) == 0) nodes[get_group_id(0)] = node;

  // --- Count the group as finished ---
  const bool last = finishes_last(control, get_num_groups(0), &flag);

  // --- Combine the nodes of all groups ---
  ACC root = node;
  const u64 count = (n + NODE_ELEMENTS - 1) / NODE_ELEMENTS;
  if (last) root = combine_nodes(nodes, count, &scratch.tree);

  // --- Write the result ---
  // Nobody else reads INIT, whose place may be the result's.
  if ((last || get_num_groups(0) == 1) && get_local_id(0) == 0) {
    result[places.result] = TO_OUT(COMBINE(INIT, root));
  }
}
