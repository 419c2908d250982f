// The reduction whose bits are the same everywhere: order v1. Leaves of LEAF_ROWS rows of COLUMNS
// elements; a column is added in row order, the columns fold by halving, and a perfect binary tree
// combines the leaves. 32 work-items take a leaf each, a group a subtree.
// Cost: reads each element once, writes one accumulator per group; two launches.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group, a multiple of 32.
#endif
#ifndef UNROLL
#define UNROLL 8  // Rows that a work-item loads before it adds the first.
#endif
#ifndef LEAF_ROWS
#define LEAF_ROWS 32  // Rows of a leaf.
#endif
#ifndef COLUMNS
#define COLUMNS 128  // Columns of a leaf, a multiple of 32.
#endif

#define PER_ITEM (COLUMNS / 32)
#define LEAVES (GROUP_SIZE / 32)
#define PART_UNROLL 4

// The rows of a whole leaf. `from` is the index of the first element of the work-item's first
// column, and its other columns are neighbours of that one, loaded as a pack, or every 32nd.
DEVICE void add_leaf(ACC* sums, Elements input, u64 from, bool packed) {
  for (u32 row = 0; row < LEAF_ROWS; row += UNROLL) {
    Element items[UNROLL][PER_ITEM];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) {
      if (packed) {
        const ElementPack pack = load_elements(input, from + (row + f) * COLUMNS);
#pragma unroll
        for (u32 k = 0; k < PER_ITEM; ++k) items[f][k] = element_of(pack, k % VEC);
      } else {
#pragma unroll
        for (u32 k = 0; k < PER_ITEM; ++k) {
          items[f][k] = load_element(input, from + (row + f) * COLUMNS + k * 32);
        }
      }
    }
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) {
#pragma unroll
      for (u32 k = 0; k < PER_ITEM; ++k) {
        const u64 i = from + (row + f) * COLUMNS + k * (packed ? 1 : 32);
        sums[k] = COMBINE(sums[k], lift_element(items[f][k], i));
      }
    }
  }
}

// The rows of a leaf of `left` elements. What lies behind them is loaded from elsewhere, so that
// loads need not wait for one another, and not added.
DEVICE void add_part_of_leaf(ACC* sums, Elements input, u64 leaf, u32 left, u32 first, u32 apart) {
  for (u32 row = 0; row < left; row += PART_UNROLL * COLUMNS) {
    Element items[PART_UNROLL][PER_ITEM];
#pragma unroll
    for (u32 f = 0; f < PART_UNROLL; ++f) {
#pragma unroll
      for (u32 k = 0; k < PER_ITEM; ++k) {
        const u32 i = row + f * COLUMNS + first + k * apart;
        items[f][k] = load_element(input, leaf + (i < left ? i : 0));
      }
    }
#pragma unroll
    for (u32 f = 0; f < PART_UNROLL; ++f) {
#pragma unroll
      for (u32 k = 0; k < PER_ITEM; ++k) {
        const u32 i = row + f * COLUMNS + first + k * apart;
        if (i < left) sums[k] = COMBINE(sums[k], lift_element(items[f][k], leaf + i));
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_order(INPUT_PARAMETERS, COUNT_PARAMETERS, ACC* nodes, u64 nodes_offset) {
  __shared__ FoldScratch fold_scratch;
  __shared__ ACC leaves[LEAVES];
  const Elements input = INPUT;
  const u64 n = COUNT;
  const u32 item = threadIdx.x % 32;
  const u32 team = threadIdx.x / 32;
  const u64 begin = ((u64)blockIdx.x * LEAVES + team) * (LEAF_ROWS * COLUMNS);

  // --- Choose the columns of a work-item ---
  // Neighbouring ones where they can be loaded as a pack, else every 32nd.
  const bool packed = VEC == PER_ITEM && packs_aligned(input);
  const u32 first = packed ? item * PER_ITEM : item;
  const u32 apart = packed ? 1 : 32;

  // --- Add the rows of the leaf ---
  ACC sums[PER_ITEM];
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) sums[k] = IDENTITY;
  if (begin + LEAF_ROWS * COLUMNS > n) {
    if (begin < n) add_part_of_leaf(sums, input, begin, (u32)(n - begin), first, apart);
  } else if (packed) {
    add_leaf(sums, input, begin + first, true);
  } else {
    add_leaf(sums, input, begin + first, false);
  }

  // --- Fold the columns by halving ---
  if (packed) {
#pragma unroll
    for (u32 k = 0; k < PER_ITEM; ++k) sums[k] = fold_items(sums[k], &fold_scratch);
  }
#pragma unroll
  for (u32 width = PER_ITEM / 2; width > 0; width /= 2) {
#pragma unroll
    for (u32 k = 0; k < width; ++k) sums[k] = COMBINE(sums[k], sums[k + width]);
  }
  if (!packed) sums[0] = fold_items(sums[0], &fold_scratch);

  // --- Combine the leaves of the group ---
  if (item == 0) leaves[team] = sums[0];
  combine_neighbours(leaves, LEAVES);

  // --- Write the node ---
  if (threadIdx.x == 0) nodes[nodes_offset + blockIdx.x] = leaves[0];
}
