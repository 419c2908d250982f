// Prelude: what the groups of a launch make together, through a node of each that the group which
// finishes last combines.

// Whether this work-item has the result of all groups, which takes the place of its group's in
// `root`: the first one of the last group, or of the only one. By all work-items; the first one has
// its group's result. `count` groups have one.
DEVICE bool combine_groups(ACC* root, ACC* nodes, u64 count, u64* control, TreeScratch* scratch,
                           u32* flag) {
  if (threadIdx.x == 0) nodes[blockIdx.x] = *root;
  const bool last = finishes_last(control, gridDim.x, flag);
  if (last) *root = combine_nodes(nodes, count, scratch);
  return (last || gridDim.x == 1) && threadIdx.x == 0;
}
