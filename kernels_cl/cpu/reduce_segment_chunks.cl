// Part segment_folds_columns_chunks: totals of segments by operators that commute, by one
// work-item: as leaves of order v1.
// Provides: segment_folds
// Uses: line_array, order_subtree_chunks

#define SEGMENT_LEAVES 16
#define TASK (SEGMENT_LEAVES * LEAF)  // Elements that are folded at once.
#define LONG_TASK TASK                // Of any segment.
#define MANY_LEAVES 1

// The total of a segment, which has elements. Its columns are halved from the first width on that
// has partners.
DEVICE ACC fold_short_segment(Elements input, u32 length) {
  ACC sums[COLUMNS];
  for (u32 i = 0; i < length; ++i) sums[i] = lift_element(load_element(input, i), i);
  u32 width = 1;
  while (2 * width < length) width *= 2;
  for (; width > 0; width /= 2) {
    for (u32 i = 0; i + width < length; ++i) sums[i] = COMBINE(sums[i], sums[i + width]);
    if (length > width) length = width;
  }
  return sums[0];
}
DEVICE ACC fold_segment(Elements input, u64 length) {
  if (length <= COLUMNS) return fold_short_segment(input, (u32)length);
  return total_subtree(input, length, 0, SEGMENT_LEAVES);
}

// The total of up to TASK elements of a segment, from `begin` on.
DEVICE ACC fold_segment_task(Elements input, u64 length, u64 begin) {
  return total_subtree(input, length, begin / TASK, SEGMENT_LEAVES);
}

// Part segment_folds_rows_chunks: totals of segments in index order, by one work-item: as tiles of
// a scan in order v1.
// Provides: segment_folds
// Uses: line_array, tile_folds

#define TASK TILE
#define LONG_TASK TASK
#define MANY_LEAVES 1

DEVICE ACC fold_segment_task(Elements input, u64 length, u64 begin) {
  return total_of_tile(input, begin, length);
}

// The runs of a row are combined by a binary tree.
DEVICE ACC fold_segment(Elements input, u64 length) {
  if (length > RUN * ROW_RUNS) return fold_segment_task(input, length, 0);
  ACC runs[ROW_RUNS];
  u32 count = 0;
  for (u32 i = 0; i < length; ++count) {
    ACC run = lift_element(load_element(input, i), i);
    ++i;
    for (u32 k = 1; k < RUN && i < length; ++k) {
      run = COMBINE(run, lift_element(load_element(input, i), i));
      ++i;
    }
    runs[count] = run;
  }
  for (; count > 1; count = (count + 1) / 2) {
    for (u32 r = 0; 2 * r < count; ++r) {
      runs[r] = 2 * r + 1 < count ? COMBINE(runs[2 * r], runs[2 * r + 1]) : runs[2 * r];
    }
  }
  return runs[0];
}

// Part reduce_segment_chunks: The reduction of segments in order v1 for CPUs: a work-item takes
// neighbouring segments, and lists those that are long.
// Cost: reads each element and each bound once, writes one result per segment; three launches; no
// barrier.
// Assumes nothing: operators that do not commute have other folds.
// Source: bifold, docs/order.md.
// Provides: reduce_segment_chunks
// Uses: count, segment_init, outputs, segment_lists, segment_faults

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_segment_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, SEGMENT_PARAMETERS, INIT_PARAMETERS, __global OUT* result,
    u64 result_offset MORE_OUTPUTS FAULT_PARAMETERS, LinePlaces places, __global u64* work,
    SegmentLists lists) {
  const u64 n = COUNT;
  const u64 segments = LINE_COUNT;
  for (u64 block = get_group_id(0); block < lists.blocks; block += get_num_groups(0)) {
    const u64 last = (block + 1) << lists.block_shift;
    for (u64 s = block << lists.block_shift; s < last && s < segments; ++s) {
      const u64 begin = SEGMENT_BEGIN(s);
      const u64 end = SEGMENT_END(s);
      const Segment mine = segment_within(begin, end, n);
      COUNT_FAULT(is_faulty(begin, end, n));
      if (mine.length <= TASK) {
        // --- Reduce a segment ---
        ACC value = RESULT_OF_NOTHING(places, s);
        if (mine.length > 0) {
          value =
              COMBINE(INIT_OF_SEGMENT(places, s), fold_segment(ELEMENTS_OF(mine, s), mine.length));
        }
        PUT_RESULT_FROM(result, result_offset, s, value);
      } else {
        // --- List a long one ---
        const u64 tasks = tasks_of_segment(mine.length);
        const u64 first = count_on_list(work + lists.control, tasks, lists.capacity);
        const u32 kind = tasks > SHORT_TREE ? 1 : 0;
        list_tree(s, first, tasks,
                  count_on_list(work + lists.control + 1 + kind, 1, lists.capacity / 2), work,
                  lists);
        for (u64 k = 0; k < tasks && first + k < lists.capacity; ++k) {
          list_task(mine, s, k, first + k, work, lists);
        }
      }
    }
  }
}

