// Part line_sums_chunks: the sums of columns of leaves in order v1, for neighbouring lines, by one
// work-item of a CPU.
// Provides: line_sums_chunks
// Uses: line_elements, line_order, line_starts

#ifndef LEAF_ROWS
#define LEAF_ROWS 32  // Rows of a leaf.
#endif
#ifndef COLUMNS
#define COLUMNS 128  // Columns of a leaf.
#endif
#ifndef SUMS
#define SUMS 24576  // That a work-item keeps.
#endif

// Bytes of columns that are kept in vector registers, besides what is loaded.
#ifndef REGISTER_BYTES
#ifdef __AVX512F__
#define REGISTER_BYTES 512
#else
#define REGISTER_BYTES 256
#endif
#endif

#define ROWS_AT_ONCE 8  // Rows whose elements are added to each sum at a time.

#define LEAF (LEAF_ROWS * COLUMNS)

// How a call is shared out. A unit is a strip of neighbouring lines and one of their leaves, or
// several of one line.
typedef struct {
  u64 width;   // Lines of a strip.
  u64 strips;  // Of one outer index.
  u64 leaves;  // Of a line, at most.
  u64 each;    // Leaves of a unit; one if strips have several lines.
  u64 units;
} LineStrips;

// Each group has a block of units; the last ones may have none.
DEVICE u64 first_unit(LineStrips strips, u64 group) {
  const u64 groups = get_num_groups(0);
  const u64 first = group * (strips.units / groups + (strips.units % groups != 0));
  return first < strips.units ? first : strips.units;
}

// The strip and the leaf of a unit. Lines may be none, and so may elements.
typedef struct {
  u64 line;
  u64 begin;    // The first element of the leaf in each line.
  u32 lines;    // That exist.
  u32 count;    // Elements of the leaf that exist.
  u32 columns;  // The least power of two that holds these, or all.
} LineStrip;

DEVICE LineStrip strip_of_unit(LinePlaces places, LineStrips strips, u64 unit, u64 lines, u64 n) {
  LineStrip strip;
  strip.begin = 0;
  if (strips.leaves > 1) {
    const u64 parts = strips.leaves / strips.each + (strips.leaves % strips.each != 0);
    strip.begin = unit % parts * strips.each * LEAF;
    unit /= parts;
  }
  const u64 outer = unit / strips.strips;
  const u64 inner = (unit - outer * strips.strips) * strips.width;
  u64 width = places.inner - inner < strips.width ? places.inner - inner : strips.width;
  strip.line = outer * places.inner + inner;
  if (lines < strip.line + width) width = lines > strip.line ? lines - strip.line : 0;
  strip.lines = (u32)width;
  strip.count = 0;
  if (strip.begin < n) strip.count = (u32)(n - strip.begin < LEAF ? n - strip.begin : LEAF);
  strip.columns = 1;
  while (strip.columns < COLUMNS && strip.columns < strip.count) strip.columns *= 2;
  return strip;
}

#define INLINE DEVICE __attribute__((always_inline))

// Whether elements that lie a step apart are neighbours.
DEVICE bool are_neighbours(LinePlaces step) {
  return step.input.element == 1 && step.second.element == 1;
}
INLINE LinePlaces to_neighbours(LinePlaces step) {
  step.input.element = 1;
  step.second.element = 1;
  return step;
}

// Element k of those that lie a step apart. The first `lines` of them are element i of their lines,
// the next ones the element behind it.
INLINE ACC item(LineElements first, LinePlaces step, u32 k, u64 i, u32 lines, u64 n) {
  return lift_in_line(first_element(elements_behind(first, step, k)), i + k / lines, n);
}

// Combines an element with each of `count` sums.
INLINE void add_items(LineElements first, LinePlaces step, u32 count, u64 i, u32 lines, u64 n,
                      ACC* sums) {
  for (u32 k = 0; k < count; ++k) sums[k] = COMBINE(sums[k], item(first, step, k, i, lines, n));
}

// Combines those of several rows of a leaf with each of them.
INLINE void add_rows(LineElements first, LinePlaces places, LinePlaces step, u32 count, u64 i,
                     u32 lines, u64 n, ACC* sums) {
  LineElements row[ROWS_AT_ONCE];
#pragma unroll
  for (u32 r = 0; r < ROWS_AT_ONCE; ++r) row[r] = elements_behind(first, places, r * COLUMNS);
  for (u32 k = 0; k < count; ++k) {
    ACC sum = sums[k];
#pragma unroll
    for (u32 r = 0; r < ROWS_AT_ONCE; ++r) {
      sum = COMBINE(sum, item(row[r], step, k, i + r * COLUMNS, lines, n));
    }
    sums[k] = sum;
  }
}

// Makes `count` sums of elements, and of pairs of them that lie `apart` from each other in a line.
INLINE void begin_items(LineElements first, LinePlaces step, u32 count, u64 i, u32 lines, u64 n,
                        ACC* sums) {
  for (u32 k = 0; k < count; ++k) sums[k] = item(first, step, k, i, lines, n);
}
INLINE void begin_pairs(LineElements first, LinePlaces places, LinePlaces step, u32 apart,
                        u32 count, u64 i, u32 lines, u64 n, ACC* sums) {
  const LineElements second = elements_behind(first, places, apart);
  for (u32 k = 0; k < count; ++k) {
    sums[k] =
        COMBINE(item(first, step, k, i, lines, n), item(second, step, k, i + apart, lines, n));
  }
}

