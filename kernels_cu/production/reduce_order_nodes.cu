// Last launch of a reduction in order v1: one group combines the subtrees of the first launch, as a
// perfect binary tree, and folds the initial value in.
// Cost: reads an accumulator per node, that is per `node_elements` elements; writes one.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.

#ifndef GROUP_SIZE
#define GROUP_SIZE 1024  // Work-items of the group.
#endif

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_order_nodes(ACC* nodes, u64 nodes_offset, COUNT_PARAMETERS, u64 node_elements,
                       INIT_PARAMETERS, OUT* result, u64 result_offset) {
  __shared__ TreeScratch scratch;

  // --- Combine neighbours until one node is left ---
  const u64 count = COUNT / node_elements + (COUNT % node_elements != 0);
  const ACC root = combine_nodes(nodes + nodes_offset, count, &scratch);

  // --- Write the result ---
  // Nobody else reads INIT, whose place may be the result's.
  if (threadIdx.x == 0) result[result_offset] = TO_OUT(COMBINE(INIT, root));
}
