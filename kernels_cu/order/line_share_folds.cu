// Part line_row_items: elements of a row are added to the sums of their columns.
// Provides: line_row_sums
// Uses: line_leaves, line_vector_items

// Adds what load_line_row has loaded.
DEVICE void add_line_row(ACC* sums, LineSplit split, u32 share, u64 begin, u32 row, bool whole,
                         u32 left, u64 n, const LineVector* vectors) {
#pragma unroll
  for (u32 i = 0; i < SUMS_EACH; ++i) {
    const u32 e = row + column_of(split, share, i / LINES_EACH);
    if (whole || e < left)
      sums[i] = COMBINE(sums[i], lift_in_line(vector_item(vectors, i), begin + e, n));
  }
}

// Part line_row_words: narrow integers of a row, of which no order shows, are added word by word to
// the first sum.
// Provides: line_row_sums
// Uses: line_leaves, line_vector_items, word_fold

DEVICE void add_line_row(ACC* sums, LineSplit split, u32 share, u64 begin, u32 row, bool whole,
                         u32 left, u64 n, const LineVector* vectors) {
  if (whole) {
    WordFold fold = empty_fold();
#pragma unroll
    for (u32 p = 0; p < SUMS_EACH / VEC; ++p) {
#pragma unroll
      for (u32 w = 0; w < LOAD_BYTES / 4; ++w) fold = fold_word(vectors[p].word[w], fold);
    }
    sums[0] = COMBINE(sums[0], fold_total(fold));
  } else {
#pragma unroll
    for (u32 i = 0; i < SUMS_EACH; ++i) {
      const u32 e = row + column_of(split, share, i);
      if (e < left) sums[0] = COMBINE(sums[0], lift_in_line(vector_item(vectors, i), begin + e, n));
    }
  }
}

// Part line_share_folds: sums of columns of leaves become the leaves' totals.
// Provides: line_share_folds
// Uses: line_leaves, line_shares

// Folds the columns of a work-item by halving into the first. Steps are written one by one, as a
// compiler that keeps a loop of them keeps the array in memory.
DEVICE void halve_columns(ACC* sums, u32 width) {
#pragma unroll
  for (u32 i = 0; i < SUMS_EACH / 2; ++i) {
    if (i < width * LINES_EACH) sums[i] = COMBINE(sums[i], sums[i + width * LINES_EACH]);
  }
}
DEVICE void fold_own_columns(ACC* sums) {
  if (COLUMNS_EACH > 8) halve_columns(sums, 8);
  if (COLUMNS_EACH > 4) halve_columns(sums, 4);
  if (COLUMNS_EACH > 2) halve_columns(sums, 2);
  if (COLUMNS_EACH > 1) halve_columns(sums, 1);
}

#if SIDE_BY_SIDE && !EXACT
// Steps in which sums of columns are shared out.
#define SHARED_BITS \
  ((COLUMNS_EACH > 1) + (COLUMNS_EACH > 2) + (COLUMNS_EACH > 4) + (COLUMNS_EACH > 8))

// Combines `count` sums of neighbouring columns with those of the work-item beside. Each of the two
// keeps every second sum, so that later steps have half as many.
DEVICE void share_out_columns(ACC* sums, u32 count, u32 share, u32 distance) {
  const bool upper = (share & distance) != 0;
#pragma unroll
  for (u32 i = 0; i < COLUMNS_EACH / 2; ++i) {
    if (2 * i < count) {
      const ACC even = sums[2 * i];
      const ACC odd = sums[2 * i + 1];
      const ACC other = share_beside(upper ? even : odd, distance);
      const ACC kept = upper ? odd : even;
      sums[i] = COMBINE(upper ? other : kept, upper ? kept : other);
    }
  }
}

// Combines the first sum of every leaf with that of the share so far behind.
DEVICE void combine_first_sums(ACC* sums, u32 leaves, u32 share, u32 width, ACC* scratch) {
#pragma unroll
  for (u32 u = 0; u < leaves; ++u) {
    sums[u * COLUMNS_EACH] =
        combine_shares(sums[u * COLUMNS_EACH], (share & width) == 0, width, scratch);
  }
}

// The totals of leaves, which the first share gets in the first of its sums of each. Columns that
// lie apart are combined first, neighbours last. All work-items of the group call it.
DEVICE void fold_line_columns(ACC* sums, u32 leaves, LineSplit split, u32 share, ACC* scratch) {
  const u32 shift = (u32)split.share_shift;
#pragma unroll
  for (u32 bit = 0; bit < SHARED_BITS; ++bit) {
    if (bit < shift) {
#pragma unroll
      for (u32 u = 0; u < leaves; ++u) {
        share_out_columns(sums + u * COLUMNS_EACH, COLUMNS_EACH >> bit, share,
                          1u << (shift - 1 - bit));
      }
    }
  }
  for (u32 left = shift; left > SHARED_BITS; --left) {
    combine_first_sums(sums, leaves, share, 1u << (left - 1 - SHARED_BITS), scratch);
  }
  const u32 kept = shift < SHARED_BITS ? (u32)COLUMNS_EACH >> shift : 1;
#pragma unroll
  for (u32 u = 0; u < leaves; ++u) {
    if (COLUMNS_EACH > 8 && kept > 8) halve_columns(sums + u * COLUMNS_EACH, 8);
    if (COLUMNS_EACH > 4 && kept > 4) halve_columns(sums + u * COLUMNS_EACH, 4);
    if (COLUMNS_EACH > 2 && kept > 2) halve_columns(sums + u * COLUMNS_EACH, 2);
    if (COLUMNS_EACH > 1 && kept > 1) halve_columns(sums + u * COLUMNS_EACH, 1);
  }
#pragma unroll
  for (u32 back = 1; back <= SHARED_BITS; ++back) {
    const u32 bit = SHARED_BITS - back;
    if (bit < shift) combine_first_sums(sums, leaves, share, 1u << (shift - 1 - bit), scratch);
  }
}
#else
// Combines the first sums of work-items, a sum of each line. A line's total is in its first share.
DEVICE void fold_line_shares(ACC* sums, u32 leaves, LineSplit split, u32 share, ACC* scratch) {
  for (u32 shift = (u32)split.share_shift; shift > 0; --shift) {
    const u32 width = 1u << (shift - 1);
#pragma unroll
    for (u32 i = 0; i < leaves * SUMS_EACH; ++i) {
      if (i % SUMS_EACH < LINES_EACH) {
        sums[i] = combine_shares(sums[i], share < width, width << LINE_SHIFT(split), scratch);
      }
    }
  }
}

// The totals of leaves, which the first share gets in the first of its sums of each. A work-item's
// columns lie apart and are combined first, or no order shows. All work-items of the group call it.
DEVICE void fold_line_columns(ACC* sums, u32 leaves, LineSplit split, u32 share, ACC* scratch) {
#pragma unroll
  for (u32 u = 0; u < leaves; ++u) fold_own_columns(sums + u * SUMS_EACH);
  fold_line_shares(sums, leaves, split, share, scratch);
}
#endif
