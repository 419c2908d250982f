// Part last_group:
// the group that finishes last of those of a launch, or of a set of them, which goes on
// with what all of them left. Counters are 0 between launches: control[1], and those of sets before
// control[0].
// Provides: last_group
// Uses: atomics

// Where things lie, as indices from where their memory begins: of the groups' results, the control
// words and the one result; and how many groups a set has, a power of two, or all of them. One
// parameter, as ScanPlaces are.
typedef struct {
  u64 nodes;
  u64 control;
  u64 result;
  u64 per_set;
} ReducePlaces;

// Whether all others of `groups` groups have been here: then what their first work-items wrote
// before is seen by every work-item of this one. One group in all need not ask. Ends with a
// barrier.
DEVICE bool finishes_last(__global u64* counter, u64 groups, __local u32* flag) {
  if (get_local_id(0) == 0) {
    *flag = 0;
    if (groups > 1) {
      device_fence();
      if (add_word(counter, 1) + 1 == groups) {
        device_fence();
        store_word(counter, 0);
        *flag = 1;
      }
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  return *flag != 0;
}

// Part group_results_nodes:
// what the groups of a launch make together, through a node of each that the group which
// finishes last combines. Many groups come in sets, whose nodes are combined as soon as the set is
// complete, while others run: what is left behind the last group is a node for each set.
// Provides: group_results
// Uses: last_group, order_nodes

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

// Part group_results_sum:
// what the groups of a launch make together, where that is a sum of 32 bits: one atomic
// operation per group adds its part and counts it, so that nothing is to be read or ordered behind.
// Provides: group_results
// Uses: atomics, neighbours

// Whether this work-item has the result of all groups, which takes the place of its group's in
// `root`: the first one of the last group, or of the only one. By all work-items; the first one has
// its group's result. control[1] has the sum above the number of groups, and is 0 between launches.
DEVICE bool combine_groups(__private ACC* root, __global ACC* nodes, u64 count,
                           __global u64* control, u64 per_set, __local TreeScratch* scratch,
                           __local u32* flag) {
  if (get_local_id(0) > 0) return false;
  if (get_num_groups(0) == 1) return true;
  const u64 own = (u64)(u32)*root << 32 | 1;
  const u64 all = add_word(control + 1, own) + own;
  if ((u32)all != get_num_groups(0)) return false;
  store_word(control + 1, 0);
  *root = (ACC)(all >> 32);
  return true;
}
