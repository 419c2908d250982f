// Part columns_shuffle:
// the fold of 32 consecutive work-items by halving, where they exchange registers.
// Provides: columns
// Uses: lanes

// What the fold needs in local memory: nothing.
struct FoldScratch {};

// Item l takes the value of l + 16, then of l + 8, and so on; the first item has the result.
DEVICE ACC fold_items(ACC x, FoldScratch* scratch) {
#pragma unroll
  for (u32 distance = 16; distance > 0; distance /= 2) {
    x = COMBINE(x, shuffle_down(x, distance));
  }
  return x;
}

// The value of one of the 32.
#define SHIFTS_COLUMNS 1
DEVICE ACC value_of_item(ACC x, u32 item) { return shuffle_idx(x, item); }

// Part neighbours_shuffle:
// perfect binary trees over the work-items of a group, in which 32 exchange registers.
// Provides: neighbours
// Uses: lanes

#define TEAMS (GROUP_SIZE / 32)

// What a tree needs in local memory; between two trees there has to be a barrier.
struct TreeScratch {
  ACC team[TEAMS];
};

// Over the values of every 32nd work-item; the first one has the root.
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

// Over the values of all work-items; the first one has the root.
DEVICE ACC combine_items(ACC x, TreeScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) {
    x = COMBINE(x, shuffle_down(x, distance));
  }
  return combine_teams(x, scratch);
}

// Part group_lanes:
// a group's reduction by lane exchange: every lane group its own values, then the first
// lane group the results of all. Index order is kept.
// Provides: group_lanes
// Uses: lanes, lane_folds

// The combination of x over the group, known to its first lane group.
DEVICE ACC group_lanes(ACC x, LaneScratch* lane_scratch, ACC* totals) {
  x = lane_reduce(x, lane_scratch);
#if LANE_GROUPS > 1
  if (lane_index() == 0) totals[lane_group()] = x;
  __syncthreads();
  if (lane_group() == 0) {
    // Each lane takes its share of consecutive results: narrow lane groups may be more than lanes.
    const u32 share = (LANE_GROUPS + LANES - 1) / LANES;
    x = IDENTITY;
    for (u32 g = lane_index() * share; g < (lane_index() + 1) * share; ++g) {
      if (g < LANE_GROUPS) x = COMBINE(x, totals[g]);
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
