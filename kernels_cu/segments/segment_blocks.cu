// Part segment_blocks: the segments that a group has at once, sorted by how many work-items share
// one: a work-item has a short one alone, others are shared by more, up to a warp.
// Provides: segment_blocks
// Uses: segment_lists, counters

// Elements of the segments of a class, at most.
#define ALONE (SHARE)
#define FEW (SHARE << FEW_SHIFT)
#define HALF_ROW (SHARE << (ROW_SHIFT - 1))
#define ROW (SHARE << ROW_SHIFT)
#define ROWS (ROW << 3)  // Those of a warp are not listed.

#define FEW_TASKS 4  // Which a work-item lists.

// Classes of segments that are shared, by their lengths.
#define CLASSES 6
#define ROWS_CLASS 3
#define LEAF_CLASS 4
#define LONG_CLASS 5

typedef struct {
  ACC total[GROUP_SIZE];
  u64 begin[GROUP_SIZE];
  u32 length[GROUP_SIZE];
  u32 order[GROUP_SIZE];  // Segments that work-items share, class by class.
  u32 count[CLASSES];
  u32 tasks;  // Of what is listed.
  u64 first_task;
  u64 first_tree[2];
  u64 many_length;
} SegmentBlock;

DEVICE u32 class_of_segment(u64 length) {
  if (length > ROW) return length <= ROWS ? ROWS_CLASS : length <= TASK ? LEAF_CLASS : LONG_CLASS;
  return length <= FEW ? 0 : length <= HALF_ROW ? 1 : 2;
}

DEVICE void clear_block(SegmentBlock* block) {
  if (threadIdx.x < CLASSES) block->count[threadIdx.x] = 0;
  if (threadIdx.x == 0) block->tasks = 0;
  __syncthreads();
}

// The first place of each class among those that are sorted, and that behind the last one.
typedef struct {
  u32 first[CLASSES + 1];
} SegmentClasses;

DEVICE SegmentClasses classes_of_block(const SegmentBlock* block) {
  SegmentClasses classes;
  classes.first[0] = 0;
#pragma unroll
  for (u32 c = 0; c < CLASSES; ++c) classes.first[c + 1] = classes.first[c] + block->count[c];
  return classes;
}

// Counts the segment that this work-item brings. Returns its place in its class.
DEVICE u32 count_segment(Segment mine, SegmentBlock* block) {
  const u32 id = threadIdx.x;
  block->begin[id] = mine.begin;
  block->length[id] = (u32)mine.length;
  return mine.length > ALONE ? count_in_group(&block->count[class_of_segment(mine.length)], 1) : 0;
}

// Sorts the segments of a block, if any is to be shared. Ends with a barrier then. All were counted
// before a barrier.
DEVICE SegmentClasses sort_segments(Segment mine, u32 rank, SegmentBlock* block) {
  const SegmentClasses classes = classes_of_block(block);
  if (classes.first[CLASSES] == 0) return classes;
  const u32 number = class_of_segment(mine.length);
#pragma unroll
  for (u32 c = 0; c < CLASSES; ++c) {
    if (mine.length > ALONE && number == c) {
      block->order[classes.first[c] + rank] = threadIdx.x;
    }
  }
  __syncthreads();
  return classes;
}

// Part segment_sums: the totals of a block's segments.
// Provides: segment_sums
// Uses: segment_blocks

// The total of up to a leaf from `begin` on.
DEVICE ACC fold_leaf_at(Elements input, u64 length, u64 begin, ACC* scratch) {
  const u64 left = begin < length ? length - begin : 0;
  return fold_segment_leaf(input, begin, left < TASK ? (u32)left : TASK, TASK, scratch);
}

// Folds `count` segments from place `first` on, each by `1 << shift` work-items.
DEVICE void fold_class(INPUT_PARAMETERS, LinePlaces places, u32 first, u32 count, u32 shift,
                       SegmentBlock* block, ACC* scratch) {
  const u32 id = threadIdx.x;
  const u32 share = id & ((1u << shift) - 1);
  for (u32 turn = 0; turn < count; turn += GROUP_SIZE >> shift) {
    const u32 at = turn + (id >> shift);
    const u32 place = at < count ? block->order[first + at] : 0;
    Segment segment;
    segment.begin = block->begin[place];
    segment.length = at < count ? block->length[place] : 0;
    const ACC total =
        fold_short_segment(ELEMENTS_OF(segment, 0), (u32)segment.length, share, shift, scratch);
    if (at < count && share == 0) block->total[place] = total;
  }
}