// Part reduce_segment_task_chunks: The second launch: work-items share the tasks.
// Cost: reads each element of listed segments once, writes one accumulator per task; no barrier.
// Assumes nothing: operators that do not commute have other folds.
// Source: bifold, docs/order.md.
// Provides: reduce_segment_task_chunks
// Uses: segment_init, outputs, segment_lists

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_segment_task_chunks(
    INPUT_PARAMETERS, INIT_PARAMETERS, __global OUT* result, u64 result_offset MORE_OUTPUTS,
    LinePlaces places, __global ACC* totals, u64 totals_offset, __global u64* work,
    SegmentLists lists) {
  const u64 listed = work[lists.control];
  const u64 count = listed <= lists.capacity ? listed : 0;

  // --- Reduce a task; no segment has but one ---
  for (u64 number = get_group_id(0); number < count; number += get_num_groups(0)) {
    const SegmentTask task = tasks_of_call(work, lists)[number];
    Segment segment;
    segment.begin = task.begin;
    segment.length = task.length;
    totals[totals_offset + number] =
        fold_segment_task(ELEMENTS_OF(segment, task.segment), task.length, task.first);
  }

  // --- Leave the counters to the last launch ---
  if (get_group_id(0) == 0) hand_counters_on(work, lists);
}

// Part reduce_segment_tree_chunks: The last launch: the perfect binary tree over the tasks of each
// listed segment, and its initial value. If segments overlap so much that the list of tasks was too
// short, work-items fold all longer segments one after the other.
// Cost: reads one accumulator per task, writes one result per listed segment; no barrier.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: reduce_segment_tree_chunks
// Uses: count, segment_init, outputs, segment_trees

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void reduce_segment_tree_chunks(
    INPUT_PARAMETERS, COUNT_PARAMETERS, SEGMENT_PARAMETERS, INIT_PARAMETERS, __global OUT* result,
    u64 result_offset MORE_OUTPUTS, LinePlaces places, const __global ACC* totals,
    u64 totals_offset, __global u64* work, SegmentLists lists) {
  const bool fits = work[lists.counted] <= lists.capacity;

  // --- Combine the tasks of a segment ---
  const u64 short_trees = fits ? work[lists.counted + 1] : 0;
  const u64 trees = fits ? short_trees + work[lists.counted + 2] : 0;
  for (u64 t = get_group_id(0); t < trees; t += get_num_groups(0)) {
    const SegmentTree tree =
        t < short_trees ? *tree_at(t, 0, work, lists) : *tree_at(t - short_trees, 1, work, lists);
    WaitingNodes nodes;
    for (u64 k = 0; k < tree.tasks; ++k) {
      add_node(&nodes, k, totals[totals_offset + tree.first + k]);
    }
    PUT_RESULT_FROM(
        result, result_offset, tree.segment,
        COMBINE(INIT_OF_SEGMENT(places, tree.segment), root_of_nodes(&nodes, tree.tasks)));
  }

  // --- Fold whole segments ---
  const u64 segments = fits ? 0 : LINE_COUNT;
  for (u64 s = get_group_id(0); s < segments; s += get_num_groups(0)) {
    const Segment segment = segment_within(SEGMENT_BEGIN(s), SEGMENT_END(s), COUNT);
    if (segment.length <= TASK) continue;
    WaitingNodes nodes;
    const u64 count = tasks_of_segment(segment.length);
    for (u64 k = 0; k < count; ++k) {
      add_node(&nodes, k, fold_segment_task(ELEMENTS_OF(segment, s), segment.length, k * TASK));
    }
    PUT_RESULT_FROM(result, result_offset, s,
                    COMBINE(INIT_OF_SEGMENT(places, s), root_of_nodes(&nodes, count)));
  }

  // --- Nothing is listed any more ---
  if (get_group_id(0) == 0) work[lists.control] = 0;
}
