// Part columns_shuffle:
// the fold of 32 consecutive work-items by halving, where they exchange registers.
// Provides: columns
// Uses: lanes

// What the fold needs in local memory: nothing.
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

// The value of one of the 32.
#define SHIFTS_COLUMNS 1
DEVICE ACC value_of_item(ACC x, u32 item) { return shuffle_idx(x, item); }

// Part columns_local: the fold of 32 consecutive work-items by halving, through local memory.
// Provides: columns

// What the fold needs in local memory.
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

// Columns stay where they are: to hand them on would cost more.
#define SHIFTS_COLUMNS 0
DEVICE ACC value_of_item(ACC x, u32 item) { return x; }

// Part neighbours_shuffle:
// perfect binary trees over the work-items of a group, in which 32 exchange registers.
// Provides: neighbours
// Uses: lanes

#define TEAMS (GROUP_SIZE / 32)

// What a tree needs in local memory; between two trees there has to be a barrier.
typedef struct {
  ACC team[TEAMS];
} TreeScratch;

// Over the values of every 32nd work-item; the first one has the root.
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

// Over the values of all work-items; the first one has the root.
DEVICE ACC combine_items(ACC x, __local TreeScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) {
    x = COMBINE(x, shuffle_down(x, distance));
  }
  return combine_teams(x, scratch);
}

// Part neighbours_local: perfect binary trees over the work-items of a group, through local memory.
// Provides: neighbours

// What a tree needs there; between two trees there has to be a barrier.
typedef struct {
  ACC value[GROUP_SIZE];
} TreeScratch;

// Over the values of every work-item whose index is a multiple of `apart`; all have the root.
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
DEVICE ACC combine_items(ACC x, __local TreeScratch* scratch) {
  return combine_apart(x, 1, scratch);
}

// Part group_lanes:
// a group's reduction by lane exchange: every lane group its own values, then the first
// lane group the results of all. Index order is kept.
// Provides: group_lanes
// Uses: lanes, lane_folds

// The combination of x over the group, known to its first lane group.
DEVICE ACC group_lanes(ACC x, __local LaneScratch* lane_scratch, __local ACC* totals) {
  x = lane_reduce(x, lane_scratch);
#if LANE_GROUPS > 1
  if (lane_index() == 0) totals[lane_group()] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
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
