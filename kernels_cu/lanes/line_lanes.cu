// Part line_rows_shuffle: the prefixes of the rows of a warp, by shuffles. All lanes call it
// together.
// Provides: line_rows
// Uses: lanes, lane_index, shuffle_up, shuffle_idx

#if LANES != ROW_RUNS
#error "a warp is a row of runs"
#endif

// In each row, `lanes` neighbouring lanes have a line, a power of two. x becomes the Kogge-Stone
// prefix over the lanes of the line up to this one, `total` the value of the line's last lane, and
// `earlier` that of the lane before. The first lane has no lane before it.
DEVICE void prefix_line_rows(ACC* x, u32 lanes, ACC* total, ACC* earlier, LaneScratch* scratch) {
  const u32 lane = lane_index() & (lanes - 1);
#pragma unroll
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    if (distance < lanes) {
#pragma unroll
      for (u32 r = 0; r < LINE_ROWS; ++r) {
        const ACC before = shuffle_up(x[r], distance);
        if (lane >= distance) x[r] = COMBINE(before, x[r]);
      }
    }
  }
#pragma unroll
  for (u32 r = 0; r < LINE_ROWS; ++r) {
    total[r] = shuffle_idx(x[r], lane_index() | (lanes - 1));
    earlier[r] = shuffle_up(x[r], 1);
  }
}

// Part line_shares_shuffle: shares of a leaf are combined, by shuffles if they are of one warp.
// Provides: line_shares
// Uses: lanes, lane_index, shuffle_down, shuffle_idx

#define SIDE_BY_SIDE UNIT_STRIDE  // Whether columns of a work-item are neighbours.

// x of the work-item of this warp whose number differs by the bit `distance`.
DEVICE ACC share_beside(ACC x, u32 distance) { return shuffle_idx(x, lane_index() ^ distance); }

// x, and for a work-item that `takes` combined with that of the one `distance` behind. All
// work-items of the group call it with one distance.
DEVICE ACC combine_shares(ACC x, bool takes, u32 distance, ACC* scratch) {
  // Lines whose elements are neighbours are shared by a warp at most.
  if (UNIT_STRIDE ? true : distance < LANES) {
    const ACC other = shuffle_down(x, distance);
    if (takes) x = COMBINE(x, other);
    return x;
  }
  __syncthreads();
  scratch[threadIdx.x] = x;
  __syncthreads();
  if (takes) x = COMBINE(x, scratch[threadIdx.x + distance]);
  return x;
}
