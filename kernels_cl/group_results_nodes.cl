// Prelude: what the groups of a launch make together, through a node of each that the group which
// finishes last combines.

// Whether this work-item has the result of all groups, which takes the place of its group's in
// `root`: the first one of the last group, or of the only one. By all work-items; the first one has
// its group's result. `count` groups have one.
DEVICE bool combine_groups(__private ACC* root, __global ACC* nodes, u64 count,
                           __global u64* control, __local TreeScratch* scratch, __local u32* flag) {
  if (get_local_id(0) == 0) nodes[get_group_id(0)] = *root;
  const bool last = finishes_last(control, get_num_groups(0), flag);
  if (last) *root = combine_nodes(nodes, count, scratch);
  return (last || get_num_groups(0) == 1) && get_local_id(0) == 0;
}
