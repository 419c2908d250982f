// Prelude: exchange between the work-items of a warp, by shuffles.
// A lane group is LANES consecutive work-items; every word is called by all of them together.

#define LANES 32
#define LANE_GROUPS (GROUP_SIZE / LANES)
static_assert(GROUP_SIZE % LANES == 0, "a group is made of whole lane groups");

// What the exchange needs in local memory: nothing.
struct LaneScratch {};

DEVICE u32 lane_index() { return threadIdx.x % LANES; }
DEVICE u32 lane_group() { return threadIdx.x / LANES; }

DEVICE ACC lane_from(ACC x, u32 lane) {
  return ACC_OF_BITS((BITS)__shfl_sync(0xffffffffu, (LANE_WORD)ACC_BITS(x), lane));
}

// The exclusive prefix of x over the lanes before this one, in index order; the combination of all
// lanes goes to total.
DEVICE ACC lane_scan(ACC x, LaneScratch* scratch, ACC* total) {
  ACC inclusive = x;
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const LANE_WORD word = __shfl_up_sync(0xffffffffu, (LANE_WORD)ACC_BITS(inclusive), distance);
    if (lane_index() >= distance) inclusive = COMBINE(ACC_OF_BITS((BITS)word), inclusive);
  }
  *total = lane_from(inclusive, LANES - 1);
  const LANE_WORD before = __shfl_up_sync(0xffffffffu, (LANE_WORD)ACC_BITS(inclusive), 1);
  return lane_index() == 0 ? IDENTITY : ACC_OF_BITS((BITS)before);
}

// The combination of x over all lanes in index order, known to every lane.
DEVICE ACC lane_reduce(ACC x, LaneScratch* scratch) {
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const LANE_WORD word = __shfl_down_sync(0xffffffffu, (LANE_WORD)ACC_BITS(x), distance);
    x = COMBINE(x, ACC_OF_BITS((BITS)word));
  }
  return lane_from(x, 0);
}

// The highest lane whose flag is set, or -1; known to every lane.
DEVICE i32 lane_highest(bool flag, LaneScratch* scratch) {
  return 31 - __clz((i32)__ballot_sync(0xffffffffu, flag));
}
