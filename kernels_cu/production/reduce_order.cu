// The reduction whose bits are the same everywhere: order v1. 32 work-items take a leaf each, a
// group a subtree of leaves. Cost: reads each element once, writes one accumulator per group; two
// launches. Assumes a commutative operator. Source: bifold, docs/order.md.

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_order(INPUT_PARAMETERS, COUNT_PARAMETERS, ACC* nodes, u64 nodes_offset) {
  __shared__ LeafScratch scratch;

  // --- Reduce the leaves of the group ---
  const ACC node = total_leaves(INPUT, COUNT, blockIdx.x, &scratch);

  // --- Write the node ---
  if (threadIdx.x == 0) nodes[nodes_offset + blockIdx.x] = node;
}
