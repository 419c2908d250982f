// Prelude: exchange between the work-items of a group through local memory, for devices without a
// register path: the whole group is one lane group.
// A lane group is LANES consecutive work-items; every word is called by all of them together.

#define LANES GROUP_SIZE
#define LANE_GROUPS 1

// What the exchange needs in local memory.
typedef struct {
  ACC value[LANES];
  i32 highest;
} LaneScratch;

DEVICE u32 lane_index(void) { return (u32)get_local_id(0); }
DEVICE u32 lane_group(void) { return 0; }

// The exclusive prefix of x over the lanes before this one, in index order; the combination of all
// lanes goes to total.
DEVICE ACC lane_scan(ACC x, __local LaneScratch* scratch, ACC* total) {
  const u32 lane = lane_index();
  scratch->value[lane] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const ACC earlier = lane >= distance ? scratch->value[lane - distance] : IDENTITY;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane >= distance) scratch->value[lane] = COMBINE(earlier, scratch->value[lane]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  *total = scratch->value[LANES - 1];
  const ACC before = lane == 0 ? IDENTITY : scratch->value[lane - 1];
  barrier(CLK_LOCAL_MEM_FENCE);
  return before;
}

// The combination of x over all lanes in index order, known to every lane.
DEVICE ACC lane_reduce(ACC x, __local LaneScratch* scratch) {
  const u32 lane = lane_index();
  scratch->value[lane] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    if (lane % (2 * distance) == 0 && lane + distance < LANES) {
      scratch->value[lane] = COMBINE(scratch->value[lane], scratch->value[lane + distance]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  const ACC total = scratch->value[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  return total;
}

// The highest lane whose flag is set, or -1; known to every lane.
DEVICE i32 lane_highest(bool flag, __local LaneScratch* scratch) {
  if (lane_index() == 0) scratch->highest = -1;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (flag) atomic_max(&scratch->highest, (i32)lane_index());
  barrier(CLK_LOCAL_MEM_FENCE);
  const i32 highest = scratch->highest;
  barrier(CLK_LOCAL_MEM_FENCE);
  return highest;
}

// What any lane wrote to local memory before is seen by every lane behind it.
DEVICE void lane_barrier(void) { barrier(CLK_LOCAL_MEM_FENCE); }
