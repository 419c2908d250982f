// Part last_group: the group that finishes last, of a launch or of a set of its groups, goes on
// with the results of all of them. Counters are 0 between launches: control[1] for the launch, and
// the words before control[0] for sets.
// Provides: last_group
// Uses: atomics, device_fence

// Whether all other groups have been here. Then what their first work-items wrote before is visible
// to every work-item of this group. A single group need not ask. Ends with a barrier.
DEVICE bool finishes_last(u64* counter, u64 groups, u32* flag) {
  if (threadIdx.x == 0) {
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
  __syncthreads();
  return *flag != 0;
}

// Part reduce_places: where a reduction in one launch has its memory.
// Provides: reduce_places

// Indices of the groups' nodes, the control words and the result, each from the begin of its
// memory; and the number of groups in a set: a power of two, or all. It is one parameter, as
// ScanPlaces is.
typedef struct {
  u64 nodes;
  u64 control;
  u64 result;
  u64 per_set;
} ReducePlaces;

// Part group_results_nodes: combines the results of a launch's groups: each group writes a node,
// and the group that finishes last combines the nodes. Many groups form sets. A set's nodes are
// combined as soon as the set is complete, while other groups run; then the last group has only a
// node for each set.
// Provides: group_results
// Uses: last_group, order_nodes

// Whether this work-item has the result of all groups, which replaces its group's in `root`. That
// is the first work-item of the last group, or of the only one. Called by all work-items; the first
// one has its group's result. `count` groups have a result. A set is a subtree of them. The nodes
// of sets lie behind those of groups.
DEVICE bool combine_groups(ACC* root, ACC* nodes, u64 count, u64* control, u64 per_set,
                           TreeScratch* scratch, u32* flag) {
  u64 groups = gridDim.x;
  u64 node = blockIdx.x;
#pragma unroll 1
  for (bool in_sets = per_set < groups;; in_sets = false) {
    const u64 set = in_sets ? node / per_set : 0;
    const u64 first = in_sets ? set * per_set : 0;
    const u64 size = in_sets && groups - first > per_set ? per_set : groups - first;
    if (size > 1) {
      if (threadIdx.x == 0) nodes[node] = *root;
      if (!finishes_last(in_sets ? control - 1 - set : control + 1, size, flag)) return false;
      const u64 behind = count > first ? count - first : 0;
      *root = combine_nodes(nodes + first, behind < size ? behind : size, scratch);
    }
    if (!in_sets) return threadIdx.x == 0;
    nodes += groups;
    node = set;
    count = (count + per_set - 1) / per_set;
    groups = (groups + per_set - 1) / per_set;
  }
}

// Part group_results_sum: combines the results of a launch's groups, where they are sums of 32
// bits. One atomic operation per group adds its sum and counts the group, so nothing has to be read
// back or ordered.
// Provides: group_results
// Uses: atomics, neighbours

// Whether this work-item has the result of all groups, which replaces its group's in `root`. That
// is the first work-item of the last group, or of the only one. Called by all work-items; the first
// one has its group's result. The upper half of control[1] has the sum, the lower half the number
// of groups. It is 0 between launches.
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
