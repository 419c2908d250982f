// Part reduce_order: The reduction in order v1, which has the same bits on every device. 32
// work-items take a leaf, a group takes a subtree of leaves.
// Cost: reads each element once, writes one accumulator per group; two launches.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.
// Provides: reduce_order
// Uses: count, elements, order_leaves

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_order(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global ACC* nodes, u64 nodes_offset) {
  __local LeafScratch scratch;

  // --- Reduce the leaves of the group ---
  const ACC node = total_leaves(INPUT, COUNT, get_group_id(0), &scratch);

  // --- Write the node ---
  if (get_local_id(0) == 0) nodes[nodes_offset + get_group_id(0)] = node;
}

// Part reduce_order_nodes: The last launch of a reduction in order v1. One group combines the
// subtrees of the first launch as a perfect binary tree, and folds the initial value in.
// Cost: reads an accumulator per node, that is per `node_elements` elements; writes one.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: reduce_order_nodes
// Uses: count, init, outputs, order_nodes

#ifndef GROUP_SIZE
#define GROUP_SIZE 1024  // Work-items of the group.
#endif

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_order_nodes(
    __global ACC* nodes, u64 nodes_offset, COUNT_PARAMETERS, u64 node_elements, INIT_PARAMETERS,
    __global OUT* result, u64 result_offset MORE_OUTPUTS) {
  __local TreeScratch scratch;

  // --- Combine neighbours until one node is left ---
  const u64 count = COUNT / node_elements + (COUNT % node_elements != 0);
  const ACC root = combine_nodes(nodes + nodes_offset, count, &scratch);

  // --- Write the result ---
  // Nobody else reads INIT, which may be the result's memory.
  if (get_local_id(0) == 0) PUT_RESULT(OUTPUTS(result + result_offset), 0, COMBINE(INIT, root));
}

// Part reduce_order_single: The reduction in order v1 in one launch. Groups reduce a subtree of
// leaves each, as in reduce_order. The group that finishes last combines the subtrees; if there are
// many groups, each set of them is combined first.
// Cost: reads each element once, and writes and reads one accumulator per group, and per set of
// them, or adds it to one word; one launch.
// Assumes a commutative operator, and 64-bit atomics and fences that reach the whole device. Groups
// do not wait for each other.
// Source: bifold, docs/order.md; the last group as in NVIDIA's threadFenceReduction sample.
// Provides: reduce_order_single
// Uses: count, launch, init, elements, outputs, order_leaves, group_results, reduce_places

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_order_single(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global void* work, INIT_PARAMETERS,
    __global OUT* result MORE_OUTPUTS, ReducePlaces places) {
  __local LeafScratch scratch;
  __local u32 flag;
  pdl_wait();
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
  // Nobody else reads INIT, which may be the result's memory.
  if (done) PUT_RESULT(OUTPUTS(result + places.result), 0, COMBINE(INIT, root));
}
