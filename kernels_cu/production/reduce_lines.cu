// Part line_leaves: leaves of order v1 of many lines. A group has a power of two of lines side by
// side, and divides the columns of their leaves into a power of two of shares. A work-item adds
// COLUMNS_EACH columns: neighbours of each other if these are neighbours in memory, else columns
// that lie a number of shares apart.
// Provides: line_leaves
// Uses: line_elements, line_order, line_starts, line_shares, line_run

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group, a power of two.
#endif
#ifndef COLUMNS_EACH
#define COLUMNS_EACH 4  // Columns of a work-item.
#endif
#ifndef AT_ONCE
#define AT_ONCE 4  // Short lines, or rows of a longer one, that a work-item loads at once.
#endif
#define LEAF (LEAF_ROWS * COLUMNS)

// How a call is shared out. A unit is `1 << line_shift` neighbouring lines and one of their leaves.
typedef struct {
  u64 line_shift;
  u64 share_shift;
  u64 side_by_side;  // 1: columns of a work-item are neighbours.
  u64 leaves;        // Of a line, at most.
  u64 blocks;        // Of units, one for a group at a time.
} LineSplit;

// Where elements of a line are neighbours, a group has no lines side by side.
#define LINE_SHIFT(split) (UNIT_STRIDE ? 0 : (u32)(split).line_shift)

DEVICE u32 units_of_block(LineSplit split) {
  return GROUP_SIZE >> (LINE_SHIFT(split) + (u32)split.share_shift);
}
// The unit of this work-item among those of its group.
DEVICE u32 own_unit(LineSplit split) {
  return threadIdx.x >> (LINE_SHIFT(split) + (u32)split.share_shift);
}
// Its share of the columns.
DEVICE u32 own_share(LineSplit split) {
  return (threadIdx.x >> LINE_SHIFT(split)) & ((1u << (u32)split.share_shift) - 1);
}
// Its line of the unit.
DEVICE u64 line_of_unit(LineSplit split, u64 unit) {
  return (unit << LINE_SHIFT(split)) + (threadIdx.x & ((1u << LINE_SHIFT(split)) - 1));
}

// The column of a work-item's k-th element in a row.
DEVICE u32 column_of(LineSplit split, u32 share, u32 k) {
  if (SIDE_BY_SIDE(split)) return share * COLUMNS_EACH + k;
  return share + (k << (u32)split.share_shift);
}

// Loads this work-item's columns of a row that begins with element `row` of the leaf.
DEVICE void load_line_row(LineElements elements, LinePlaces places, LineSplit split, u32 share,
                          u32 row, u32 left, Element* element) {
  if (SIDE_BY_SIDE(split)) {
    load_line_run(elements, places, row + share * RUN, left, element);
    return;
  }
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

// Folds the columns of a work-item by halving into sums[0]. Steps are written one by one, as a
// compiler that keeps a loop of them keeps the array in memory.
DEVICE void halve_columns(ACC* sums, u32 width) {
#pragma unroll
  for (u32 k = 0; k < COLUMNS_EACH / 2; ++k) {
    if (k < width) sums[k] = COMBINE(sums[k], sums[k + width]);
  }
}
DEVICE void fold_own_columns(ACC* sums) {
  if (COLUMNS_EACH > 8) halve_columns(sums, 8);
  if (COLUMNS_EACH > 4) halve_columns(sums, 4);
  if (COLUMNS_EACH > 2) halve_columns(sums, 2);
  if (COLUMNS_EACH > 1) halve_columns(sums, 1);
}

// The totals of leaves, each of which the first share gets in the first of its sums. Columns that
// lie apart are folded first, neighbours last. All work-items of the group call it.
DEVICE void fold_line_columns(ACC* sums, u32 leaves, LineSplit split, u32 share, ACC* scratch) {
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
        sums[i] = combine_shares(sums[i], share < width, width << LINE_SHIFT(split), scratch);
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

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_lines(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
                 OUT* result, u64 result_offset, LinePlaces places, LineSplit split) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = blockIdx.x; block < split.blocks; block += gridDim.x) {
    // --- Add the columns of several lines, one after the other, or of one ---
    const u64 unit = block * units_of_block(split) * AT_ONCE + own_unit(split);
    const u32 share = own_share(split);
    const u32 left = lines > 0 ? (u32)n : 0;
    ACC sums[AT_ONCE * COLUMNS_EACH];
    Element element[AT_ONCE * COLUMNS_EACH];
#pragma unroll
    for (u32 u = 0; u < AT_ONCE; ++u) {
      const u64 line = line_of_unit(split, unit + u * units_of_block(split));
      const LineStarts starts = starts_of_line(places, line < lines ? line : 0);
      load_line_row(elements_from(INPUT_ARGUMENTS, starts.input, starts.second), places, split,
                    share, 0, left, element + u * COLUMNS_EACH);
    }
#pragma unroll
    for (u32 u = 0; u < AT_ONCE; ++u) {
#pragma unroll
      for (u32 k = 0; k < COLUMNS_EACH; ++k) sums[u * COLUMNS_EACH + k] = IDENTITY;
      add_line_row(sums + u * COLUMNS_EACH, split, share, 0, 0, left, n,
                   element + u * COLUMNS_EACH);
    }

    // --- Combine them, and write the results ---
    fold_line_columns(sums, AT_ONCE, split, share, scratch);
#pragma unroll
    for (u32 u = 0; u < AT_ONCE; ++u) {
      const u64 line = line_of_unit(split, unit + u * units_of_block(split));
      if (share == 0 && line < lines) {
        result[result_offset + starts_of_line(places, line).output] =
            TO_OUT(COMBINE(INIT_OF_LINE(places, line), sums[u * COLUMNS_EACH]));
      }
    }
  }
}

