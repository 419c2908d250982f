// Prelude: the perfect binary tree over the subtrees of a reduction in order v1, by one group.

#ifndef NODES_PER_ITEM
#define NODES_PER_ITEM 16  // Consecutive nodes that a work-item combines.
#endif

// Combines `count` nodes, which it overwrites; the first work-item has the root. Of no nodes, it is
// the identity.
DEVICE ACC combine_nodes(__global ACC* nodes, u64 count, __local TreeScratch* scratch) {
  const u32 id = (u32)get_local_id(0);
  for (;;) {
    u64 subtrees = (count + GROUP_SIZE * NODES_PER_ITEM - 1) / (GROUP_SIZE * NODES_PER_ITEM);
    if (subtrees == 0) subtrees = 1;
    ACC root = IDENTITY;
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
      root = combine_items(sums[0], scratch);
      if (id == 0 && subtrees > 1) nodes[subtree] = root;
      barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    }
    if (subtrees == 1) return root;
    count = subtrees;
  }
}
