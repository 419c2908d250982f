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
typedef struct {
  FoldScratch fold;
  TreeScratch tree;
} LeafScratch;

// The total of the group's leaves, those of subtree `subtree`; the first work-item has it. A column
// is added in row order, the columns fold by halving, and a binary tree combines the leaves.
DEVICE ACC total_leaves(Elements input, u64 n, u64 subtree, __local LeafScratch* scratch) {
  ACC sums[SUMS];
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) sums[k] = IDENTITY;
  const bool packed = add_leaves(sums, input, n, subtree);

  // Columns fold by halving: first those of different work-items, or, where these have every 32nd,
  // first those of one. Every work-item takes part in every exchange, as compilers for CPUs lose
  // their way where barriers depend on something.
  if (!packed) fold_columns(sums);
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) {
    const ACC folded = fold_items(sums[k], &scratch->fold);
    if (packed || k == 0) sums[k] = folded;
  }
  if (packed) fold_columns(sums);
  return combine_teams(sums[0], &scratch->tree);
}
