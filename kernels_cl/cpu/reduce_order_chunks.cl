// A reduction in order v1 for CPUs: one work-item per group takes a subtree of leaves.
// Cost: reads each element once, writes one accumulator per group; two launches; no barrier.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_order_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, u64 leaves_per_node, __global ACC* nodes,
    u64 nodes_offset) {
  // --- Reduce the leaves of the group ---
  nodes[nodes_offset + get_group_id(0)] =
      total_subtree(INPUT, COUNT, get_group_id(0), leaves_per_node);
}