// Combines whole rows of a leaf with its columns, which are in vector registers meanwhile.
INLINE void add_whole_rows(LineElements leaf, LinePlaces step, u32 rows, u64 i, u64 n, ACC* sums) {
  ACC part[COLUMNS];
  for (u32 c = 0; c < COLUMNS; ++c) part[c] = sums[c];
#pragma clang loop vectorize(disable)
  for (u32 row = 0; row < rows * COLUMNS; row += COLUMNS) {
    const LineElements from = elements_behind(leaf, step, row);
#pragma unroll
    for (u32 c = 0; c < COLUMNS; ++c) {
      part[c] = COMBINE(part[c], item(from, step, c, i + row, 1, n));
    }
  }
  for (u32 c = 0; c < COLUMNS; ++c) sums[c] = part[c];
}

// Combines `count` elements of a leaf of one line with its columns. What is left behind rows is
// divided by powers of two, so that vectors leave no rest.
INLINE void add_neighbours(LineElements leaf, LinePlaces step, u32 count, u64 i, u64 n, ACC* sums) {
  u32 row = 0;
  if (COLUMNS * sizeof(ACC) <= REGISTER_BYTES && count >= COLUMNS) {
    add_whole_rows(leaf, step, count / COLUMNS, i, n, sums);
    row = count / COLUMNS * COLUMNS;
  }
  for (; row + COLUMNS <= count; row += COLUMNS) {
    add_items(elements_behind(leaf, step, row), step, COLUMNS, i + row, 1, n, sums);
  }
  u32 c = 0;
#pragma unroll
  for (u32 part = COLUMNS / 2; part > 0; part /= 2) {
    if (((count - row) & part) == 0) continue;
    add_items(elements_behind(leaf, step, row + c), step, part, i + row + c, 1, n, sums + c);
    c += part;
  }
}

// Combines the first columns of a line with as many behind them.
INLINE void halve(ACC* sums, u32 width) {
#pragma unroll
  for (u32 c = 0; c < width; ++c) sums[c] = COMBINE(sums[c], sums[c + width]);
}

// All halvings from 2 * width columns on, at most 8, in registers: what is stored in parts would be
// waited for.
INLINE ACC fold_last(const ACC* sums, u32 width) {
  ACC own[8];
#pragma unroll
  for (u32 c = 0; c < 2 * width; ++c) own[c] = sums[c];
#pragma unroll
  for (; width > 0; width /= 2) halve(own, width);
  return own[0];
}

// Part line_columns_chunks: columns of several lines, which lie side by side.
// Provides: line_columns_chunks
// Uses: line_sums_chunks

// Columns that are as many apart are a class. Classes are folded one after the other, if a
// work-item does not keep all columns.
#define CLASSES 8

// The total of the columns of each line.
DEVICE void fold_columns(ACC* sums, u32 columns, u32 lines) {
  for (u32 width = columns / 2; width > 0; width /= 2) {
    const u32 items = width * lines;
    for (u32 s = 0; s < items; ++s) sums[s] = COMBINE(sums[s], sums[s + items]);
  }
}

// Makes `count` sums of eight columns that lie `apart`, of which `present` exist, at least four.
INLINE void begin_eights(LineElements first, LinePlaces places, LinePlaces step, u32 apart,
                         u32 present, u32 count, u64 i, u32 lines, u64 n, ACC* sums) {
  const LineElements column4 = elements_behind(first, places, present > 4 ? 4 * apart : 0);
  const LineElements column5 = elements_behind(first, places, present > 5 ? 5 * apart : 0);
  const LineElements column6 = elements_behind(first, places, present > 6 ? 6 * apart : 0);
  const LineElements column7 = elements_behind(first, places, present > 7 ? 7 * apart : 0);
  const LineElements column1 = elements_behind(first, places, apart);
  const LineElements column2 = elements_behind(first, places, 2 * apart);
  const LineElements column3 = elements_behind(first, places, 3 * apart);
  for (u32 k = 0; k < count; ++k) {
    const ACC x0 = item(first, step, k, i, lines, n);
    const ACC x1 = item(column1, step, k, i + apart, lines, n);
    const ACC x2 = item(column2, step, k, i + 2 * apart, lines, n);
    const ACC x3 = item(column3, step, k, i + 3 * apart, lines, n);
    ACC x4 = item(column4, step, k, i + 4 * apart, lines, n);
    ACC x5 = item(column5, step, k, i + 5 * apart, lines, n);
    ACC x6 = item(column6, step, k, i + 6 * apart, lines, n);
    ACC x7 = item(column7, step, k, i + 7 * apart, lines, n);
    x4 = present > 4 ? x4 : IDENTITY;
    x5 = present > 5 ? x5 : IDENTITY;
    x6 = present > 6 ? x6 : IDENTITY;
    x7 = present > 7 ? x7 : IDENTITY;
    const ACC even = COMBINE(COMBINE(x0, x4), COMBINE(x2, x6));
    const ACC odd = COMBINE(COMBINE(x1, x5), COMBINE(x3, x7));
    sums[k] = COMBINE(even, odd);
  }
}
