// Part line_leaves: leaves of order v1 of many lines. A group has a power of two of lines side by
// side, and divides the columns of their leaves into a power of two of shares. A work-item adds
// COLUMNS_EACH columns: neighbours of each other if these are neighbours in memory, else columns
// that lie a number of shares apart.
// Provides: line_leaves
// Uses: line_elements, line_order, line_starts, line_shares

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group, a power of two.
#endif
#ifndef COLUMNS_EACH
#define COLUMNS_EACH 4  // Columns of a work-item.
#endif
#define COLUMNS (32 * COLUMNS_EACH)
#define LEAF (LEAF_ROWS * COLUMNS)

// How a call is shared out. A unit is `1 << line_shift` neighbouring lines and one of their leaves.
typedef struct {
  u64 line_shift;
  u64 share_shift;
  u64 side_by_side;  // 1: columns of a work-item are neighbours.
  u64 leaves;        // Of a line, at most.
  u64 blocks;        // Of units, one for a group at a time.
} LineSplit;

// What a work-item has of a unit.
typedef struct {
  u64 line;
  u64 begin;  // The first element of its leaf.
  u32 share;
  u32 left;  // Elements of the leaf that exist.
} LineShare;

DEVICE u32 units_of_block(LineSplit split) {
  return GROUP_SIZE >> (split.line_shift + split.share_shift);
}

DEVICE LineShare share_of_unit(LineSplit split, u64 unit, u64 lines, u64 n) {
  const u32 id = (u32)get_local_id(0);
  LineShare mine;
  mine.share = (id >> split.line_shift) & ((1u << split.share_shift) - 1);
  mine.begin = 0;
  if (split.leaves > 1) {
    mine.begin = unit % split.leaves * LEAF;
    unit /= split.leaves;
  }
  mine.line = (unit << split.line_shift) + (id & ((1u << split.line_shift) - 1));
  mine.left = 0;
  if (mine.line < lines && mine.begin < n) {
    mine.left = (u32)(n - mine.begin < LEAF ? n - mine.begin : LEAF);
  }
  return mine;
}

// The column of a work-item's k-th element in a row.
DEVICE u32 column_of(LineSplit split, u32 share, u32 k) {
  if (SIDE_BY_SIDE(split)) return share * COLUMNS_EACH + k;
  return share + (k << split.share_shift);
}

// Loads this work-item's columns of a row that begins with element `row` of the leaf.
DEVICE void load_line_row(LineElements elements, LinePlaces places, LineSplit split, u32 share,
                          u32 row, u32 left, Element* element) {
#pragma unroll
  for (u32 k = 0; k < COLUMNS_EACH; ++k) {
    const u32 e = row + column_of(split, share, k);
    if (e < left) element[k] = first_element(elements_behind(elements, places, e));
  }
}
DEVICE void add_line_row(ACC* sums, LineSplit split, u32 share, u64 begin, u32 row, u32 left, u64 n,
                         const Element* element) {
#pragma unroll
  for (u32 k = 0; k < COLUMNS_EACH; ++k) {
    const u32 e = row + column_of(split, share, k);
    if (e < left) sums[k] = COMBINE(sums[k], lift_in_line(element[k], begin + e, n));
  }
}

// Folds the columns of a work-item by halving into sums[0].
DEVICE void fold_own_columns(ACC* sums) {
#pragma unroll
  for (u32 width = COLUMNS_EACH / 2; width > 0; width /= 2) {
#pragma unroll
    for (u32 k = 0; k < width; ++k) sums[k] = COMBINE(sums[k], sums[k + width]);
  }
}

// The totals of leaves, each of which the first share gets in the first of its sums. Columns that
// lie apart are folded first, neighbours last. All work-items of the group call it.
DEVICE void fold_line_columns(ACC* sums, u32 leaves, LineSplit split, u32 share,
                              __local ACC* scratch) {
  const bool side_by_side = SIDE_BY_SIDE(split);
  if (!side_by_side) {
#pragma unroll
    for (u32 u = 0; u < leaves; ++u) fold_own_columns(sums + u * COLUMNS_EACH);
  }
  for (u32 shift = (u32)split.share_shift; shift > 0; --shift) {
    const u32 width = 1u << (shift - 1);
#pragma unroll
    for (u32 i = 0; i < leaves * COLUMNS_EACH; ++i) {
      if (i % COLUMNS_EACH == 0 || side_by_side) {
        sums[i] = combine_shares(sums[i], share < width, width << split.line_shift, scratch);
      }
    }
  }
  if (side_by_side) {
#pragma unroll
    for (u32 u = 0; u < leaves; ++u) fold_own_columns(sums + u * COLUMNS_EACH);
  }
}

