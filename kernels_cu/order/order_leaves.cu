// Part leaf_shape: leaves of order v1, LEAF_ROWS rows of COLUMNS elements.
// Provides: leaf_shape

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group, a multiple of 32.
#endif
#ifndef ROWS_AT_ONCE
#define ROWS_AT_ONCE 8  // Rows of a leaf that a work-item has on their way at once.
#endif
#ifndef FEW_GROUPS
#define FEW_GROUPS 0  // Whether no more groups come than may have all the registers they like.
#endif
// Whether leaves that are not whole have so many rows on their way as well: of many groups few have
// such a leaf, and all would take registers for it.
#define PARTS_AT_ONCE FEW_GROUPS
#ifndef LEAVES_EACH
#define LEAVES_EACH 1  // Leaves of a lane group, at most two.
#endif
#ifndef LEAF_ROWS
#define LEAF_ROWS 32  // Rows of a leaf.
#endif
#ifndef COLUMNS
#define COLUMNS 128  // Columns of a leaf, a multiple of 32.
#endif

#define PER_ITEM (COLUMNS / 32)
#define LEAVES (GROUP_SIZE / 32)  // Of a group at once: one for each lane group.
#define LEAF (LEAF_ROWS * COLUMNS)
// Rows at once where elements are loaded one by one.
#define ROWS_APART (PER_ITEM > 32 ? 1 : 32 / PER_ITEM < ROWS_AT_ONCE ? 32 / PER_ITEM : ROWS_AT_ONCE)
#define NODE_ELEMENTS (LEAVES * LEAVES_EACH * LEAF)

// Part order_leaves: the totals of leaves. 32 work-items take a leaf each.
// Provides: order_leaves
// Uses: columns, neighbours, elements, leaf_shape, leaf_rows

// The columns of a work-item by halving; the first one has the result.
DEVICE void fold_columns(ACC* sums) {
#pragma unroll
  for (u32 width = SUMS / 2; width > 0; width /= 2) {
#pragma unroll
    for (u32 k = 0; k < width; ++k) sums[k] = COMBINE(sums[k], sums[k + width]);
  }
}

// What a group needs in local memory.
struct LeafScratch {
  FoldScratch fold;
  TreeScratch tree;
};

// The total of the leaf whose columns work-items have added; the first one of them has it. Columns
// fold by halving: first those of different work-items, or, where these have every 32nd, first
// those of one. Every work-item of the lane group takes part in every exchange, and of the group
// where exchanges are barriers: compilers for CPUs lose their way where these depend on something.
DEVICE ACC fold_leaf(ACC* sums, bool packed, LeafScratch* scratch) {
  if (!packed) fold_columns(sums);
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) {
    const ACC folded = fold_items(sums[k], &scratch->fold);
    if (packed || k == 0) sums[k] = folded;
  }
  if (packed) fold_columns(sums);
  return sums[0];
}

DEVICE void clear_columns(ACC* sums) {
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) sums[k] = IDENTITY;
}

#if LEAVES_EACH == 2
#if !SHIFTS_COLUMNS
#error "lane groups that fold leaves for themselves exchange registers, and meet at no barrier"
#endif
// The total of this lane group's two leaves.
DEVICE ACC total_leaf_pair(Elements input, u64 n, u64 subtree, LeafScratch* scratch) {
  const u64 begin = subtree * NODE_ELEMENTS + threadIdx.x / 32 * (2 * LEAF);
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
    const bool packed = add_leaf(sums, input, n, begin + leaf * LEAF);
    const ACC own = fold_leaf(sums, packed, scratch);
    total = leaf == 0 ? own : COMBINE(total, own);
  }
  return total;
}
#endif

// The total of the group's leaves, those of subtree `subtree`; the first work-item has it. A column
// is added in row order, the columns fold by halving, and a binary tree combines the leaves.
DEVICE ACC total_leaves(Elements input, u64 n, u64 subtree, LeafScratch* scratch) {
#if LEAVES_EACH == 2
  const ACC total = total_leaf_pair(input, n, subtree, scratch);
#else
  ACC sums[SUMS];
  clear_columns(sums);
  const bool packed = add_leaves(sums, input, n, subtree);
  const ACC total = fold_leaf(sums, packed, scratch);
#endif
  return combine_teams(total, &scratch->tree);
}

// Part order_nodes:
// the perfect binary tree over the subtrees of a reduction in order v1, by one group.
// Provides: order_nodes
// Uses: neighbours

#ifndef NODES_PER_ITEM
#define NODES_PER_ITEM 16  // Consecutive nodes that a work-item combines.
#endif

// Combines `count` nodes, which it overwrites; the first work-item has the root. Of no nodes, it is
// the identity.
DEVICE ACC combine_nodes(ACC* nodes, u64 count, TreeScratch* scratch) {
  const u32 id = threadIdx.x;
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
      __syncthreads();
    }
    if (subtrees == 1) return root;
    count = subtrees;
  }
}
