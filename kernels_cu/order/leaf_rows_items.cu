// Part leaf_rows_items: rows of leaves, element by element. A work-item takes neighbouring columns,
// which it loads as vectors. Loads do not wait for one another.
// Provides: leaf_rows
// Uses: columns, elements, element_vectors, leaf_shape, column_values

#define SUMS PER_ITEM  // Accumulators of a work-item, one for each of its columns.
#define FEW_ROWS (ROWS_AT_ONCE < 8 ? ROWS_AT_ONCE : 8)

// Adds `rows` whole rows. The work-item takes every 32nd column, the first one at `from`.
DEVICE void add_rows(ACC* sums, Elements input, u64 from, u32 rows) {
  for (u32 row = 0; row < rows; row += ROWS_APART) {
    Element items[ROWS_APART][PER_ITEM];
#pragma unroll
    for (u32 f = 0; f < ROWS_APART; ++f) {
#pragma unroll
      for (u32 k = 0; k < PER_ITEM; ++k) {
        if (row + f < rows) {
          items[f][k] = load_element(input, from + (row + f) * COLUMNS + k * 32);
        }
      }
    }
#pragma unroll
    for (u32 f = 0; f < ROWS_APART; ++f) {
      if (row + f >= rows) continue;
#pragma unroll
      for (u32 k = 0; k < PER_ITEM; ++k) {
        const u64 i = from + (row + f) * COLUMNS + k * 32;
        sums[k % SUMS] = COMBINE(sums[k % SUMS], lift_element(items[f][k], i));
      }
    }
  }
}

// Adds the elements of a vector except the first `preceding`. The first element has index i.
DEVICE void add_vector(ACC* sums, ElementVector vector, u64 i, u32 preceding) {
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    if (k < preceding) continue;
    sums[k] = COMBINE(sums[k], lift_element(element_of(vector, k % VEC), i + k));
  }
}

// Adds `rows` whole rows by vectors. The first vector is at `from`, which may lie before the
// work-item's columns. Then its first `preceding` elements are the last columns of the row before,
// which the first work-item has. For the last row those are loaded singly, as a vector might reach
// beyond the input. `at_once` rows are loaded before the first one is added.
DEVICE void add_vector_rows(ACC* sums, Elements input, u64 from, u32 rows, u32 preceding,
                            u32 at_once) {
  const u64 end = from + rows * COLUMNS;
  Element last[PER_ITEM];
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    if (rows > 0 && k < preceding) last[k] = load_element(input, end + k);
  }
  for (u32 row = 0; row < rows; row += at_once) {
    ElementVector vector[ROWS_AT_ONCE];
#pragma unroll
    for (u32 f = 0; f < ROWS_AT_ONCE; ++f) {
      if (f < at_once && row + f < rows)
        vector[f] = load_elements(input, from + (row + f) * COLUMNS);
    }
#pragma unroll
    for (u32 f = 0; f < ROWS_AT_ONCE; ++f) {
      if (f >= at_once || row + f >= rows) continue;
      const u64 first = from + (row + f) * COLUMNS;
#pragma unroll
      for (u32 k = 0; k < PER_ITEM; ++k) {
        if (row + f == 0 && k < preceding) continue;
        const Element element = element_of(vector[f], k % VEC);
        sums[k] = COMBINE(sums[k], lift_element(element, first + k));
      }
    }
  }
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    if (rows > 0 && k < preceding) {
      sums[k] = COMBINE(sums[k], lift_element(last[k], end + k));
    }
  }
}

// Loads `rows` rows from `from` on. `rows` is a constant in every call.
DEVICE void load_rows(ElementVector* vector, u32 rows, Elements input, u64 from) {
#pragma unroll
  for (u32 f = 0; f < rows; ++f) vector[f] = load_elements(input, from + f * COLUMNS);
}

// `some` is a power of two and a constant in every call: these functions handle `some` rows if that
// bit is set in `rows`. Larger powers come first.
DEVICE u64 first_of_some(u32 some, u64 from, u32 rows) {
  return from + rows / (2 * some) * (2 * some) * COLUMNS;
}
DEVICE void load_some(ElementVector* vector, u32 some, Elements input, u64 from, u32 rows) {
  if (some >= ROWS_AT_ONCE || (rows & some) == 0) return;
  load_rows(vector, some, input, first_of_some(some, from, rows));
}
DEVICE void add_some(ACC* sums, const ElementVector* vector, u32 some, u64 from, u32 rows,
                     u32 preceding) {
  if (some >= ROWS_AT_ONCE || (rows & some) == 0) return;
  const u64 first = first_of_some(some, from, rows);
#pragma unroll
  for (u32 f = 0; f < some; ++f) {
    add_vector(sums, vector[f], first + f * COLUMNS, f == 0 && first == from ? preceding : 0);
  }
}

