// Part line_leaves: leaves of order v1 of many lines. A group has a power of two of lines side by
// side, and divides the columns of their leaves into a power of two of shares. A work-item adds
// COLUMNS_EACH columns: neighbours of each other if these are neighbours in memory, else columns
// that lie a number of shares apart. Of narrow elements it has LINES_EACH lines, which it loads by
// vectors if they are neighbours in memory.
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
#ifndef EXACT
#define EXACT 0  // Whether no order shows.
#endif
#ifndef WHOLE_ROWS
#define WHOLE_ROWS 0  // Whether whole rows have code of their own.
#endif
#ifndef LINES_EACH
#define LINES_EACH 1
#endif
#ifndef TURN_BITS
#define TURN_BITS 0  // A work-item has up to `1 << TURN_BITS` shares, one after the other.
#endif
#if COLUMNS_EACH > 16
#error "fold_own_columns halves up to 16 columns of a work-item"
#endif
#define LEAF (LEAF_ROWS * COLUMNS)
#define SUMS_EACH (COLUMNS_EACH * LINES_EACH)  // Of a column, those of all lines lie side by side.

// How a call is shared out. A unit is LINES_EACH << line_shift neighbouring lines and one
// of their leaves.
typedef struct {
  u64 line_shift;
  u64 share_shift;  // Work-items of a leaf,
  u64 turn_shift;   // and shares of each.
  u64 leaves;       // Of a line, at most.
  u64 blocks;       // Of units, one for a group at a time.
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
// Its share of the columns, the first one.
DEVICE u32 own_share(LineSplit split) {
  return (threadIdx.x >> LINE_SHIFT(split)) & ((1u << (u32)split.share_shift) - 1);
}
// Its first line of the unit.
DEVICE u64 line_of_unit(LineSplit split, u64 unit) {
  const u32 item = threadIdx.x & ((1u << LINE_SHIFT(split)) - 1);
  return ((unit << LINE_SHIFT(split)) + item) * LINES_EACH;
}

// The lines of a work-item.
typedef struct {
  LineElements first;      // What the first one has.
  u64 behind[LINES_EACH];  // How far others lie behind it.
  u32 by_vectors;          // Whether an element of all of them is loaded at once.
} LineBundle;

// Those from `line` on, each from its element `begin` on. A line that does not exist has the
// elements of the first one.
DEVICE LineBundle lines_from(INPUT_PARAMETERS, LinePlaces places, u64 line, u64 lines, u64 begin) {
  const LineStarts starts = starts_of_line(places, line);
  LineBundle bundle;
  bundle.first = elements_from(INPUT_ARGUMENTS, starts.input + begin * ELEMENT_STRIDE(places.input),
                               starts.second + begin * ELEMENT_STRIDE(places.second));
  bundle.behind[0] = 0;
  bundle.by_vectors = 0;
#if LINES_EACH > 1
  const u64 row_bytes = ELEMENT_STRIDE(places.input) * sizeof(IN);
  bundle.by_vectors =
      row_bytes % LOAD_BYTES == 0 && is_aligned(bundle.first.first, LOAD_BYTES) ? 1 : 0;
#pragma unroll
  for (u32 l = 1; l < LINES_EACH; ++l) {
    bundle.behind[l] = line + l < lines ? starts_of_line(places, line + l).input - starts.input : 0;
    if (bundle.behind[l] != l) bundle.by_vectors = 0;
  }
#endif
  return bundle;
}

// The column of a work-item's k-th element in a row.
DEVICE u32 column_of(LineSplit split, u32 share, u32 k) {
#if SIDE_BY_SIDE
  return share * COLUMNS_EACH + k;
#else
  return share + (k << (u32)(split.share_shift + split.turn_shift));
#endif
}

// Loads this work-item's columns of a row that begins with element `row` of the leaf. If the row is
// not `whole`, only those of the `left` elements of the leaf.
DEVICE void load_line_row(LineBundle bundle, LinePlaces places, LineSplit split, u32 share, u32 row,
                          bool whole, u32 left, LineVector* vectors) {
#if SIDE_BY_SIDE
  load_line_run(bundle.first, places, row + share * RUN, whole ? ~0u : left, vectors);
#else
  // From one column to the next, as a product for each takes longer.
  const u32 step = column_of(split, 0, 1);
  LineElements at = elements_behind(bundle.first, places, row + share);
#if LINES_EACH > 1
  if (bundle.by_vectors) {
#pragma unroll
    for (u32 k = 0; k < COLUMNS_EACH; ++k) {
      const u32 e = row + column_of(split, share, k);
      if (whole || e < left) vectors[k] = load_line_vector(at.first);
      at = elements_behind(at, places, step);
    }
    return;
  }
#endif
#pragma unroll
  for (u32 i = 0; i < SUMS_EACH; ++i) {
    const u32 e = row + column_of(split, share, i / LINES_EACH);
    if (i > 0 && i % LINES_EACH == 0) at = elements_behind(at, places, step);
    const LineElements line = elements_beside(at, bundle.behind[i % LINES_EACH]);
    if (whole || e < left) put_vector_item(vectors, i, first_element(line));
  }
#endif
}

// Part line_short_sums: the columns of several lines of one row.
// Provides: line_short_sums
// Uses: line_leaves, line_row_sums

// Adds the columns of this work-item in a line of each of AT_ONCE units, of which `unit` is the
// first. If they are not `whole`, only those of the `left` elements of a line.
DEVICE void add_short_lines(INPUT_PARAMETERS, LinePlaces places, LineSplit split, u64 unit,
                            u64 lines, u32 share, bool whole, u32 left, u64 n, ACC* sums) {
  LineVector vectors[AT_ONCE * SUMS_EACH / VEC];
#pragma unroll
  for (u32 u = 0; u < AT_ONCE; ++u) {
    const u64 line = line_of_unit(split, unit + u * units_of_block(split));
    const LineBundle bundle =
        lines_from(INPUT_ARGUMENTS, places, line < lines ? line : 0, lines, 0);
    load_line_row(bundle, places, split, share, 0, whole, left, vectors + u * SUMS_EACH / VEC);
  }
#pragma unroll
  for (u32 u = 0; u < AT_ONCE; ++u) {
#pragma unroll
    for (u32 i = 0; i < SUMS_EACH; ++i) sums[u * SUMS_EACH + i] = IDENTITY;
    add_line_row(sums + u * SUMS_EACH, split, share, 0, 0, whole, left, n,
                 vectors + u * SUMS_EACH / VEC);
  }
}

// Part reduce_lines: The reduction of many lines in order v1, each with the bits that it has alone.
// A group takes whole leaves of several lines. Its work-items lie along the lines or across them,
// whichever way neighbours in memory are. Lines have one leaf here.
// Cost: reads each element once, writes one result per line; one launch.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.
// Provides: reduce_lines
// Uses: count, line_count, line_init, outputs, line_short_sums, line_share_folds

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_lines(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
                 OUT* result, u64 result_offset MORE_OUTPUTS, LinePlaces places, LineSplit split) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = blockIdx.x; block < split.blocks; block += gridDim.x) {
    // --- Add the columns of several lines, one after the other, or of one ---
    const u64 unit = block * units_of_block(split) * AT_ONCE + own_unit(split);
    const u32 share = own_share(split);
    const u32 left = lines > 0 ? (u32)n : 0;
    ACC sums[AT_ONCE * SUMS_EACH];
#if WHOLE_ROWS
    if (column_of(split, share, COLUMNS_EACH - 1) < left) {
      add_short_lines(INPUT_ARGUMENTS, places, split, unit, lines, share, true, left, n, sums);
    } else
#endif
      add_short_lines(INPUT_ARGUMENTS, places, split, unit, lines, share, false, left, n, sums);

    // --- Combine them, and write the results ---
    fold_line_columns(sums, AT_ONCE, split, share, scratch);
#pragma unroll
    for (u32 u = 0; u < AT_ONCE; ++u) {
      const u64 line = line_of_unit(split, unit + u * units_of_block(split));
#pragma unroll
      for (u32 l = 0; l < LINES_EACH; ++l) {
        if (share == 0 && line + l < lines) {
          PUT_RESULT_FROM(result, result_offset, starts_of_line(places, line + l).output,
                          COMBINE(INIT_OF_LINE(places, line + l), sums[u * SUMS_EACH + l]));
        }
      }
    }
  }
}

