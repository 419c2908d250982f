// Part columns_shuffle: 32 consecutive work-items fold their values by halving, with shuffles.
// Provides: columns
// Uses: shuffle_down

// The local memory that the fold needs: none.
typedef struct {
  char unused;
} FoldScratch;

// Item l takes the value of l + 16, then of l + 8, and so on; the first item has the result.
DEVICE ACC fold_items(ACC x, __local FoldScratch* scratch) {
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

// Part columns_local: 32 consecutive work-items fold their values by halving, through local memory.
// Provides: columns

// The local memory that the fold needs.
typedef struct {
  ACC value[GROUP_SIZE];
} FoldScratch;

// Item l takes the value of l + 16, then of l + 8, and so on; the first item has the result.
DEVICE ACC fold_items(ACC x, __local FoldScratch* scratch) {
  const u32 id = (u32)get_local_id(0);
  scratch->value[id] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 distance = 16; distance > 0; distance /= 2) {
    if (id % 32 < distance) {
      scratch->value[id] = COMBINE(scratch->value[id], scratch->value[id + distance]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  x = scratch->value[id / 32 * 32];
  barrier(CLK_LOCAL_MEM_FENCE);
  return x;
}

// Columns are not handed on: that would cost more.
#define SHIFTS_COLUMNS 0

// Part column_values_local: columns are not handed on.
// Provides: column_values

DEVICE ACC value_of_item(ACC x, u32 item) { return x; }

// Part neighbours_shuffle: perfect binary trees over the work-items of a group, with shuffles. A
// team is 32 consecutive work-items.
// Provides: neighbours
// Uses: shuffle_down

#define TEAMS (GROUP_SIZE / 32)

// The local memory that a tree needs. A barrier has to separate two trees.
typedef struct {
  ACC team[TEAMS];
} TreeScratch;

// The tree over the first values of all teams; the first work-item has the root.
DEVICE ACC combine_teams(ACC x, __local TreeScratch* scratch) {
  const u32 item = (u32)get_local_id(0) % 32;
  if (item == 0) scratch->team[(u32)get_local_id(0) / 32] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
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
DEVICE ACC combine_items(ACC x, __local TreeScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) {
    x = COMBINE(x, shuffle_down(x, distance));
  }
  return combine_teams(x, scratch);
}

// Part neighbours_local: perfect binary trees over the work-items of a group, through local memory.
// Provides: neighbours

// The local memory that a tree needs. A barrier has to separate two trees.
typedef struct {
  ACC value[GROUP_SIZE];
} TreeScratch;

// The tree over the values of the work-items whose index is a multiple of `apart`; all have the
// root.
DEVICE ACC combine_apart(ACC x, u32 apart, __local TreeScratch* scratch) {
  const u32 id = (u32)get_local_id(0);
  scratch->value[id] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 distance = apart; distance < GROUP_SIZE; distance *= 2) {
    if (id % (2 * distance) == 0 && id + distance < GROUP_SIZE) {
      scratch->value[id] = COMBINE(scratch->value[id], scratch->value[id + distance]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch->value[0];
}
DEVICE ACC combine_teams(ACC x, __local TreeScratch* scratch) {
  return combine_apart(x, 32, scratch);
}

// Part item_tree_local: the perfect binary tree over all work-items of a group.
// Provides: item_tree
// Uses: neighbours_local

DEVICE ACC combine_items(ACC x, __local TreeScratch* scratch) {
  return combine_apart(x, 1, scratch);
}

// Part group_lanes: a group's reduction by exchange between lanes. Every warp reduces its own
// values, then the first warp reduces the warps' results. Index order is kept.
// Provides: group_lanes
// Uses: lanes, lane_folds, lane_index, warp_index

// The combination of x over the group, known to its first warp.
DEVICE ACC group_lanes(ACC x, __local LaneScratch* lane_scratch, __local ACC* totals) {
  x = lane_reduce(x, lane_scratch);
#if WARPS > 1
  if (lane_index() == 0) totals[warp_index()] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
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

DEVICE ACC group_tree(ACC x, __local ACC* scratch) {
  const u32 id = (u32)get_local_id(0);
  scratch[id] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 offset = GROUP_SIZE / 2; offset > 0; offset /= 2) {
    if (id < offset) scratch[id] = COMBINE(scratch[id], scratch[id + offset]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch[0];
}
