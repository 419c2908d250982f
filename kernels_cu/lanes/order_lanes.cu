// Part order_lanes_shuffle:
// the lanes of a row in order v1, by the shuffles of a lane group that is as wide as a
// row. Every word is called by all lanes together.
// Provides: order_lanes
// Uses: lanes

#if LANES != ROW_RUNS
#error "a lane group is a row of runs"
#endif

// The Kogge-Stone prefix over the lanes up to and with this one.
DEVICE ACC lane_prefix(ACC x, LaneScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const ACC earlier = shuffle_up(x, distance);
    if (lane_index() >= distance) x = COMBINE(earlier, x);
  }
  return x;
}

// The value of lane `lane`, the same for every lane of the group.
DEVICE ACC lane_value(ACC x, u32 lane, LaneScratch* scratch) { return shuffle_idx(x, lane); }

// lane_prefix of every row of a strip. Rows do not wait for each other.
DEVICE void prefix_rows(ACC x[STRIP_ROWS], LaneScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < LANES; distance *= 2) {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
      const ACC earlier = shuffle_up(x[r], distance);
      if (lane_index() >= distance) x[r] = COMBINE(earlier, x[r]);
    }
  }
}

// What the lanes of every row hand on: the value of the last one, and to each that of the lane
// before, of which the first lane has none.
DEVICE void edge_rows(const ACC x[STRIP_ROWS], ACC last[STRIP_ROWS], ACC before[STRIP_ROWS],
                      LaneScratch* scratch) {
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) last[r] = shuffle_idx(x[r], LANES - 1);
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    // Of runs of one element only exclusive results have a use for it. Left to itself, NVRTC drops
    // such shuffles and keeps what asks for each whether all lanes are there.
    before[r] = x[r];
    if (INCLUSIVE ? RUN > 1 : true) before[r] = shuffle_up(x[r], 1);
  }
}
