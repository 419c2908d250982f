// Part order_lanes_shuffle:
// the lanes of a row in order v1, by the shuffles of a lane group that is as wide as a
// row. Every word is called by all lanes together.
// Provides: order_lanes
// Uses: lanes

#if LANES != ROW_RUNS
#error "a lane group is a row of runs"
#endif

// The Kogge-Stone prefix over the lanes up to and with this one.
DEVICE ACC lane_prefix(ACC x, __local LaneScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const ACC earlier = shuffle_up(x, distance);
    if (lane_index() >= distance) x = COMBINE(earlier, x);
  }
  return x;
}

// The value of lane `lane`, the same for every lane of the group.
DEVICE ACC lane_value(ACC x, u32 lane, __local LaneScratch* scratch) {
  return shuffle_idx(x, lane);
}

// lane_prefix of every row of a strip. Rows do not wait for each other.
DEVICE void prefix_rows(ACC x[STRIP_ROWS], __local LaneScratch* scratch) {
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
                      __local LaneScratch* scratch) {
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

// Part order_lanes_local:
// the lanes of a row in order v1 through local memory, for devices without lane groups of
// that width: lanes_* and order_lanes_shuffle in one. A lane group is LANES consecutive work-items;
// as the barriers are the whole group's, every word is called by all its work-items together.
// Provides: order_lanes

#define LANES ROW_RUNS
#define LANE_GROUPS (GROUP_SIZE / LANES)
#if GROUP_SIZE % LANES != 0
#error "a group is made of whole lane groups"
#endif

// What the exchange needs in local memory.
typedef struct {
  ACC value[STRIP_ROWS][GROUP_SIZE];
} LaneScratch;

DEVICE u32 lane_index(void) { return (u32)get_local_id(0) % LANES; }
DEVICE u32 lane_group(void) { return (u32)get_local_id(0) / LANES; }

// The Kogge-Stone prefix over the lanes up to and with this one.
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

// lane_prefix of every row of a strip.
DEVICE void prefix_rows(ACC x[STRIP_ROWS], __local LaneScratch* scratch) {
  const u32 item = (u32)get_local_id(0);
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    for (u32 r = 0; r < STRIP_ROWS; ++r) scratch->value[r][item] = x[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane_index() >= distance) {
      for (u32 r = 0; r < STRIP_ROWS; ++r) {
        x[r] = COMBINE(scratch->value[r][item - distance], x[r]);
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// What the lanes of every row hand on: the value of the last one, and to each that of the lane
// before, of which the first lane has none.
DEVICE void edge_rows(const ACC x[STRIP_ROWS], ACC last[STRIP_ROWS], ACC before[STRIP_ROWS],
                      __local LaneScratch* scratch) {
  const u32 item = (u32)get_local_id(0);
  for (u32 r = 0; r < STRIP_ROWS; ++r) scratch->value[r][item] = x[r];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    last[r] = scratch->value[r][item | (LANES - 1)];
    before[r] = scratch->value[r][lane_index() > 0 ? item - 1 : item];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}
