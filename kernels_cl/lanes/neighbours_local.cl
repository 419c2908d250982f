// Prelude: perfect binary trees over the work-items of a group, through local memory.

// What a tree needs there; between two trees there has to be a barrier.
typedef struct {
  ACC value[GROUP_SIZE];
} TreeScratch;

// Over the values of every work-item whose index is a multiple of `apart`; all have the root.
DEVICE ACC combine_apart(ACC x, u32 apart, __local TreeScratch* scratch) {
  const u32 id = (u32)get_local_id(0);
  scratch->value[id] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 distance = apart; distance < GROUP_SIZE; distance *= 2) {
    if (id % (2 * distance) == 0 && id + distance < GROUP_SIZE) {
      scratch->value[id] = COMBINE(scratch->value[id], scratch->value[id + distance]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return scratch->value[0];
}
DEVICE ACC combine_teams(ACC x, __local TreeScratch* scratch) {
  return combine_apart(x, 32, scratch);
}
DEVICE ACC combine_items(ACC x, __local TreeScratch* scratch) {
  return combine_apart(x, 1, scratch);
}
