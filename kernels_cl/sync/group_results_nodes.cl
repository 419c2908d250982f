// Prelude: what the groups of a launch make together, through a node of each that the group which
// finishes last combines. Many groups come in sets, whose nodes are combined as soon as the set is
// complete, while others run: what is left behind the last group is a node for each set.

// Whether this work-item has the result of all groups, which takes the place of its group's in
// `root`: the first one of the last group, or of the only one. By all work-items; the first one has
// its group's result. `count` groups have one; a set is a subtree of theirs. The nodes of sets lie
// behind those of groups.
DEVICE bool combine_groups(__private ACC* root, __global ACC* nodes, u64 count,
                           __global u64* control, u64 per_set, __local TreeScratch* scratch,
                           __local u32* flag) {
  u64 groups = get_num_groups(0);
  u64 place = get_group_id(0);
#pragma unroll 1
  for (bool in_sets = per_set < groups;; in_sets = false) {
    const u64 set = in_sets ? place / per_set : 0;
    const u64 first = in_sets ? set * per_set : 0;
    const u64 size = in_sets && groups - first > per_set ? per_set : groups - first;
    if (size > 1) {
      if (get_local_id(0) == 0) nodes[place] = *root;
      if (!finishes_last(in_sets ? control - 1 - set : control + 1, size, flag)) return false;
      const u64 behind = count > first ? count - first : 0;
      *root = combine_nodes(nodes + first, behind < size ? behind : size, scratch);
    }
    if (!in_sets) return get_local_id(0) == 0;
    nodes += groups;
    place = set;
    count = (count + per_set - 1) / per_set;
    groups = (groups + per_set - 1) / per_set;
  }
}
