// Part published_groups:
// the nearest group of tiles whose prefix is published, by the lanes of a row.
// Provides: published_groups
// Uses: order_lanes, tile_words

// The prefix of the nearest group up to `group` that is published, where it lies behind group
// *known, whose prefix is *prefix.
DEVICE void skip_groups(const __global u64* group_words, u64 group, u32 epoch, u64* known,
                        ACC* prefix, __local LaneScratch* scratch) {
  for (u64 top = group; top > *known; top = top > LANES ? top - LANES : 0) {
    const i64 mine = (i64)top - (LANES - 1) + lane_index();
    ACC value = *prefix;
    bool found = mine <= (i64)*known;
    if (!found) found = inspect(group_words, (u64)mine, epoch, &value) != STATE_EMPTY;
    const i32 highest = lane_highest(found, scratch);
    if (highest >= 0) {
      const i64 nearest = (i64)top - (LANES - 1) + highest;
      if (nearest > (i64)*known) {
        *prefix = lane_value(value, (u32)highest, scratch);
        *known = (u64)nearest;
      }
      top = 0;
    }
  }
}

// Part order_lookback_shuffle:
// the look-back of a single-pass scan in order v1 by all lane groups: each takes a group
// of tiles, a lane a tile of it.
// Provides: order_lookback
// Uses: order_lanes, tile_words, tiles, order_words, published_groups

// With the tile's own group, they are as many as there can be lane groups.
#define GROUPS_AT_ONCE (TILE_STRIPS - 1)

// What the work-items tell each other.
typedef struct {
  u32 epoch;                  // Of the call; the first work-item drew it.
  u64 known;                  // A group,
  ACC groups;                 // and what lies before it.
  ACC total[GROUPS_AT_ONCE];  // Of groups from there on.
  ACC earlier;                // Before the tile in its group,
  ACC with_own;               // and that with the tile.
} LookBack;

// Finds what lies before the tile and, from the tile's total, what lies before the next one. The
// last tile of a group publishes the latter for the groups behind. Called by all work-items.
DEVICE void look_back(const Draw* draw, const __global u64* words, __global u64* group_words,
                      ACC total, Elements input, ACC init, __local LookBack* told, ACC* before,
                      ACC* after, __local LaneScratch* scratch) {
  const u32 epoch = told->epoch;
  const u64 group = draw->predecessors / GROUP_TILES;
  const u32 place = (u32)(draw->predecessors % GROUP_TILES);
  u64 known = 0;
  ACC groups = init;
  if (group > GROUPS_AT_ONCE) {
    if (lane_group() == 0) {
      skip_groups(group_words, group, epoch, &known, &groups, scratch);
      if (lane_index() == 0) {
        told->known = known;
        told->groups = groups;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    known = told->known;
    groups = told->groups;
  }
  for (;;) {
    const u32 count = group - known < GROUPS_AT_ONCE ? (u32)(group - known) : GROUPS_AT_ONCE;
    // The last task is the tile's own group, of which only the tiles before the tile count.
    const u32 tasks = known + count == group ? count + 1 : count;
    for (u32 task = lane_group(); task < tasks; task += LANE_GROUPS) {
      ACC value = total;
      if (task < count || lane_index() < place) {
        value = await_total(words, (known + task) * GROUP_TILES + lane_index(), epoch, input);
      }
      lane_barrier();
      const ACC prefix = lane_prefix(value, scratch);
      if (task < count) {
        if (lane_index() == LANES - 1) told->total[task] = prefix;
      } else {
        if (lane_index() + 1 == place) told->earlier = prefix;
        if (lane_index() == place) told->with_own = prefix;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#pragma unroll
    for (u32 g = 0; g < GROUPS_AT_ONCE; ++g) {
      if (g < count) groups = COMBINE(groups, told->total[g]);
    }
    known += count;
    if (known == group) break;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  *before = place == 0 ? groups : COMBINE(groups, told->earlier);
  *after = COMBINE(groups, told->with_own);
  if (get_local_id(0) == 0 && draw->valid && publishes_prefix(group, place)) {
    publish(group_words, group + 1, epoch, STATE_INCLUSIVE, *after);
  }
}

// Part order_lookback_local:
// the look-back of a single-pass scan in order v1 by all lane groups, for devices without
// lane groups as wide as a row: order_lookback_shuffle through local memory. All lane groups take
// as many turns, as the barriers of lane_prefix are the whole group's.
// Provides: order_lookback
// Uses: order_lanes, tile_words, tiles, order_words

// With the tile's own group, they are as many as there can be lane groups.
#define GROUPS_AT_ONCE (TILE_STRIPS - 1)

// What the work-items tell each other.
typedef struct {
  u32 epoch;                  // Of the call; the first work-item drew it.
  u64 known;                  // A group,
  ACC groups;                 // and what lies before it.
  ACC total[GROUPS_AT_ONCE];  // Of groups from there on.
  ACC earlier;                // Before the tile in its group,
  ACC with_own;               // and that with the tile.
} LookBack;

// Finds what lies before the tile and, from the tile's total, what lies before the next one. The
// last tile of a group publishes the latter for the groups behind. Called by all work-items.
DEVICE void look_back(const Draw* draw, const __global u64* words, __global u64* group_words,
                      ACC total, Elements input, ACC init, __local LookBack* told, ACC* before,
                      ACC* after, __local LaneScratch* scratch) {
  const u32 epoch = told->epoch;
  const u64 group = draw->predecessors / GROUP_TILES;
  const u32 place = (u32)(draw->predecessors % GROUP_TILES);
  u64 known = 0;
  ACC groups = init;
  if (group > GROUPS_AT_ONCE) {
    if (get_local_id(0) == 0) {
      // From the nearest prefix that is published on.
      known = group;
      while (known > 0 && inspect(group_words, known, epoch, &groups) == STATE_EMPTY) --known;
      told->known = known;
      told->groups = known == 0 ? init : groups;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    known = told->known;
    groups = told->groups;
  }
  for (;;) {
    const u32 count = group - known < GROUPS_AT_ONCE ? (u32)(group - known) : GROUPS_AT_ONCE;
    // The last task is the tile's own group, of which only the tiles before the tile count.
    const u32 tasks = known + count == group ? count + 1 : count;
    for (u32 first = 0; first < tasks; first += LANE_GROUPS) {
      const u32 task = first + lane_group();
      ACC value = total;
      if (task < count || (task < tasks && lane_index() < place)) {
        value = await_total(words, (known + task) * GROUP_TILES + lane_index(), epoch, input);
      }
      const ACC prefix = lane_prefix(value, scratch);
      if (task < count) {
        if (lane_index() == LANES - 1) told->total[task] = prefix;
      } else if (task < tasks) {
        if (lane_index() + 1 == place) told->earlier = prefix;
        if (lane_index() == place) told->with_own = prefix;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#pragma unroll
    for (u32 g = 0; g < GROUPS_AT_ONCE; ++g) {
      if (g < count) groups = COMBINE(groups, told->total[g]);
    }
    known += count;
    if (known == group) break;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  *before = place == 0 ? groups : COMBINE(groups, told->earlier);
  *after = COMBINE(groups, told->with_own);
  if (get_local_id(0) == 0 && draw->valid && publishes_prefix(group, place)) {
    publish(group_words, group + 1, epoch, STATE_INCLUSIVE, *after);
  }
}
