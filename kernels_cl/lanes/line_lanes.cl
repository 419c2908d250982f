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
DEVICE void prefix_line_rows(__private ACC* x, u32 lanes, __private ACC* total,
                             __private ACC* earlier, __local LaneScratch* scratch) {
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
DEVICE ACC combine_shares(ACC x, bool takes, u32 distance, __local ACC* scratch) {
  // Lines whose elements are neighbours are shared by a warp at most.
  if (UNIT_STRIDE ? true : distance < LANES) {
    const ACC other = shuffle_down(x, distance);
    if (takes) x = COMBINE(x, other);
    return x;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  scratch[get_local_id(0)] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (takes) x = COMBINE(x, scratch[get_local_id(0) + distance]);
  return x;
}

// Part line_lanes_local: the warps of a kernel over many lines, for devices without warps as wide
// as a row. It replaces lanes_*. A warp is LANES consecutive work-items. The barriers are the
// group's, so all its work-items call these functions together.
// Provides: line_lanes_local, lane_index, warp_index

#define LANES ROW_RUNS
#define WARPS (GROUP_SIZE / LANES)
#if GROUP_SIZE % LANES != 0
#error "a group is made of whole warps"
#endif

// The local memory that the exchange needs.
typedef struct {
  ACC value[GROUP_SIZE];
} LaneScratch;

DEVICE u32 lane_index(void) { return (u32)get_local_id(0) % LANES; }
DEVICE u32 warp_index(void) { return (u32)get_local_id(0) / LANES; }

// Part line_rows_local: the prefixes of the rows of a warp, through local memory. All work-items of
// the group call it together.
// Provides: line_rows
// Uses: line_lanes_local, lane_index

// In each row, `lanes` neighbouring lanes have a line, a power of two. x becomes the Kogge-Stone
// prefix over the lanes of the line up to this one, `total` the value of the line's last lane, and
// `earlier` that of the lane before. The first lane has no lane before it.
DEVICE void prefix_line_rows(__private ACC* x, u32 lanes, __private ACC* total,
                             __private ACC* earlier, __local LaneScratch* scratch) {
  const u32 item = (u32)get_local_id(0);
  const u32 lane = lane_index() & (lanes - 1);
  for (u32 r = 0; r < LINE_ROWS; ++r) {
    for (u32 distance = 1; distance < lanes; distance *= 2) {
      scratch->value[item] = x[r];
      barrier(CLK_LOCAL_MEM_FENCE);
      if (lane >= distance) x[r] = COMBINE(scratch->value[item - distance], x[r]);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    scratch->value[item] = x[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    total[r] = scratch->value[item | (lanes - 1)];
    earlier[r] = scratch->value[lane > 0 ? item - 1 : item];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Part line_shares_local: shares of a leaf are combined through local memory.
// Provides: line_shares

#define SIDE_BY_SIDE 0  // Columns of a work-item lie apart, as vectors of CPUs take neighbours.

// x, and for a work-item that `takes` combined with that of the one `distance` behind. All
// work-items of the group call it with one distance.
DEVICE ACC combine_shares(ACC x, bool takes, u32 distance, __local ACC* scratch) {
  barrier(CLK_LOCAL_MEM_FENCE);
  scratch[get_local_id(0)] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (takes) x = COMBINE(x, scratch[get_local_id(0) + distance]);
  return x;
}
