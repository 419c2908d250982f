// Part order_lanes_shuffle: folds over the lanes of a row in order v1, by the shuffles of a warp as
// wide as a row. All lanes call these functions together.
// Provides: order_lanes
// Uses: lanes, lane_index, shuffle_up, shuffle_idx

#if LANES != ROW_RUNS
#error "a warp is a row of runs"
#endif

// The Kogge-Stone prefix over the lanes up to this one, inclusive.
DEVICE ACC lane_prefix(ACC x, LaneScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const ACC earlier = shuffle_up(x, distance);
    if (lane_index() >= distance) x = COMBINE(earlier, x);
  }
  return x;
}

// The value of lane `lane`, which is the same for every lane of the warp.
DEVICE ACC lane_value(ACC x, u32 lane, LaneScratch* scratch) { return shuffle_idx(x, lane); }

// lane_prefix of every row of a warp tile. Rows do not wait for each other.
DEVICE void prefix_rows(ACC x[WARP_TILE_ROWS], LaneScratch* scratch) {
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
                      ACC before[WARP_TILE_ROWS], LaneScratch* scratch) {
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
