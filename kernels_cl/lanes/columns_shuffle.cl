// Prelude: the fold of 32 consecutive work-items by halving, where they exchange registers.

// What the fold needs in local memory: nothing.
typedef struct {
  char unused;
} FoldScratch;

// Item l takes the value of l + 16, then of l + 8, and so on; the first item has the result.
DEVICE ACC fold_items(ACC x, __local FoldScratch* scratch) {
  for (u32 distance = 16; distance > 0; distance /= 2) {
    x = COMBINE(x, shuffle_down(x, distance));
  }
  return x;
}

// The value of one of the 32.
#define SHIFTS_COLUMNS 1
DEVICE ACC value_of_item(ACC x, u32 item) { return shuffle_idx(x, item); }
