// Part list_counters_words: counters of lists, by atomics on 64 bits.
// Provides: list_counters
// Uses: atomics

DEVICE u64 count_on_list(__global u64* counter, u64 more, u64 room) {
  return add_word(counter, more);
}

// Part list_counters_halves: the same by atomics on 32 bits. Nothing is counted any more when a
// list is full, or of too much at once, so no counter overflows.
// Provides: list_counters
// Uses: counters

DEVICE u64 count_on_list(__global u64* counter, u64 more, u64 room) {
  __global u32* taken = (__global u32*)counter;
  const u64 before = count_on_device(taken, 0);
  return before > room ? before : count_on_device(taken, more > room ? (u32)room + 1 : (u32)more);
}

// Part segment_lists: lists of what later launches do about segments that are too long for the
// first one: tasks, each of up to TASK or LONG_TASK elements, and trees over the tasks of a
// segment.
// Provides: segment_lists
// Uses: segment_bounds, segment_folds, list_counters

// How a call is shared out, and where its lists lie, by indices of 64-bit words of the scratch.
typedef struct {
  u64 block_shift;  // A group has `1 << block_shift` segments at once.
  u64 blocks;
  u64 control;   // Three: how many tasks, short trees and long ones. They are 0 between calls.
  u64 counted;   // Copies of these for the last launch.
  u64 tasks;     // Those,
  u64 capacity;  // which are so many at most,
  u64 trees;     // and trees, at most half as many.
} SegmentLists;

// A segment of many leaves has longer tasks.
#ifndef LONG_TASK
#define MANY_LEAVES 64
#define LONG_TASK (4 * TASK)
#endif

#define SHORT_TREE 16  // Tasks of a segment that a work-item combines.

typedef struct {
  u64 segment;
  u64 begin;   // Of the segment.
  u64 length;  // Of the segment.
  u64 first;   // The first element of the task in the segment.
} SegmentTask;

typedef struct {
  u64 segment;
  u64 first;  // Its first task.
  u64 tasks;
} SegmentTree;

// The elements of a segment.
#define ELEMENTS_OF(segment, s) \
  array_of_line(INPUT_ARGUMENTS, places, starts_of_segment(segment, s), (segment).length)

// Elements of the tasks of a segment: several leaves of one that has many.
DEVICE u64 task_of_segment(u64 length) { return length > MANY_LEAVES * TASK ? LONG_TASK : TASK; }
DEVICE u64 tasks_of_segment(u64 length) {
  const u64 task = task_of_segment(length);
  return (length + task - 1) / task;
}

DEVICE __global SegmentTask* tasks_of_call(__global u64* work, SegmentLists lists) {
  return (__global SegmentTask*)(work + lists.tasks);
}
// Tree number `place` of a kind: short ones lie at the front of the list, long ones at its end.
DEVICE __global SegmentTree* tree_at(u64 place, u32 kind, __global u64* work, SegmentLists lists) {
  __global SegmentTree* trees = (__global SegmentTree*)(work + lists.trees);
  return trees + (kind == 0 ? place : lists.capacity / 2 - 1 - place);
}

// Puts the tree over the tasks of a segment on the list. Where there is no room, there are too many
// tasks as well, and the last launch has another way.
DEVICE void list_tree(u64 s, u64 first, u64 tasks, u64 place, __global u64* work,
                      SegmentLists lists) {
  if (place >= lists.capacity / 2) return;
  SegmentTree tree;
  tree.segment = s;
  tree.first = first;
  tree.tasks = tasks;
  *tree_at(place, tasks > SHORT_TREE ? 1 : 0, work, lists) = tree;
}

// Puts task number `k` of a segment on the list, if there is room.
DEVICE void list_task(Segment segment, u64 s, u64 k, u64 place, __global u64* work,
                      SegmentLists lists) {
  if (place >= lists.capacity) return;
  SegmentTask task;
  task.segment = s;
  task.begin = segment.begin;
  task.length = segment.length;
  task.first = k * task_of_segment(segment.length);
  tasks_of_call(work, lists)[place] = task;
}

// Leaves the counters to the last launch. Called by one work-item of the second, whose others look
// at the first counter alone.
DEVICE void hand_counters_on(__global u64* work, SegmentLists lists) {
  for (u32 k = 0; k < 3; ++k) work[lists.counted + k] = work[lists.control + k];
  work[lists.control + 1] = 0;
  work[lists.control + 2] = 0;
}

// Part segment_trees: trees over the tasks of a segment whose totals come one after the other.
// Nodes that wait for their neighbours are kept by their levels, as a binary counter carries.
// Provides: segment_trees
// Uses: segment_lists

typedef struct {
  ACC waiting[30];  // Of up to 2^30 tasks.
} WaitingNodes;

DEVICE void add_node(__private WaitingNodes* nodes, u64 number, ACC total) {
  u32 level = 0;
  for (; (number >> level & 1) != 0; ++level) total = COMBINE(nodes->waiting[level], total);
  nodes->waiting[level] = total;
}
DEVICE ACC root_of_nodes(const __private WaitingNodes* nodes, u64 count) {
  ACC root = IDENTITY;
  bool none = true;
  for (u32 level = 0; count >> level != 0; ++level) {
    if ((count >> level & 1) == 0) continue;
    root = none ? nodes->waiting[level] : COMBINE(nodes->waiting[level], root);
    none = false;
  }
  return root;
}
