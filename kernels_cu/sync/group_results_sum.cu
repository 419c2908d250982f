// Prelude: what the groups of a launch make together, where that is a sum of 32 bits: one atomic
// operation per group adds its part and counts it, so that nothing is to be read or ordered behind.

// Whether this work-item has the result of all groups, which takes the place of its group's in
// `root`: the first one of the last group, or of the only one. By all work-items; the first one has
// its group's result. control[1] has the sum above the number of groups, and is 0 between launches.
DEVICE bool combine_groups(ACC* root, ACC* nodes, u64 count, u64* control, u64 per_set,
                           TreeScratch* scratch, u32* flag) {
  if (threadIdx.x > 0) return false;
  if (gridDim.x == 1) return true;
  const u64 own = (u64)(u32)*root << 32 | 1;
  const u64 all = add_word(control + 1, own) + own;
  if ((u32)all != gridDim.x) return false;
  store_word(control + 1, 0);
  *root = (ACC)(all >> 32);
  return true;
}
