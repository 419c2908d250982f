// Part reduce_segments: The reduction of segments in order v1, each with the bits that it has
// alone. A group reads the bounds of many segments, sorts them by their lengths, and folds those of
// up to some rows: a work-item folds a short one, several share a longer one. Others are listed.
// Cost: reads each bound, and each element of such segments once, writes one result per segment,
// and 32 bytes for each task of other ones; three launches.
// Assumes nothing: operators that do not commute have other folds.
// Source: bifold, docs/order.md.
// Provides: reduce_segments
// Uses: count, launch, segment_init, outputs, segment_sums, segment_listing, segment_faults

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    reduce_segments(INPUT_PARAMETERS, COUNT_PARAMETERS, SEGMENT_PARAMETERS, INIT_PARAMETERS,
                    OUT* result, u64 result_offset MORE_OUTPUTS FAULT_PARAMETERS, LinePlaces places,
                    u64* work, SegmentLists lists) {
  __shared__ SegmentBlock block;
  __shared__ ACC scratch[GROUP_SIZE];
  pdl_wait();
  const u64 n = COUNT;
  const u64 segments = LINE_COUNT;
  const u32 id = threadIdx.x;
  for (u64 number = blockIdx.x; number < lists.blocks; number += gridDim.x) {
    // --- Read the bounds of a segment ---
    const u64 s = (number << lists.block_shift) + id;
    const bool exists = id >> lists.block_shift == 0 && s < segments;
    const u64 begin = exists ? SEGMENT_BEGIN(s) : 0;
    const u64 end = exists ? SEGMENT_END(s) : 0;
    clear_block(&block);
    const Segment mine = segment_within(begin, end, n);
    COUNT_FAULTS(is_faulty(begin, end, n), block.order);

    // --- Fold the segments of the group, and write their results ---
    SegmentClasses classes;
    const ACC total = fold_block(INPUT_ARGUMENTS, places, mine, &block, &classes, scratch);
    if (exists && mine.length <= ROWS) {
      PUT_RESULT_FROM(result, result_offset, s,
                      mine.length > 0 ? COMBINE(INIT_OF_SEGMENT(places, s), total)
                                      : RESULT_OF_NOTHING(places, s));
    }

    // --- List what is longer ---
    if (classes.first[CLASSES] > classes.first[LEAF_CLASS]) {
      list_block(mine, s, &block, work, lists);
    }
    __syncthreads();
  }
}

// Part reduce_segment_tasks: The second launch: warps share the tasks.
// Cost: reads each element of listed segments once, writes one accumulator per task, or the result
// of a segment of one.
// Assumes nothing: operators that do not commute have other folds.
// Source: bifold, docs/order.md.
// Provides: reduce_segment_tasks
// Uses: launch, segment_init, outputs, segment_sums