// Adds `rows` whole rows by vectors, fewer than a leaf has, and the first `rest` elements of the
// next row. The work-item has the columns from `column` on, or from `misalignment` columns before:
// then the first work-item has the last columns of the row before. If each row were checked, loads
// would wait for one another.
DEVICE void add_vector_part(ACC* sums, Elements input, u64 from, u32 rows, u32 rest, u32 column,
                            u32 misalignment) {
  const u32 preceding = column == 0 ? misalignment : 0;
  const u64 end = from + rows * COLUMNS;
  Element last[PER_ITEM];
  Element behind[PER_ITEM];
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    if (k < preceding ? rows > 0 : column - misalignment + k < rest)
      last[k] = load_element(input, end + k);
    if (k < preceding && COLUMNS - misalignment + k < rest) {
      behind[k] = load_element(input, end + COLUMNS + k);
    }
  }
  const u32 turns = ROWS_AT_ONCE < LEAF_ROWS ? rows / ROWS_AT_ONCE : 0;
  for (u32 turn = 0; turn < turns; ++turn) {
    const u64 first = from + turn * (ROWS_AT_ONCE * COLUMNS);
    ElementVector vector[ROWS_AT_ONCE];
    load_rows(vector, ROWS_AT_ONCE, input, first);
#pragma unroll
    for (u32 f = 0; f < ROWS_AT_ONCE; ++f) {
      add_vector(sums, vector[f], first + f * COLUMNS, f == 0 && turn == 0 ? preceding : 0);
    }
  }
  ElementVector vector[31];
  load_some(vector, 16, input, from, rows);
  load_some(vector + 16, 8, input, from, rows);
  load_some(vector + 24, 4, input, from, rows);
  load_some(vector + 28, 2, input, from, rows);
  load_some(vector + 30, 1, input, from, rows);
  add_some(sums, vector, 16, from, rows, preceding);
  add_some(sums, vector + 16, 8, from, rows, preceding);
  add_some(sums, vector + 24, 4, from, rows, preceding);
  add_some(sums, vector + 28, 2, from, rows, preceding);
  add_some(sums, vector + 30, 1, from, rows, preceding);
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    if (k < preceding ? rows > 0 : column - misalignment + k < rest) {
      sums[k] = COMBINE(sums[k], lift_element(last[k], end + k));
    }
    if (k < preceding && COLUMNS - misalignment + k < rest) {
      sums[k] = COMBINE(sums[k], lift_element(behind[k], end + COLUMNS + k));
    }
  }
}

// Gives work-items their own columns where all began `misalignment` columns before. The first
// `misalignment` sums come from the next work-item, and then all sums are rotated. In OpenCL,
// values chosen by an index would be kept in memory.
DEVICE void shift_columns(ACC* sums, u32 item, u32 misalignment) {
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) sums[k] = value_of_item(sums[k], (item + (k < misalignment)) % 32);
#pragma unroll
  for (u32 step = 1; step < SUMS; step *= 2) {
    if ((misalignment & step) == 0) continue;
    ACC turned[SUMS];
#pragma unroll
    for (u32 k = 0; k < SUMS; ++k) turned[k] = sums[(k + step) % SUMS];
#pragma unroll
    for (u32 k = 0; k < SUMS; ++k) sums[k] = turned[k];
  }
}

// Adds the first `left` elements of a row that is not whole.
DEVICE void add_part_of_row(ACC* sums, Elements input, u64 row, u32 left, u32 first, u32 apart) {
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    const u32 i = (first + k * apart) % COLUMNS;
    if (i < left) {
      const Element element = load_element(input, row + i);
      sums[k % SUMS] = COMBINE(sums[k % SUMS], lift_element(element, row + i));
    }
  }
}

