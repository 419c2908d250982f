// Prelude: the fold of 32 consecutive work-items by halving, through local memory.

// What the fold needs in local memory.
typedef struct {
  ACC value[GROUP_SIZE];
} FoldScratch;

// Item l takes the value of l + 16, then of l + 8, and so on; the first item has the result.
DEVICE ACC fold_items(ACC x, __local FoldScratch* scratch) {
  const u32 id = (u32)get_local_id(0);
  scratch->value[id] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (u32 distance = 16; distance > 0; distance /= 2) {
    if (id % 32 < distance) {
      scratch->value[id] = COMBINE(scratch->value[id], scratch->value[id + distance]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  x = scratch->value[id / 32 * 32];
  barrier(CLK_LOCAL_MEM_FENCE);
  return x;
}

// Columns stay where they are: to hand them on would cost more.
#define SHIFTS_COLUMNS 0
DEVICE ACC value_of_item(ACC x, u32 item) { return x; }
