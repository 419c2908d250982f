// Part published_supertiles: the nearest supertile with a published prefix, found by the lanes of a
// warp.
// Provides: published_supertiles
// Uses: order_lanes, tile_words, lane_index, lane_highest

// Finds the nearest published prefix of a supertile up to `supertile` and behind *known, whose
// prefix is *prefix. Replaces both, if there is one.
DEVICE void skip_supertiles(const u64* supertile_words, u64 supertile, u32 epoch, u64* known,
                            ACC* prefix, LaneScratch* scratch) {
  for (u64 top = supertile; top > *known; top = top > LANES ? top - LANES : 0) {
    const i64 mine = (i64)top - (LANES - 1) + lane_index();
    ACC value = *prefix;
    bool found = mine <= (i64)*known;
    if (!found) found = try_read(supertile_words, (u64)mine, epoch, &value) != STATE_EMPTY;
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

// Part order_lookback_shuffle: the look-back of a single-pass scan in order v1 by all warps of a
// group. Each warp takes a supertile, each lane a tile of it.
// Provides: order_lookback
// Uses: order_lanes, tile_words, tiles, order_words, published_supertiles, lane_index, warp_index,
//   lane_barrier, published_prefixes

// Together with the tile's own supertile, as many as there can be warps.
#define SUPERTILES_AT_ONCE (WARP_TILES - 1)

// What the work-items of a group share.
typedef struct {
  u32 epoch;                      // Of the call; the first work-item drew it.
  u64 known;                      // A supertile,
  ACC before_supertile;           // and its prefix.
  ACC total[SUPERTILES_AT_ONCE];  // Of supertiles from there on.
  ACC before_tile;                // The tile's prefix within its supertile,
  ACC through_tile;               // and the same with the tile.
} LookBack;

// Finds the prefix of the tile and, with the tile's total, that of the next one. The last tile of a
// supertile publishes the latter for later supertiles. Called by all work-items.
DEVICE void look_back(const Draw* draw, const u64* words, u64* supertile_words, ACC total,
                      Elements input, ACC init, LookBack* lookback, ACC* before, ACC* after,
                      LaneScratch* scratch) {
  const u32 epoch = lookback->epoch;
  const u64 supertile = draw->predecessors / SUPERTILE_TILES;
  const u32 position = (u32)(draw->predecessors % SUPERTILE_TILES);
  u64 known = 0;
  ACC before_supertile = init;
  if (supertile > SUPERTILES_AT_ONCE) {
    if (warp_index() == 0) {
      skip_supertiles(supertile_words, supertile, epoch, &known, &before_supertile, scratch);
      if (lane_index() == 0) {
        lookback->known = known;
        lookback->before_supertile = before_supertile;
      }
    }
    __syncthreads();
    known = lookback->known;
    before_supertile = lookback->before_supertile;
  }
  for (;;) {
    const u32 count =
        supertile - known < SUPERTILES_AT_ONCE ? (u32)(supertile - known) : SUPERTILES_AT_ONCE;
    // The last task is the tile's own supertile, of which only the tiles before the tile count.
    const u32 tasks = known + count == supertile ? count + 1 : count;
    for (u32 task = warp_index(); task < tasks; task += WARPS) {
      ACC value = total;
      if (task < count || lane_index() < position) {
        value = await_total(words, (known + task) * SUPERTILE_TILES + lane_index(), epoch, input);
      }
      lane_barrier();
      const ACC prefix = lane_prefix(value, scratch);
      if (task < count) {
        if (lane_index() == LANES - 1) lookback->total[task] = prefix;
      } else {
        if (lane_index() + 1 == position) lookback->before_tile = prefix;
        if (lane_index() == position) lookback->through_tile = prefix;
      }
    }
    __syncthreads();
#pragma unroll
    for (u32 g = 0; g < SUPERTILES_AT_ONCE; ++g) {
      if (g < count) before_supertile = COMBINE(before_supertile, lookback->total[g]);
    }
    known += count;
    if (known == supertile) break;
    __syncthreads();
  }
  *before = position == 0 ? before_supertile : COMBINE(before_supertile, lookback->before_tile);
  *after = COMBINE(before_supertile, lookback->through_tile);
  if (threadIdx.x == 0 && draw->valid && publishes_prefix(supertile, position)) {
    publish(supertile_words, supertile + 1, epoch, STATE_INCLUSIVE, *after);
  }
}
