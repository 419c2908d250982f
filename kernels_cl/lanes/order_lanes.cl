// Part order_lanes_shuffle: folds over the lanes of a row in order v1, by the shuffles of a warp as
// wide as a row. All lanes call these functions together.
// Provides: order_lanes
// Uses: lanes, lane_index, shuffle_up, shuffle_idx

#if LANES != ROW_RUNS
#error "a warp is a row of runs"
#endif

// The Kogge-Stone prefix over the lanes up to this one, inclusive.
DEVICE ACC lane_prefix(ACC x, __local LaneScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const ACC earlier = shuffle_up(x, distance);
    if (lane_index() >= distance) x = COMBINE(earlier, x);
  }
  return x;
}

// The value of lane `lane`, which is the same for every lane of the warp.
DEVICE ACC lane_value(ACC x, u32 lane, __local LaneScratch* scratch) {
  return shuffle_idx(x, lane);
}

// lane_prefix of every row of a warp tile. Rows do not wait for each other.
DEVICE void prefix_rows(ACC x[WARP_TILE_ROWS], __local LaneScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < LANES; distance *= 2) {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
      const ACC earlier = shuffle_up(x[r], distance);
      if (lane_index() >= distance) x[r] = COMBINE(earlier, x[r]);
    }
  }
}

// For every row: the value of the last lane, and the value of the lane before. The first lane has
// no lane before it.
DEVICE void edge_rows(const ACC x[WARP_TILE_ROWS], ACC last[WARP_TILE_ROWS],
                      ACC before[WARP_TILE_ROWS], __local LaneScratch* scratch) {
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) last[r] = shuffle_idx(x[r], LANES - 1);
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    // With runs of one element, only exclusive results need it. If it is left to NVRTC, it drops
    // the shuffles but keeps their checks that all lanes take part.
    before[r] = x[r];
    if (INCLUSIVE ? RUN > 1 : true) before[r] = shuffle_up(x[r], 1);
  }
}

// Part order_lanes_local: folds over the lanes of a row in order v1 through local memory, for
// devices without warps as wide as a row. It replaces lanes_* and order_lanes_shuffle. A warp is
// LANES consecutive work-items. The barriers are the group's, so all its work-items call these
// functions together.
// Provides: order_lanes, lane_index, warp_index

#define LANES ROW_RUNS
#define WARPS (GROUP_SIZE / LANES)
#if GROUP_SIZE % LANES != 0
#error "a group is made of whole warps"
#endif

// The local memory that the exchange needs.
typedef struct {
  ACC value[WARP_TILE_ROWS][GROUP_SIZE];
} LaneScratch;

DEVICE u32 lane_index(void) { return (u32)get_local_id(0) % LANES; }
DEVICE u32 warp_index(void) { return (u32)get_local_id(0) / LANES; }

// The Kogge-Stone prefix over the lanes up to this one, inclusive.
DEVICE ACC lane_prefix(ACC x, __local LaneScratch* scratch) {
  const u32 item = (u32)get_local_id(0);
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    scratch->value[0][item] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane_index() >= distance) x = COMBINE(scratch->value[0][item - distance], x);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return x;
}

// lane_prefix of every row of a warp tile.
DEVICE void prefix_rows(ACC x[WARP_TILE_ROWS], __local LaneScratch* scratch) {
  const u32 item = (u32)get_local_id(0);
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) scratch->value[r][item] = x[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane_index() >= distance) {
      for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
        x[r] = COMBINE(scratch->value[r][item - distance], x[r]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// For every row: the value of the last lane, and the value of the lane before. The first lane has
// no lane before it.
DEVICE void edge_rows(const ACC x[WARP_TILE_ROWS], ACC last[WARP_TILE_ROWS],
                      ACC before[WARP_TILE_ROWS], __local LaneScratch* scratch) {
  const u32 item = (u32)get_local_id(0);
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) scratch->value[r][item] = x[r];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    last[r] = scratch->value[r][item | (LANES - 1)];
    before[r] = scratch->value[r][lane_index() > 0 ? item - 1 : item];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
