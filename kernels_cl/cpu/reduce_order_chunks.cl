// Part reduce_order_chunks: A reduction in order v1 for CPUs: the work-item of a group takes a
// subtree of leaves.
// Cost: reads each element once, writes one accumulator per group; two launches; no barrier.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.
// Provides: reduce_order_chunks
// Uses: count, elements, order_subtree_chunks

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_order_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, u64 leaves_per_node, __global ACC* nodes,
    u64 nodes_offset) {
  // --- Reduce the leaves of the group ---
  nodes[nodes_offset + get_group_id(0)] =
      total_subtree(INPUT, COUNT, get_group_id(0), leaves_per_node);
}

// Part reduce_order_single_chunks: The CPU's production reduction by operators that commute, in
// order v1 and in one launch. The work-item of a group takes a subtree of leaves, and the group
// that finishes last combines the subtrees.
// Cost: reads each element once, and writes and reads one accumulator per group; one launch; one
// barrier, for which nobody waits.
// Assumes a commutative operator, and 64-bit atomics and fences that reach the whole device. Groups
// do not wait for each other.
// Source: bifold, docs/order.md; the last group as in NVIDIA's threadFenceReduction sample.
// Provides: reduce_order_single_chunks
// Uses: count, init, elements, outputs, last_group, order_subtree_chunks, reduce_places

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_order_single_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, u64 leaves_per_node, __global void* work, INIT_PARAMETERS,
    __global OUT* result MORE_OUTPUTS, ReducePlaces places) {
  __local u32 flag;
  __global ACC* const nodes = (__global ACC*)work + places.nodes;
  __global u64* const control = (__global u64*)work + places.control;
  const u64 n = COUNT;
  const u64 groups = get_num_groups(0);

  // --- Reduce the leaves of the group ---
  ACC root = total_subtree(INPUT, n, get_group_id(0), leaves_per_node);
  if (groups > 1) nodes[get_group_id(0)] = root;

  // --- Count the group as finished ---
  const bool last = finishes_last(control + 1, groups, &flag);
  if (!last && groups > 1) return;

  // --- Combine the nodes of all groups ---
  if (last) {
    // There may be fewer, if n is less than the launch was made for.
    const u64 node_elements = leaves_per_node * LEAF;
    const u64 count = n / node_elements + (n % node_elements != 0);
    SubtreeStack stack;
    stack.depth = 0;
    for (u64 node = 0; node < count; ++node) append_node(&stack, node, nodes[node]);
    root = root_of(&stack);
  }

  // --- Write the result ---
  // Nobody else reads INIT, which may be the result's memory.
  PUT_RESULT(OUTPUTS(result + places.result), 0, COMBINE(INIT, root));
}

// Part reduce_order_tile_chunks: The CPU's reduction in order v1 by operators that do not commute,
// in one launch. The work-item of a group totals the tiles of its block, and the group that
// finishes last combines the totals.
// Cost: reads each element once, and writes and reads one accumulator per tile; one launch; one
// barrier, for which nobody waits.
// Assumes 64-bit atomics and fences that reach the whole device. Groups do not wait for each other.
// Source: bifold, docs/order.md; the last group as in NVIDIA's threadFenceReduction sample.
// Provides: reduce_order_tile_chunks
// Uses: count, init, elements, outputs, tile_folds, blocks, reduce_places, last_group,
//   neighbours_local, item_tree_local, order_nodes

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_order_tile_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global void* work, INIT_PARAMETERS,
    __global OUT* result MORE_OUTPUTS, ReducePlaces places) {
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
  // Nobody else reads INIT, which may be the result's memory.
  PUT_RESULT(OUTPUTS(result + places.result), 0, COMBINE(INIT, root));
}