// Part line_leaf_total: the total of a whole leaf.
// Provides: line_leaf_total
// Uses: line_leaves

// What a work-item has of a unit.
typedef struct {
  u64 line;
  u64 begin;  // The first element of its leaf.
  u32 share;
  u32 left;  // Elements of the leaf that exist.
} LineShare;

DEVICE LineShare share_of_unit(LineSplit split, u64 unit, u64 lines, u64 n) {
  LineShare mine;
  mine.share = own_share(split);
  mine.begin = 0;
  if (split.leaves > 1) {
    mine.begin = unit % split.leaves * LEAF;
    unit /= split.leaves;
  }
  mine.line = line_of_unit(split, unit);
  mine.left = 0;
  if (mine.line < lines && mine.begin < n) {
    mine.left = (u32)(n - mine.begin < LEAF ? n - mine.begin : LEAF);
  }
  return mine;
}

// The total of the leaf of this work-item, of which the first share gets it.
DEVICE ACC line_leaf_total(LineElements elements, LinePlaces places, LineSplit split,
                           LineShare mine, u64 n, ACC* scratch) {
  ACC sums[COLUMNS_EACH];
#pragma unroll
  for (u32 k = 0; k < COLUMNS_EACH; ++k) sums[k] = IDENTITY;
  u32 row = 0;
#pragma unroll 1
  for (; row < mine.left; row += AT_ONCE * COLUMNS) {
    // Without limits, if all rows are whole: these cost as much as the additions.
    const u32 left = row + AT_ONCE * COLUMNS <= mine.left ? ~0u : mine.left;
    Element element[AT_ONCE * COLUMNS_EACH];
#pragma unroll
    for (u32 r = 0; r < AT_ONCE; ++r) {
      load_line_row(elements, places, split, mine.share, row + r * COLUMNS, left,
                    element + r * COLUMNS_EACH);
    }
#pragma unroll
    for (u32 r = 0; r < AT_ONCE; ++r) {
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

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_line_rows(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
                     OUT* result, u64 result_offset, LinePlaces places, LineSplit split) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = blockIdx.x; block < split.blocks; block += gridDim.x) {
    // --- Reduce the leaf of this work-item's line ---
    const u64 unit = block * units_of_block(split) + own_unit(split);
    const LineShare mine = share_of_unit(split, unit, lines, n);
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

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_line_leaves(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, ACC* nodes,
                       u64 nodes_offset, LinePlaces places, LineSplit split) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = blockIdx.x; block < split.blocks; block += gridDim.x) {
    // --- Reduce a leaf, which begins where its line's columns do ---
    const u64 unit = block * units_of_block(split) + own_unit(split);
    const LineShare mine = share_of_unit(split, unit, lines, n);
    const LineStarts starts = starts_of_line(places, mine.left > 0 ? mine.line : 0);
    LineElements leaf =
        elements_from(INPUT_ARGUMENTS, starts.input + mine.begin * ELEMENT_STRIDE(places.input),
                      starts.second + mine.begin * ELEMENT_STRIDE(places.second));
    const ACC total = line_leaf_total(leaf, places, split, mine, n, scratch);
    if (mine.share == 0 && mine.left > 0) {
      nodes[nodes_offset + mine.line * split.leaves + mine.begin / LEAF] = total;
    }
  }
}
