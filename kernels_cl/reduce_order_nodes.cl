// Last launch of a reduction in order v1: one group combines the subtrees of the first launch, as a
// perfect binary tree, and folds the initial value in.
// Cost: reads an accumulator per node, that is per `node_elements` elements; writes one.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.

#ifndef GROUP_SIZE
#define GROUP_SIZE 1024  // Work-items of the group.
#endif
#ifndef NODES_PER_ITEM
#define NODES_PER_ITEM 16  // Consecutive nodes that a work-item combines.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_order_nodes(
    __global ACC* nodes, u64 nodes_offset, COUNT_PARAMETERS, u64 node_elements, INIT_PARAMETERS,
    __global OUT* result, u64 result_offset) {
  __local ACC values[GROUP_SIZE];
  const u32 id = (u32)get_local_id(0);
  nodes += nodes_offset;
  // Of no elements, one node of which nothing is there.
  u64 count = COUNT / node_elements + (COUNT % node_elements != 0);

  // --- Combine neighbours until one node is left ---
  for (;;) {
    u64 subtrees = (count + GROUP_SIZE * NODES_PER_ITEM - 1) / (GROUP_SIZE * NODES_PER_ITEM);
    if (subtrees == 0) subtrees = 1;
    for (u64 subtree = 0; subtree < subtrees; ++subtree) {
      const u64 begin = (subtree * GROUP_SIZE + id) * NODES_PER_ITEM;
      ACC sums[NODES_PER_ITEM];
#pragma unroll
      for (u32 k = 0; k < NODES_PER_ITEM; ++k) {
        sums[k] = IDENTITY;
        if (begin + k < count) sums[k] = nodes[begin + k];
      }
#pragma unroll
      for (u32 distance = 1; distance < NODES_PER_ITEM; distance *= 2) {
#pragma unroll
        for (u32 k = 0; k < NODES_PER_ITEM; k += 2 * distance) {
          sums[k] = COMBINE(sums[k], sums[k + distance]);
        }
      }
      values[id] = sums[0];
      combine_neighbours(values, GROUP_SIZE);
      if (id == 0) nodes[subtree] = values[0];
      barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    }
    if (subtrees == 1) break;
    count = subtrees;
  }

  // --- Write the result ---
  // Nobody else reads INIT, whose place may be the result's.
  if (id == 0) result[result_offset] = TO_OUT(COMBINE(INIT, values[0]));
}
