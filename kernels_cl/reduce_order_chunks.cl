// The CPU's reduction in order v1: one work-item per group takes a subtree of leaves, adding the
// columns of a leaf in vector registers.
// Cost: reads each element once, writes one accumulator per group; two launches; no barrier.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.

#ifndef LEAF_ROWS
#define LEAF_ROWS 32  // Rows of a leaf.
#endif
#ifndef COLUMNS
#define COLUMNS 128  // Columns of a leaf.
#endif

// A node of each level waits at most, and a level doubles the elements.
#define LEVELS 64

// The leaf that begins there, of which `count` elements exist.
DEVICE ACC leaf_sum(Elements input, u64 begin, u64 count) {
  ACC sums[COLUMNS];
  for (u32 c = 0; c < COLUMNS; ++c) sums[c] = IDENTITY;
  u64 row = 0;
  for (; row + COLUMNS <= count; row += COLUMNS) {
    for (u32 c = 0; c < COLUMNS; ++c) {
      const u64 i = begin + row + c;
      sums[c] = COMBINE(sums[c], lift_element(load_element(input, i), i));
    }
  }
  for (u32 c = 0; row + c < count; ++c) {
    const u64 i = begin + row + c;
    sums[c] = COMBINE(sums[c], lift_element(load_element(input, i), i));
  }
  for (u32 width = COLUMNS / 2; width > 0; width /= 2) {
    for (u32 c = 0; c < width; ++c) sums[c] = COMBINE(sums[c], sums[c + width]);
  }
  return sums[0];
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_order_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, u64 leaves_per_node, __global ACC* nodes,
    u64 nodes_offset) {
  const Elements input = INPUT;
  const u64 n = COUNT;
  const u64 leaf_elements = LEAF_ROWS * COLUMNS;
  const u64 leaves = (n + leaf_elements - 1) / leaf_elements;
  const u64 first = get_group_id(0) * leaves_per_node;
  const u64 last = first + leaves_per_node < leaves ? first + leaves_per_node : leaves;

  // --- Combine leaves as their subtrees are complete ---
  ACC waiting[LEVELS];
  u32 depth = 0;
  for (u64 leaf = first; leaf < last; ++leaf) {
    const u64 begin = leaf * leaf_elements;
    const u64 left = n - begin;
    ACC sum = leaf_sum(input, begin, left < leaf_elements ? left : leaf_elements);
    for (u64 subtree = leaf - first; subtree % 2 != 0; subtree /= 2) {
      --depth;
      sum = COMBINE(waiting[depth], sum);
    }
    waiting[depth] = sum;
    ++depth;
  }

  // --- Write the node, its absent leaves skipped ---
  // There may be none at all, where n is less than the launch was made for.
  ACC sum = depth > 0 ? waiting[depth - 1] : IDENTITY;
  for (u32 level = depth; level > 1; --level) sum = COMBINE(waiting[level - 2], sum);
  nodes[nodes_offset + get_group_id(0)] = sum;
}