// Adds the leaf from `begin` on, as far as it exists. Returns whether the work-item has
// neighbouring columns, which is so if they can be loaded as vectors, possibly from a misaligned
// array. Otherwise it has every 32nd column.
DEVICE bool add_leaf(ACC* sums, Elements input, u64 n, u64 begin) {
  const u32 item = threadIdx.x % 32;
  const bool shifts = SUMS == VEC && VECTORS_EVERYWHERE ? SHIFTS_COLUMNS : false;
  const u32 misalignment = shifts ? vector_misalignment(input) : 0;
  const bool by_vectors = VEC == PER_ITEM && (shifts || vectors_aligned(input));
  const u32 first = by_vectors ? item * PER_ITEM : item;
  const u32 apart = by_vectors ? 1 : 32;
  const u32 left = begin >= n ? 0 : n - begin < LEAF ? (u32)(n - begin) : LEAF;
  const bool whole = left == LEAF;
  const u32 preceding = item == 0 ? misalignment : 0;
  // In whole leaves of a misaligned array only a few rows are loaded at once: all of them took
  // twice as long. The same holds for partial leaves where no time is to be gained.
  if (misalignment > 0 && whole) {
    add_vector_rows(sums, input, begin + first - misalignment, LEAF_ROWS, preceding, FEW_ROWS);
  } else if (by_vectors && whole) {
    add_vector_rows(sums, input, begin + first, LEAF_ROWS, 0, ROWS_AT_ONCE);
  } else if (PARTS_AT_ONCE && misalignment > 0) {
    add_vector_part(sums, input, begin + first - misalignment, left / COLUMNS, left % COLUMNS,
                    first, misalignment);
  } else if (PARTS_AT_ONCE && by_vectors) {
    add_vector_part(sums, input, begin + first, left / COLUMNS, left % COLUMNS, first, 0);
  } else if (misalignment > 0) {
    add_vector_rows(sums, input, begin + first - misalignment, left / COLUMNS, preceding, FEW_ROWS);
  } else if (by_vectors) {
    add_vector_rows(sums, input, begin + first, left / COLUMNS, 0, FEW_ROWS);
  } else {
    add_rows(sums, input, begin + first, left / COLUMNS);
  }
  if (left % COLUMNS > 0 && !(by_vectors && PARTS_AT_ONCE)) {
    add_part_of_row(sums, input, begin + left / COLUMNS * COLUMNS, left % COLUMNS,
                    first + COLUMNS - misalignment, apart);
  }
  if (misalignment > 0) shift_columns(sums, item, misalignment);
  return by_vectors;
}

// Adds a leaf, as far as it exists, for each warp.
DEVICE bool add_leaves(ACC* sums, Elements input, u64 n, u64 subtree) {
  return add_leaf(sums, input, n, subtree * NODE_ELEMENTS + threadIdx.x / 32 * LEAF);
}

#if LEAVES_EACH == 2
// Half of ROWS_AT_ONCE rows are loaded while the others are added.
#define ROWS_AHEAD (ROWS_AT_ONCE / 2)
#if ROWS_AHEAD == 0
#error "rows at once in two halves"
#endif

// Adds a whole leaf by vectors. The loads of its first ROWS_AHEAD rows were started into `vector`.
// If it `goes_on`, the loads of those from `next` on are started in the end.
DEVICE void add_rows_ahead(ACC* sums, Elements input, ElementVector vector[ROWS_AHEAD], u64 from,
                           bool goes_on, u64 next) {
#pragma unroll
  for (u32 row = 0; row < LEAF_ROWS; row += ROWS_AHEAD) {
    ElementVector ahead[ROWS_AHEAD];
    const bool last = row + ROWS_AHEAD == LEAF_ROWS;
    const bool loads = last ? goes_on : true;
    if (loads)
      load_rows(ahead, ROWS_AHEAD, input, last ? next : from + (row + ROWS_AHEAD) * COLUMNS);
#pragma unroll
    for (u32 f = 0; f < ROWS_AHEAD; ++f) {
      add_vector(sums, vector[f], from + (row + f) * COLUMNS, 0);
      if (loads) vector[f] = ahead[f];
    }
  }
}

// Adds two leaves, the first from `begin` on, if both are whole and the array is aligned. Loads of
// narrow elements continue from row to row and from leaf to leaf. Returns whether they were added.
DEVICE bool add_leaf_pair(ACC* sums, ACC* later, Elements input, u64 n, u64 begin) {
  if (VEC != PER_ITEM || !vectors_aligned(input) || begin + 2 * LEAF > n) return false;
  const u64 first = begin + threadIdx.x % 32 * PER_ITEM;
  ElementVector vector[ROWS_AHEAD];
  load_rows(vector, ROWS_AHEAD, input, first);
  add_rows_ahead(sums, input, vector, first, true, first + LEAF);
  add_rows_ahead(later, input, vector, first + LEAF, false, 0);
  return true;
}
#endif