// Part reduce_lines: The reduction of many lines in order v1, each with the bits that it has alone.
// A group takes whole leaves of several lines. Its work-items lie along the lines or across them,
// whichever way neighbours in memory are. Lines have one leaf here.
// Cost: reads each element once, writes one result per line; one launch.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.
// Provides: reduce_lines
// Uses: count, line_count, line_init, line_leaves

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_lines(
    INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
    __global OUT* result, u64 result_offset, LinePlaces places, LineSplit split) {
  __local ACC scratch[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = get_group_id(0); block < split.blocks; block += get_num_groups(0)) {
    // --- Add the columns of several lines, one after the other, or of one ---
    const u32 id = (u32)get_local_id(0) >> (split.line_shift + split.share_shift);
    const u64 unit = block * units_of_block(split) * LINES_AT_ONCE + id;
    ACC sums[LINES_AT_ONCE * COLUMNS_EACH];
    Element element[LINES_AT_ONCE * COLUMNS_EACH];
#pragma unroll
    for (u32 u = 0; u < LINES_AT_ONCE; ++u) {
      const LineShare mine = share_of_unit(split, unit + u * units_of_block(split), lines, n);
      const LineStarts starts = starts_of_line(places, mine.left > 0 ? mine.line : 0);
      load_line_row(elements_from(INPUT_ARGUMENTS, starts.input, starts.second), places, split,
                    mine.share, 0, mine.left, element + u * COLUMNS_EACH);
    }
#pragma unroll
    for (u32 u = 0; u < LINES_AT_ONCE; ++u) {
      const LineShare mine = share_of_unit(split, unit + u * units_of_block(split), lines, n);
#pragma unroll
      for (u32 k = 0; k < COLUMNS_EACH; ++k) sums[u * COLUMNS_EACH + k] = IDENTITY;
      add_line_row(sums + u * COLUMNS_EACH, split, mine.share, mine.begin, 0, mine.left, n,
                   element + u * COLUMNS_EACH);
    }

    // --- Combine them, and write the results ---
    const u32 share = ((u32)get_local_id(0) >> split.line_shift) & ((1u << split.share_shift) - 1);
    fold_line_columns(sums, LINES_AT_ONCE, split, share, scratch);
#pragma unroll
    for (u32 u = 0; u < LINES_AT_ONCE; ++u) {
      const LineShare mine = share_of_unit(split, unit + u * units_of_block(split), lines, n);
      if (share == 0 && mine.line < lines) {
        result[result_offset + starts_of_line(places, mine.line).output] =
            TO_OUT(COMBINE(INIT_OF_LINE(places, mine.line), sums[u * COLUMNS_EACH]));
      }
    }
  }
}

// Part line_leaf_total: the total of a whole leaf.
// Provides: line_leaf_total
// Uses: line_leaves

#ifndef ROWS_AT_ONCE
#define ROWS_AT_ONCE 4  // Rows that a work-item loads at once.
#endif

// The total of the leaf of this work-item, of which the first share gets it.
DEVICE ACC line_leaf_total(LineElements elements, LinePlaces places, LineSplit split,
                           LineShare mine, u64 n, __local ACC* scratch) {
  ACC sums[COLUMNS_EACH];
#pragma unroll
  for (u32 k = 0; k < COLUMNS_EACH; ++k) sums[k] = IDENTITY;
  u32 row = 0;
  for (; row < mine.left; row += ROWS_AT_ONCE * COLUMNS) {
    // Without limits, if all rows are whole: these cost as much as the additions.
    const u32 left = row + ROWS_AT_ONCE * COLUMNS <= mine.left ? ~0u : mine.left;
    Element element[ROWS_AT_ONCE * COLUMNS_EACH];
#pragma unroll
    for (u32 r = 0; r < ROWS_AT_ONCE; ++r) {
      load_line_row(elements, places, split, mine.share, row + r * COLUMNS, left,
                    element + r * COLUMNS_EACH);
    }
#pragma unroll
    for (u32 r = 0; r < ROWS_AT_ONCE; ++r) {
      add_line_row(sums, split, mine.share, mine.begin, row + r * COLUMNS, left, n,
                   element + r * COLUMNS_EACH);
    }
  }
  fold_line_columns(sums, 1, split, mine.share, scratch);
  return sums[0];
}

// Part reduce_line_rows: The same where a line has several rows of a leaf.
// Cost: reads each element once, writes one result per line; one launch.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.
// Provides: reduce_line_rows
// Uses: count, line_count, line_init, line_leaf_total

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_line_rows(
    INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
    __global OUT* result, u64 result_offset, LinePlaces places, LineSplit split) {
  __local ACC scratch[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = get_group_id(0); block < split.blocks; block += get_num_groups(0)) {
    // --- Reduce the leaf of this work-item's line ---
    const u32 id = (u32)get_local_id(0) >> (split.line_shift + split.share_shift);
    const LineShare mine = share_of_unit(split, block * units_of_block(split) + id, lines, n);
    const LineStarts starts = starts_of_line(places, mine.line < lines ? mine.line : 0);
    const ACC total = line_leaf_total(elements_from(INPUT_ARGUMENTS, starts.input, starts.second),
                                      places, split, mine, n, scratch);
    if (mine.share == 0 && mine.line < lines) {
      result[result_offset + starts.output] =
          TO_OUT(COMBINE(INIT_OF_LINE(places, mine.line), total));
    }
  }
}

// Part reduce_line_leaves: The first launch where a line has several leaves: their totals.
// Cost: reads each element once, writes one accumulator per leaf.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.
// Provides: reduce_line_leaves
// Uses: count, line_count, line_leaf_total

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_line_leaves(
    INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, __global ACC* nodes,
    u64 nodes_offset, LinePlaces places, LineSplit split) {
  __local ACC scratch[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = get_group_id(0); block < split.blocks; block += get_num_groups(0)) {
    // --- Reduce a leaf, which begins where its line's columns do ---
    const u32 id = (u32)get_local_id(0) >> (split.line_shift + split.share_shift);
    const LineShare mine = share_of_unit(split, block * units_of_block(split) + id, lines, n);
    const LineStarts starts = starts_of_line(places, mine.left > 0 ? mine.line : 0);
    LineElements leaf =
        elements_from(INPUT_ARGUMENTS, starts.input + mine.begin * places.input.element,
                      starts.second + mine.begin * places.second.element);
    const ACC total = line_leaf_total(leaf, places, split, mine, n, scratch);
    if (mine.share == 0 && mine.left > 0) {
      nodes[nodes_offset + mine.line * split.leaves + mine.begin / LEAF] = total;
    }
  }
}