// The total of a task by a warp.
DEVICE ACC fold_task(Elements input, SegmentTask task, ACC* scratch) {
  const ACC one = fold_leaf_at(input, task.length, task.first, scratch);
  const bool is_long = task_of_segment(task.length) > TASK;
  if (!WARPS_MEET && !is_long) return one;
  ACC leaves[3];
#pragma unroll
  for (u32 k = 0; k < 3; ++k) {
    const u64 begin = is_long ? task.first + (k + 1) * TASK : task.length;
    leaves[k] = fold_leaf_at(input, task.length, begin, scratch);
  }
  return COMBINE(COMBINE(one, leaves[0]), COMBINE(leaves[1], leaves[2]));
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    reduce_segment_tasks(INPUT_PARAMETERS, INIT_PARAMETERS, OUT* result,
                         u64 result_offset MORE_OUTPUTS, LinePlaces places, ACC* totals,
                         u64 totals_offset, u64* work, SegmentLists lists) {
  __shared__ ACC scratch[GROUP_SIZE];
  pdl_wait();
  const u32 warp = threadIdx.x / 32;
  const u32 item = threadIdx.x % 32;
  const u64 listed = work[lists.control];
  const u64 count = listed <= lists.capacity ? listed : 0;
  const SegmentTask* tasks = tasks_of_call(work, lists);

  // --- Reduce a task, of which the next one is known already ---
  const u64 warps = gridDim.x * (u64)(GROUP_SIZE / 32);
  u64 number = blockIdx.x * (u64)(GROUP_SIZE / 32) + warp;
  SegmentTask next = tasks[number < count ? number : 0];
  for (u64 turn = blockIdx.x * (u64)(GROUP_SIZE / 32); turn < count; turn += warps) {
    if (!WARPS_MEET && number >= count) break;
    SegmentTask task = next;
    if (number >= count) task.length = task.first;
    if (number + warps < count) next = tasks[number + warps];
    Segment segment;
    segment.begin = task.begin;
    segment.length = task.length;
    const ACC total = fold_task(ELEMENTS_OF(segment, task.segment), task, scratch);
    if (item == 0 && number < count) {
      if (task.length <= TASK) {
        PUT_RESULT_FROM(result, result_offset, task.segment,
                        COMBINE(INIT_OF_SEGMENT(places, task.segment), total));
      } else {
        totals[totals_offset + number] = total;
      }
    }
    number += warps;
  }

  // --- Leave the counters to the last launch ---
  if (blockIdx.x == 0 && threadIdx.x == 0) hand_counters_on(work, lists);
}

// Part reduce_segment_trees: The last launch: the perfect binary tree over the tasks of each
// segment of several, and its initial value. If segments overlap so much that the list of tasks was
// too short, groups fold all longer segments one after the other.
// Cost: reads one accumulator per task, writes one result per segment of several tasks.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: reduce_segment_trees
// Uses: count, launch, segment_init, outputs, segment_sums, segment_trees, order_nodes

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    reduce_segment_trees(INPUT_PARAMETERS, COUNT_PARAMETERS, SEGMENT_PARAMETERS, INIT_PARAMETERS,
                         OUT* result, u64 result_offset MORE_OUTPUTS, LinePlaces places,
                         ACC* totals, u64 totals_offset, u64* work, SegmentLists lists) {
  __shared__ TreeScratch tree_scratch;
  __shared__ ACC fold_scratch[GROUP_SIZE];
  pdl_wait();
  const u32 id = threadIdx.x;
  const bool fits = work[lists.counted] <= lists.capacity;

  // --- Combine the few tasks of a segment, by one work-item ---
  const u64 short_trees = fits ? work[lists.counted + 1] : 0;
  for (u64 t = blockIdx.x * (u64)GROUP_SIZE + id; t < short_trees;
       t += gridDim.x * (u64)GROUP_SIZE) {
    const SegmentTree tree = *tree_at(t, 0, work, lists);
    ACC nodes[SHORT_TREE];
#pragma unroll
    for (u32 k = 0; k < SHORT_TREE; ++k) {
      nodes[k] = IDENTITY;
      if (k < tree.tasks) nodes[k] = totals[totals_offset + tree.first + k];
    }
#pragma unroll
    for (u32 distance = 1; distance < SHORT_TREE; distance *= 2) {
#pragma unroll
      for (u32 k = 0; k < SHORT_TREE; k += 2 * distance) {
        nodes[k] = COMBINE(nodes[k], nodes[k + distance]);
      }
    }
    PUT_RESULT_FROM(result, result_offset, tree.segment,
                    COMBINE(INIT_OF_SEGMENT(places, tree.segment), nodes[0]));
  }

  // --- Combine more of them, by the group ---
  const u64 long_trees = fits ? work[lists.counted + 2] : 0;
  for (u64 t = blockIdx.x; t < long_trees; t += gridDim.x) {
    const SegmentTree tree = *tree_at(t, 1, work, lists);
    const ACC root = combine_nodes(totals + totals_offset + tree.first, tree.tasks, &tree_scratch);
    if (id == 0) {
      PUT_RESULT_FROM(result, result_offset, tree.segment,
                      COMBINE(INIT_OF_SEGMENT(places, tree.segment), root));
    }
    __syncthreads();
  }

  // --- Fold whole segments: all warps of the group do the same ---
  const u64 segments = fits ? 0 : LINE_COUNT;
  for (u64 s = blockIdx.x; s < segments; s += gridDim.x) {
    const Segment segment = segment_within(SEGMENT_BEGIN(s), SEGMENT_END(s), COUNT);
    if (segment.length <= ROWS) continue;
    WaitingNodes nodes;
    const u64 count = (segment.length + TASK - 1) / TASK;
    for (u64 k = 0; k < count; ++k) {
      add_node(&nodes, k,
               fold_leaf_at(ELEMENTS_OF(segment, s), segment.length, k * TASK, fold_scratch));
      __syncthreads();
    }
    if (id == 0) {
      PUT_RESULT_FROM(result, result_offset, s,
                      COMBINE(INIT_OF_SEGMENT(places, s), root_of_nodes(&nodes, count)));
    }
  }

  // --- Nothing is listed any more ---
  if (blockIdx.x == 0 && id == 0) work[lists.control] = 0;
}

// Part reduce_segments_alone: The same of small inputs in one launch: a group folds all of its
// segments, longer ones by its warps.
// Cost: reads each element and each bound once, writes one result per segment.
// Assumes nothing: operators that do not commute have other folds. No segment has more than
// MOST_TASKS tasks.
// Source: bifold, docs/order.md.
// Provides: reduce_segments_alone
// Uses: count, launch, segment_init, outputs, segment_sums, segment_faults

#define FOLDING_WARPS (GROUP_SIZE / 32)

// Folds the segments of one task, each by a warp.
DEVICE void fold_leaf_class(INPUT_PARAMETERS, LinePlaces places, SegmentClasses classes,
                            SegmentBlock* block, ACC* scratch) {
  const u32 id = threadIdx.x;
  const u32 first = classes.first[LEAF_CLASS];
  const u32 count = classes.first[LONG_CLASS] - first;
  for (u32 turn = 0; turn < count; turn += FOLDING_WARPS) {
    const u32 at = turn + id / 32;
    const u32 place = at < count ? block->order[first + at] : 0;
    Segment segment;
    segment.begin = block->begin[place];
    segment.length = at < count ? block->length[place] : 0;
    const ACC total = fold_leaf_at(ELEMENTS_OF(segment, 0), segment.length, 0, scratch);
    if (at < count && id % 32 == 0) block->total[place] = total;
  }
  __syncthreads();
}

// Folds longer segments, one after the other.
DEVICE void fold_long_class(INPUT_PARAMETERS, LinePlaces places, SegmentClasses classes,
                            SegmentBlock* block, ACC* totals, ACC* scratch) {
  const u32 id = threadIdx.x;
  for (u32 l = classes.first[LONG_CLASS]; l < classes.first[CLASSES]; ++l) {
    const u32 place = block->order[l];
    Segment segment;
    segment.begin = block->begin[place];
    segment.length = block->length[place];
    const u32 tasks = (u32)((segment.length + TASK - 1) / TASK);
    for (u32 turn = 0; turn < tasks; turn += FOLDING_WARPS) {
      const u32 task = turn + id / 32;
      const u64 from = task < tasks ? (u64)task * TASK : segment.length;
      const ACC total = fold_leaf_at(ELEMENTS_OF(segment, 0), segment.length, from, scratch);
      if (task < tasks && id % 32 == 0) totals[task] = total;
      __syncthreads();
    }
    for (u32 distance = 1; distance < tasks; distance *= 2) {
      if (id % (2 * distance) == 0 && id + distance < tasks) {
        totals[id] = COMBINE(totals[id], totals[id + distance]);
      }
      __syncthreads();
    }
    if (id == 0) block->total[place] = totals[0];
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    reduce_segments_alone(INPUT_PARAMETERS, COUNT_PARAMETERS, SEGMENT_PARAMETERS, INIT_PARAMETERS,
                          OUT* result, u64 result_offset MORE_OUTPUTS FAULT_PARAMETERS,
                          LinePlaces places, u64 block_shift, u64 blocks) {
  __shared__ SegmentBlock block;
  __shared__ ACC scratch[GROUP_SIZE];
  __shared__ ACC totals[MOST_TASKS];
  pdl_wait();
  const u64 n = COUNT;
  const u64 segments = LINE_COUNT;
  const u32 id = threadIdx.x;
  for (u64 number = blockIdx.x; number < blocks; number += gridDim.x) {
    // --- Read the bounds of a segment ---
    const u64 s = (number << block_shift) + id;
    const bool exists = id >> block_shift == 0 && s < segments;
    const u64 begin = exists ? SEGMENT_BEGIN(s) : 0;
    const u64 end = exists ? SEGMENT_END(s) : 0;
    clear_block(&block);
    const Segment mine = segment_within(begin, end, n);
    COUNT_FAULTS(is_faulty(begin, end, n), block.order);

    // --- Fold the segments of the group ---
    SegmentClasses classes;
    ACC total = fold_block(INPUT_ARGUMENTS, places, mine, &block, &classes, scratch);
    if (classes.first[CLASSES] > classes.first[LEAF_CLASS]) {
      fold_leaf_class(INPUT_ARGUMENTS, places, classes, &block, scratch);
      fold_long_class(INPUT_ARGUMENTS, places, classes, &block, totals, scratch);
      if (mine.length > ROWS) total = block.total[id];
    }

    // --- Write the results ---
    if (exists) {
      PUT_RESULT_FROM(result, result_offset, s,
                      mine.length > 0 ? COMBINE(INIT_OF_SEGMENT(places, s), total)
                                      : RESULT_OF_NOTHING(places, s));
    }
    __syncthreads();
  }
}
