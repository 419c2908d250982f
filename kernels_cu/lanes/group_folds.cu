// Part columns_shuffle: 32 consecutive work-items fold their values by halving, with shuffles.
// Provides: columns
// Uses: shuffle_down

// The local memory that the fold needs: none.
struct FoldScratch {};

// Item l takes the value of l + 16, then of l + 8, and so on; the first item has the result.
DEVICE ACC fold_items(ACC x, FoldScratch* scratch) {
#pragma unroll
  for (u32 distance = 16; distance > 0; distance /= 2) {
    x = COMBINE(x, shuffle_down(x, distance));
  }
  return x;
}

// The value of one of the 32 work-items.
#define SHIFTS_COLUMNS 1

// Part column_values_shuffle: columns are handed on between 32 work-items.
// Provides: column_values
// Uses: shuffle_idx

DEVICE ACC value_of_item(ACC x, u32 item) { return shuffle_idx(x, item); }

// Part neighbours_shuffle: perfect binary trees over the work-items of a group, with shuffles. A
// team is 32 consecutive work-items.
// Provides: neighbours
// Uses: shuffle_down

#define TEAMS (GROUP_SIZE / 32)

// The local memory that a tree needs. A barrier has to separate two trees.
struct TreeScratch {
  ACC team[TEAMS];
};

// The tree over the first values of all teams; the first work-item has the root.
DEVICE ACC combine_teams(ACC x, TreeScratch* scratch) {
  const u32 item = threadIdx.x % 32;
  if (item == 0) scratch->team[threadIdx.x / 32] = x;
  __syncthreads();
  x = scratch->team[item < TEAMS ? item : 0];
#pragma unroll
  for (u32 distance = 1; distance < TEAMS; distance *= 2) {
    const ACC later = shuffle_down(x, distance);
    x = COMBINE(x, item + distance < TEAMS ? later : IDENTITY);
  }
  return x;
}

// Part item_tree_shuffle: the perfect binary tree over all work-items of a group.
// Provides: item_tree
// Uses: neighbours_shuffle, shuffle_down

// The tree over the values of all work-items; the first one has the root.
DEVICE ACC combine_items(ACC x, TreeScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) {
    x = COMBINE(x, shuffle_down(x, distance));
  }
  return combine_teams(x, scratch);
}

// Part group_lanes: a group's reduction by exchange between lanes. Every warp reduces its own
// values, then the first warp reduces the warps' results. Index order is kept.
// Provides: group_lanes
// Uses: lanes, lane_folds, lane_index, warp_index

// The combination of x over the group, known to its first warp.
DEVICE ACC group_lanes(ACC x, LaneScratch* lane_scratch, ACC* totals) {
  x = lane_reduce(x, lane_scratch);
#if WARPS > 1
  if (lane_index() == 0) totals[warp_index()] = x;
  __syncthreads();
  if (warp_index() == 0) {
    // Each lane takes a share of consecutive results: there may be more warps than lanes.
    const u32 share = (WARPS + LANES - 1) / LANES;
    x = IDENTITY;
    for (u32 g = lane_index() * share; g < (lane_index() + 1) * share; ++g) {
      if (g < WARPS) x = COMBINE(x, totals[g]);
    }
    x = lane_reduce(x, lane_scratch);
  }
#endif
  return x;
}

// Part group_tree: the local-memory tree of Catanzaro's reduction, for any power-of-two group.
// Provides: group_tree

DEVICE ACC group_tree(ACC x, ACC* scratch) {
  const u32 id = threadIdx.x;
  scratch[id] = x;
  __syncthreads();
  for (u32 offset = GROUP_SIZE / 2; offset > 0; offset /= 2) {
    if (id < offset) scratch[id] = COMBINE(scratch[id], scratch[id + offset]);
    __syncthreads();
  }
  return scratch[0];
}
