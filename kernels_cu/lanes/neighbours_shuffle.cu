// Prelude: perfect binary trees over the work-items of a group, in which 32 exchange registers.

#define TEAMS (GROUP_SIZE / 32)

// What a tree needs in local memory; between two trees there has to be a barrier.
struct TreeScratch {
  ACC team[TEAMS];
};

// Over the values of every 32nd work-item; the first one has the root.
DEVICE ACC combine_teams(ACC x, TreeScratch* scratch) {
  const u32 item = threadIdx.x % 32;
  if (item == 0) scratch->team[threadIdx.x / 32] = x;
  __syncthreads();
  x = scratch->team[item < TEAMS ? item : 0];
#pragma unroll
  for (u32 distance = 1; distance < TEAMS; distance *= 2) {
    const ACC later = shuffle_down(x, distance);
    x = COMBINE(x, item + distance < TEAMS ? later : IDENTITY);
  }
  return x;
}

// Over the values of all work-items; the first one has the root.
DEVICE ACC combine_items(ACC x, TreeScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < 32; distance *= 2) {
    x = COMBINE(x, shuffle_down(x, distance));
  }
  return combine_teams(x, scratch);
}
