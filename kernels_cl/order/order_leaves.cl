// Part leaf_shape: leaves of order v1, which are LEAF_ROWS rows of COLUMNS elements.
// Provides: leaf_shape

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group, a multiple of 32.
#endif
#ifndef ROWS_AT_ONCE
#define ROWS_AT_ONCE 8  // Rows of a leaf that a work-item has on their way at once.
#endif
#ifndef FEW_GROUPS
#define FEW_GROUPS 0  // Whether groups are so few that registers need not be shared.
#endif
// Whether partial leaves, too, have so many rows loaded at once. Of many groups few have a partial
// leaf, but all would reserve registers for it.
#define PARTS_AT_ONCE FEW_GROUPS
#ifndef LEAVES_EACH
#define LEAVES_EACH 1  // Leaves of a warp, at most two.
#endif
#ifndef LEAF_ROWS
#define LEAF_ROWS 32  // Rows of a leaf.
#endif
#ifndef COLUMNS
#define COLUMNS 128  // Columns of a leaf, a multiple of 32.
#endif

#define PER_ITEM (COLUMNS / 32)
#define LEAVES (GROUP_SIZE / 32)  // Of a group at once: one for each warp.
#define LEAF (LEAF_ROWS * COLUMNS)
// Rows that are loaded at once where elements are loaded singly.
#define ROWS_APART (PER_ITEM > 32 ? 1 : 32 / PER_ITEM < ROWS_AT_ONCE ? 32 / PER_ITEM : ROWS_AT_ONCE)
#define NODE_ELEMENTS (LEAVES * LEAVES_EACH * LEAF)

// Part order_leaves: the totals of leaves. 32 work-items take one leaf.
// Provides: order_leaves
// Uses: columns, neighbours, elements, leaf_shape, leaf_rows

// Folds the columns of a work-item by halving into sums[0].
DEVICE void fold_columns(ACC* sums) {
#pragma unroll
  for (u32 width = SUMS / 2; width > 0; width /= 2) {
#pragma unroll
    for (u32 k = 0; k < width; ++k) sums[k] = COMBINE(sums[k], sums[k + width]);
  }
}

// The local memory that a group needs.
typedef struct {
  FoldScratch fold;
  TreeScratch tree;
} LeafScratch;

// The total of the leaf whose columns the work-items have added; the first one gets it. Columns are
// folded by halving. Neighbouring columns of one work-item are folded last; where a work-item has
// every 32nd column, its columns are folded first. Every work-item of the warp takes part in every
// exchange, and every one of the group where exchanges are barriers: compilers for CPUs fail where
// that depends on a condition.
DEVICE ACC fold_leaf(ACC* sums, bool by_vectors, __local LeafScratch* scratch) {
  if (!by_vectors) fold_columns(sums);
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) {
    const ACC folded = fold_items(sums[k], &scratch->fold);
    if (by_vectors || k == 0) sums[k] = folded;
  }
  if (by_vectors) fold_columns(sums);
  return sums[0];
}

DEVICE void clear_columns(ACC* sums) {
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) sums[k] = IDENTITY;
}

#if LEAVES_EACH == 2
#if !SHIFTS_COLUMNS
#error "warps that fold leaves for themselves exchange registers, and meet at no barrier"
#endif
// The total of this warp's two leaves.
DEVICE ACC total_leaf_pair(Elements input, u64 n, u64 subtree, __local LeafScratch* scratch) {
  const u64 begin = subtree * NODE_ELEMENTS + (u32)get_local_id(0) / 32 * (2 * LEAF);
  ACC sums[SUMS];
  ACC later[SUMS];
  clear_columns(sums);
  clear_columns(later);
  if (add_leaf_pair(sums, later, input, n, begin)) {
    const ACC first = fold_leaf(sums, true, scratch);
    return COMBINE(first, fold_leaf(later, true, scratch));
  }
  ACC total = IDENTITY;
#pragma unroll 1
  for (u32 leaf = 0; leaf < 2; ++leaf) {
    clear_columns(sums);
    const bool by_vectors = add_leaf(sums, input, n, begin + leaf * LEAF);
    const ACC own = fold_leaf(sums, by_vectors, scratch);
    total = leaf == 0 ? own : COMBINE(total, own);
  }
  return total;
}
#endif

// The total of the leaves of subtree `subtree`, which the group has; the first work-item gets it.
// Columns are added in row order and folded by halving, and a binary tree combines the leaves.
DEVICE ACC total_leaves(Elements input, u64 n, u64 subtree, __local LeafScratch* scratch) {
#if LEAVES_EACH == 2
  const ACC total = total_leaf_pair(input, n, subtree, scratch);
#else
  ACC sums[SUMS];
  clear_columns(sums);
  const bool by_vectors = add_leaves(sums, input, n, subtree);
  const ACC total = fold_leaf(sums, by_vectors, scratch);
#endif
  return combine_teams(total, &scratch->tree);
}

// Part order_nodes: the perfect binary tree over the subtrees of a reduction in order v1, built by
// one group.
// Provides: order_nodes
// Uses: neighbours, item_tree

#ifndef NODES_PER_ITEM
#define NODES_PER_ITEM 16  // Consecutive nodes that a work-item combines.
#endif

// Combines `count` nodes, which it overwrites. The first work-item gets the root. Without nodes, it
// is the identity.
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
