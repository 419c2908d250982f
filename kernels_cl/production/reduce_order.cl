// The reduction whose bits are the same everywhere: order v1. 32 work-items take a leaf each, a
// group a subtree of leaves. Cost: reads each element once, writes one accumulator per group; two
// launches. Assumes a commutative operator. Source: bifold, docs/order.md.

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_order(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global ACC* nodes, u64 nodes_offset) {
  __local LeafScratch scratch;

  // --- Reduce the leaves of the group ---
  const ACC node = total_leaves(INPUT, COUNT, get_group_id(0), &scratch);

  // --- Write the node ---
  if (get_local_id(0) == 0) nodes[nodes_offset + get_group_id(0)] = node;
}
