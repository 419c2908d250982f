// Part segment_warps: whether the warps of a group meet where they fold.
// Provides: segment_warps
// Uses: line_shares

#define WARPS_MEET (!SIDE_BY_SIDE)

// Part segment_folds_columns: totals of segments by operators that commute: as leaves of order v1,
// whose columns are folded by halving.
// Provides: segment_folds
// Uses: line_array, line_shares, segment_warps

#define TASK (LEAF_ROWS * COLUMNS)  // Elements of a leaf, which a warp folds.
#define PER_ITEM (COLUMNS / 32)

// The total of a segment of up to SHARE << shift elements, which `1 << shift` work-items share; the
// first one gets it. All work-items of the group call it.
DEVICE ACC fold_short_segment(Elements input, u32 length, u32 share, u32 shift,
                              __local ACC* scratch) {
  // Constants are added to one address, and compared with one number.
  const u32 left = length > share ? length - share : 0;
  ACC sums[SHARE];
#pragma unroll
  for (u32 k = 0; k < SHARE; ++k) {
    const u64 i = share + ((u64)k << shift);
    sums[k] = IDENTITY;
    if (k << shift < left) sums[k] = lift_element(load_element(input, i), i);
  }
#pragma unroll
  for (u32 width = SHARE / 2; width > 0; width /= 2) {
#pragma unroll
    for (u32 k = 0; k < width; ++k) sums[k] = COMBINE(sums[k], sums[k + width]);
  }
  for (u32 width = 1u << shift >> 1; width > 0; width /= 2) {
    sums[0] = combine_shares(sums[0], share < width, width, scratch);
  }
  return sums[0];
}

// The total of `count` elements of a segment, up to a leaf, from `begin` on; a warp has them, and
// its first work-item gets it. A work-item has every 32nd column. No warp of the group has more
// than `most`. All work-items of the group call it.
DEVICE ACC fold_segment_leaf(Elements input, u64 begin, u32 count, u32 most, __local ACC* scratch) {
  const u32 item = (u32)get_local_id(0) % 32;
  ACC sums[PER_ITEM];
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) sums[k] = IDENTITY;
  u32 left = count > item ? count - item : 0;
#pragma unroll 1
  for (u64 first = begin + item; left > 0; first += ROWS_AT_ONCE * COLUMNS) {
    ACC items[ROWS_AT_ONCE * PER_ITEM];
#pragma unroll
    for (u32 k = 0; k < ROWS_AT_ONCE * PER_ITEM; ++k) {
      const u64 i = first + k * 32;
      items[k] = IDENTITY;
      if (k * 32 < left) items[k] = lift_element(load_element(input, i), i);
    }
#pragma unroll
    for (u32 k = 0; k < ROWS_AT_ONCE * PER_ITEM; ++k) {
      sums[k % PER_ITEM] = COMBINE(sums[k % PER_ITEM], items[k]);
    }
    left = left > ROWS_AT_ONCE * COLUMNS ? left - ROWS_AT_ONCE * COLUMNS : 0;
  }
#pragma unroll
  for (u32 width = PER_ITEM / 2; width > 0; width /= 2) {
#pragma unroll
    for (u32 k = 0; k < width; ++k) sums[k] = COMBINE(sums[k], sums[k + width]);
  }
  for (u32 width = 16; width > 0; width /= 2) {
    sums[0] = combine_shares(sums[0], item < width, width, scratch);
  }
  return sums[0];
}

// Part segment_folds_rows: totals of segments in index order: as tiles of a scan in order v1, whose
// rows are folded from left to right.
// Provides: segment_folds
// Uses: line_array, line_shares, segment_warps

#define TASK (ROW_RUNS * RUN * WARP_TILE_ROWS * WARP_TILES)  // Elements of a tile.

// The perfect binary tree over `1 << shift` neighbouring work-items; the first one gets its root.
DEVICE ACC fold_runs(ACC x, u32 share, u32 shift, __local ACC* scratch) {
  for (u32 bit = 0; bit < shift; ++bit) {
    x = combine_shares(x, share % (2u << bit) == 0, 1u << bit, scratch);
  }
  return x;
}

DEVICE ACC fold_short_segment(Elements input, u32 length, u32 share, u32 shift,
                              __local ACC* scratch) {
  ACC sum = IDENTITY;
#pragma unroll
  for (u32 k = 0; k < SHARE; ++k) {
    const u32 i = share * SHARE + k;
    if (i < length) sum = COMBINE(sum, lift_element(load_element(input, i), i));
  }
  return fold_runs(sum, share, shift, scratch);
}

// Rows of a warp tile are folded, and warp tiles.
DEVICE ACC fold_segment_leaf(Elements input, u64 begin, u32 count, u32 most, __local ACC* scratch) {
  const u32 item = (u32)get_local_id(0) % ROW_RUNS;
  const u32 turns = WARPS_MEET ? most : count;
  ACC warp_tiles = IDENTITY;
  ACC rows = IDENTITY;
  for (u32 row = 0; row * (ROW_RUNS * RUN) < turns; ++row) {
    if (row % WARP_TILE_ROWS == 0) {
      warp_tiles = COMBINE(warp_tiles, rows);
      rows = IDENTITY;
    }
    ACC sum = IDENTITY;
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      const u32 i = (row * ROW_RUNS + item) * RUN + k;
      if (i < count) sum = COMBINE(sum, lift_element(load_element(input, begin + i), begin + i));
    }
    rows = COMBINE(rows, fold_runs(sum, item, 5, scratch));
  }
  return COMBINE(warp_tiles, rows);
}
