// Prelude: the totals of leaves. 32 work-items take a leaf each.

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