// Part line_leaf_totals: the totals of whole leaves.
// Provides: line_leaf_totals
// Uses: line_leaves, line_row_sums, line_share_folds

// What a work-item has of a unit.
typedef struct {
  u64 line;   // Its first one.
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

// Adds AT_ONCE rows to the sums of one share.
DEVICE void add_line_rows(LineBundle bundle, LinePlaces places, LineSplit split, LineShare mine,
                          u32 share, u32 row, bool whole, u32 left, u64 n, ACC* sums) {
  LineVector vectors[AT_ONCE * SUMS_EACH / VEC];
#pragma unroll
  for (u32 r = 0; r < AT_ONCE; ++r) {
    load_line_row(bundle, places, split, share, row + r * COLUMNS, whole, left,
                  vectors + r * SUMS_EACH / VEC);
  }
#pragma unroll
  for (u32 r = 0; r < AT_ONCE; ++r) {
    add_line_row(sums, split, share, mine.begin, row + r * COLUMNS, whole, left, n,
                 vectors + r * SUMS_EACH / VEC);
  }
}

// The sums of one share. Whole rows have no limits: these cost as much as the additions.
DEVICE void add_line_share(LineBundle bundle, LinePlaces places, LineSplit split, LineShare mine,
                           u32 share, u64 n, ACC* sums) {
#pragma unroll
  for (u32 i = 0; i < SUMS_EACH; ++i) sums[i] = IDENTITY;
#if WHOLE_ROWS && LEAF_ROWS == 1
  if (mine.left == COLUMNS_EACH << (u32)(split.share_shift + split.turn_shift)) {
    add_line_rows(bundle, places, split, mine, share, 0, true, 0, n, sums);
  } else {
    add_line_rows(bundle, places, split, mine, share, 0, false, mine.left, n, sums);
  }
#else
  u32 row = 0;
#if WHOLE_ROWS
#pragma unroll 1
  for (; row + AT_ONCE * COLUMNS <= mine.left; row += AT_ONCE * COLUMNS) {
    add_line_rows(bundle, places, split, mine, share, row, true, 0, n, sums);
  }
#endif
#pragma unroll 1
  for (; row < mine.left; row += AT_ONCE * COLUMNS) {
    const u32 left = row + AT_ONCE * COLUMNS <= mine.left ? ~0u : mine.left;
    add_line_rows(bundle, places, split, mine, share, row, false, left, n, sums);
  }
#endif
}

#if TURN_BITS
// Shares are taken in bit-reversed order: so the next to be combined with each other follow each
// other, as a binary counter carries. `waiting` has a total for each of its bits.
DEVICE u32 share_of_turn(LineSplit split, u32 share, u32 turn) {
#pragma unroll
  for (u32 bit = 0; bit < TURN_BITS; ++bit) {
    if (turn >> bit & 1) share += 1u << (u32)(split.share_shift + split.turn_shift - 1 - bit);
  }
  return share;
}
DEVICE void combine_turn(u32 turn, ACC* sums, ACC* waiting) {
#pragma unroll
  for (u32 bit = 0; bit < TURN_BITS; ++bit) {
    const u32 below = (1u << bit) - 1;
    if ((turn & below) == below) {
#pragma unroll
      for (u32 l = 0; l < LINES_EACH; ++l) {
        const u32 place = bit * LINES_EACH + l;
        if (turn >> bit & 1) {
          sums[l] = COMBINE(waiting[place], sums[l]);
        } else {
          waiting[place] = sums[l];
        }
      }
    }
  }
}
#endif

// sums[l] becomes the total of the leaf of line l of this work-item, for the first share.
DEVICE void line_leaf_totals(LineBundle bundle, LinePlaces places, LineSplit split, LineShare mine,
                             u64 n, ACC* sums, ACC* scratch) {
#if TURN_BITS
  ACC waiting[TURN_BITS * LINES_EACH];
#pragma unroll 1
  for (u32 turn = 0; turn >> (u32)split.turn_shift == 0; ++turn) {
    add_line_share(bundle, places, split, mine, share_of_turn(split, mine.share, turn), n, sums);
    fold_own_columns(sums);
    combine_turn(turn, sums, waiting);
  }
  fold_line_shares(sums, 1, split, mine.share, scratch);
#else
  add_line_share(bundle, places, split, mine, mine.share, n, sums);
  fold_line_columns(sums, 1, split, mine.share, scratch);
#endif
}

// Part reduce_line_rows: The same where a line has several rows of a leaf.
// Cost: reads each element once, writes one result per line; one launch.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.
// Provides: reduce_line_rows
// Uses: count, line_count, line_init, outputs, line_leaf_totals

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    reduce_line_rows(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
                     OUT* result, u64 result_offset MORE_OUTPUTS, LinePlaces places,
                     LineSplit split) {
  __shared__ ACC scratch[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = blockIdx.x; block < split.blocks; block += gridDim.x) {
    // --- Reduce the leaf of this work-item's line ---
    const u64 unit = block * units_of_block(split) + own_unit(split);
    const LineShare mine = share_of_unit(split, unit, lines, n);
    const LineBundle bundle =
        lines_from(INPUT_ARGUMENTS, places, mine.line < lines ? mine.line : 0, lines, 0);
    ACC totals[SUMS_EACH];
    line_leaf_totals(bundle, places, split, mine, n, totals, scratch);
#pragma unroll
    for (u32 l = 0; l < LINES_EACH; ++l) {
      if (mine.share == 0 && mine.line + l < lines) {
        PUT_RESULT_FROM(result, result_offset, starts_of_line(places, mine.line + l).output,
                        COMBINE(INIT_OF_LINE(places, mine.line + l), totals[l]));
      }
    }
  }
}

// Part reduce_line_leaves: The first launch where a line has several leaves: their totals.
// Cost: reads each element once, writes one accumulator per leaf.
// Assumes a commutative operator.
// Source: bifold, docs/order.md.
// Provides: reduce_line_leaves
// Uses: count, line_count, line_leaf_totals

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
    const LineBundle bundle =
        lines_from(INPUT_ARGUMENTS, places, mine.left > 0 ? mine.line : 0, lines, mine.begin);
    ACC totals[SUMS_EACH];
    line_leaf_totals(bundle, places, split, mine, n, totals, scratch);
#pragma unroll
    for (u32 l = 0; l < LINES_EACH; ++l) {
      if (mine.share == 0 && mine.left > 0 && mine.line + l < lines) {
        nodes[nodes_offset + (mine.line + l) * split.leaves + mine.begin / LEAF] = totals[l];
      }
    }
  }
}