// The same of segments of several rows, each by a warp.
DEVICE void fold_rows_class(INPUT_PARAMETERS, LinePlaces places, u32 first, u32 count,
                            SegmentBlock* block, ACC* scratch) {
  const u32 id = threadIdx.x;
  for (u32 turn = 0; turn < count; turn += GROUP_SIZE / 32) {
    const u32 at = turn + id / 32;
    const u32 place = at < count ? block->order[first + at] : 0;
    Segment segment;
    segment.begin = block->begin[place];
    segment.length = at < count ? block->length[place] : 0;
    const ACC total =
        fold_segment_leaf(ELEMENTS_OF(segment, 0), 0, (u32)segment.length, ROWS, scratch);
    if (at < count && id % 32 == 0) block->total[place] = total;
  }
}

// The totals of the segments of up to ROWS: each work-item gets that of the segment it brings.
// `classes` becomes those of the block. Ends with a barrier if any segment is shared.
DEVICE ACC fold_block(INPUT_PARAMETERS, LinePlaces places, Segment mine, SegmentBlock* block,
                      SegmentClasses* classes, ACC* scratch) {
  const u32 rank = count_segment(mine, block);
  const u32 alone = mine.length <= ALONE ? (u32)mine.length : 0;
  const ACC total = fold_short_segment(ELEMENTS_OF(mine, 0), alone, 0, 0, scratch);
  __syncthreads();
  const SegmentClasses by = sort_segments(mine, rank, block);
  *classes = by;
  if (by.first[CLASSES] == 0) return total;
  fold_class(INPUT_ARGUMENTS, places, 0, by.first[1], FEW_SHIFT, block, scratch);
  fold_class(INPUT_ARGUMENTS, places, by.first[1], by.first[2] - by.first[1], ROW_SHIFT - 1, block,
             scratch);
  fold_class(INPUT_ARGUMENTS, places, by.first[2], by.first[3] - by.first[2], ROW_SHIFT, block,
             scratch);
  fold_rows_class(INPUT_ARGUMENTS, places, by.first[3], by.first[4] - by.first[3], block, scratch);
  __syncthreads();
  return mine.length <= ALONE ? total : block->total[threadIdx.x];
}

// Part segment_listing: the segments of a block that are too long for it are listed.
// Provides: segment_listing
// Uses: segment_blocks

// Lists the tasks of the segments that are longer, and trees over them. A work-item lists the tasks
// of its segment if they are few, the group those of others.
DEVICE void list_block(Segment mine, u64 s, SegmentBlock* block, u64* work, SegmentLists lists) {
  const u32 id = threadIdx.x;
  if (id < 3) block->count[id] = 0;  // Short trees, long ones, and segments of many tasks.
  __syncthreads();
  const u64 own = mine.length > ROWS ? tasks_of_segment(mine.length) : 0;
  const u32 kind = own > SHORT_TREE ? 1 : 0;
  const u32 offset = own > 0 ? count_in_group(&block->tasks, (u32)own) : 0;
  const u32 tree = own > 1 ? count_in_group(&block->count[kind], 1) : 0;
  if (own > FEW_TASKS) {
    const u32 place = count_in_group(&block->count[2], 1);
    block->order[place] = id;
    block->length[place] = offset;
  }
  __syncthreads();
  if (id == 0) {
    block->first_task = count_on_list(work + lists.control, block->tasks, lists.capacity);
  } else if (id < 3) {
    block->first_tree[id - 1] = 0;
    if (block->count[id - 1] > 0) {
      block->first_tree[id - 1] =
          count_on_list(work + lists.control + id, block->count[id - 1], lists.capacity / 2);
    }
  }
  __syncthreads();
  const u64 first = block->first_task + offset;
  if (own > 1) list_tree(s, first, own, block->first_tree[kind] + tree, work, lists);
  for (u64 k = 0; own <= FEW_TASKS && k < own; ++k) {
    list_task(mine, s, k, first + k, work, lists);
  }
  const u32 many = block->count[2];
  for (u32 l = 0; l < many; ++l) {
    const u32 place = block->order[l];
    if (id == place) block->many_length = mine.length;
    __syncthreads();
    Segment segment;
    segment.begin = block->begin[place];
    segment.length = block->many_length;
    const u64 begin = block->first_task + block->length[l];
    const u64 tasks = tasks_of_segment(segment.length);
    for (u64 k = id; k < tasks && begin + k < lists.capacity; k += GROUP_SIZE) {
      list_task(segment, s - id + place, k, begin + k, work, lists);
    }
    __syncthreads();
  }
}
