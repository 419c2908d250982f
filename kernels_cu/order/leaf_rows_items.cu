// Part leaf_rows_items:
// whole rows of leaves, which a work-item takes neighbouring columns of as packs. Loads do
// not wait for one another.
// Provides: leaf_rows
// Uses: columns, elements, element_packs, leaf_shape

#define SUMS PER_ITEM  // Accumulators of a work-item, one for each of its columns.
#define FEW_ROWS (ROWS_AT_ONCE < 8 ? ROWS_AT_ONCE : 8)

// Adds `rows` whole rows, of which the work-item takes every 32nd column from that of `from` on.
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

// Adds the elements of a pack, the first of which is i, but for the first `early`.
DEVICE void add_pack(ACC* sums, ElementPack pack, u64 i, u32 early) {
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    if (k < early) continue;
    sums[k] = COMBINE(sums[k], lift_element(element_of(pack, k % VEC), i + k));
  }
}

// Adds `rows` whole rows by packs, the first of which is at `from`: it may begin before a
// work-item's columns. `early` of its elements are the last columns of the row before, those that
// the first work-item has; of the last row they are loaded alone, as a pack might reach beyond the
// input. `at_once` rows are loaded before the first of them is added.
DEVICE void add_packed_rows(ACC* sums, Elements input, u64 from, u32 rows, u32 early, u32 at_once) {
  const u64 end = from + rows * COLUMNS;
  Element last[PER_ITEM];
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    if (rows > 0 && k < early) last[k] = load_element(input, end + k);
  }
  for (u32 row = 0; row < rows; row += at_once) {
    ElementPack pack[ROWS_AT_ONCE];
#pragma unroll
    for (u32 f = 0; f < ROWS_AT_ONCE; ++f) {
      if (f < at_once && row + f < rows) pack[f] = load_elements(input, from + (row + f) * COLUMNS);
    }
#pragma unroll
    for (u32 f = 0; f < ROWS_AT_ONCE; ++f) {
      if (f >= at_once || row + f >= rows) continue;
      const u64 first = from + (row + f) * COLUMNS;
#pragma unroll
      for (u32 k = 0; k < PER_ITEM; ++k) {
        if (row + f == 0 && k < early) continue;
        const Element element = element_of(pack[f], k % VEC);
        sums[k] = COMBINE(sums[k], lift_element(element, first + k));
      }
    }
  }
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    if (rows > 0 && k < early) {
      sums[k] = COMBINE(sums[k], lift_element(last[k], end + k));
    }
  }
}

// Loads `rows` rows from that of `from` on, a constant wherever it is called.
DEVICE void load_rows(ElementPack* pack, u32 rows, Elements input, u64 from) {
#pragma unroll
  for (u32 f = 0; f < rows; ++f) pack[f] = load_elements(input, from + f * COLUMNS);
}

// Of `rows` rows those that `some`, a power of two, stands for in their number; the larger ones
// come first. `some` is a constant wherever these are called.
DEVICE u64 first_of_some(u32 some, u64 from, u32 rows) {
  return from + rows / (2 * some) * (2 * some) * COLUMNS;
}
DEVICE void load_some(ElementPack* pack, u32 some, Elements input, u64 from, u32 rows) {
  if (some >= ROWS_AT_ONCE || (rows & some) == 0) return;
  load_rows(pack, some, input, first_of_some(some, from, rows));
}
DEVICE void add_some(ACC* sums, const ElementPack* pack, u32 some, u64 from, u32 rows, u32 early) {
  if (some >= ROWS_AT_ONCE || (rows & some) == 0) return;
  const u64 first = first_of_some(some, from, rows);
#pragma unroll
  for (u32 f = 0; f < some; ++f) {
    add_pack(sums, pack[f], first + f * COLUMNS, f == 0 && first == from ? early : 0);
  }
}

// Adds `rows` whole rows by packs, fewer than a leaf has, and the first `rest` elements of the row
// behind them. The work-item has the columns from `column` on, or `off` before: then the first one
// has the last columns of the row before. If each row were asked whether it is there, loads would
// wait for one another.
DEVICE void add_packed_part(ACC* sums, Elements input, u64 from, u32 rows, u32 rest, u32 column,
                            u32 off) {
  const u32 early = column == 0 ? off : 0;
  const u64 end = from + rows * COLUMNS;
  Element last[PER_ITEM];
  Element behind[PER_ITEM];
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    if (k < early ? rows > 0 : column - off + k < rest) last[k] = load_element(input, end + k);
    if (k < early && COLUMNS - off + k < rest) {
      behind[k] = load_element(input, end + COLUMNS + k);
    }
  }
  const u32 turns = ROWS_AT_ONCE < LEAF_ROWS ? rows / ROWS_AT_ONCE : 0;
  for (u32 turn = 0; turn < turns; ++turn) {
    const u64 first = from + turn * (ROWS_AT_ONCE * COLUMNS);
    ElementPack pack[ROWS_AT_ONCE];
    load_rows(pack, ROWS_AT_ONCE, input, first);
#pragma unroll
    for (u32 f = 0; f < ROWS_AT_ONCE; ++f) {
      add_pack(sums, pack[f], first + f * COLUMNS, f == 0 && turn == 0 ? early : 0);
    }
  }
  ElementPack pack[31];
  load_some(pack, 16, input, from, rows);
  load_some(pack + 16, 8, input, from, rows);
  load_some(pack + 24, 4, input, from, rows);
  load_some(pack + 28, 2, input, from, rows);
  load_some(pack + 30, 1, input, from, rows);
  add_some(sums, pack, 16, from, rows, early);
  add_some(sums, pack + 16, 8, from, rows, early);
  add_some(sums, pack + 24, 4, from, rows, early);
  add_some(sums, pack + 28, 2, from, rows, early);
  add_some(sums, pack + 30, 1, from, rows, early);
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    if (k < early ? rows > 0 : column - off + k < rest) {
      sums[k] = COMBINE(sums[k], lift_element(last[k], end + k));
    }
    if (k < early && COLUMNS - off + k < rest) {
      sums[k] = COMBINE(sums[k], lift_element(behind[k], end + COLUMNS + k));
    }
  }
}

// Gives work-items their columns, which all have `off` too early: of the first `off` sums those of
// the next work-item, and then each comes so many places forward. Values chosen by an index would
// be kept in memory from OpenCL.
DEVICE void shift_columns(ACC* sums, u32 item, u32 off) {
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) sums[k] = value_of_item(sums[k], (item + (k < off)) % 32);
#pragma unroll
  for (u32 step = 1; step < SUMS; step *= 2) {
    if ((off & step) == 0) continue;
    ACC turned[SUMS];
#pragma unroll
    for (u32 k = 0; k < SUMS; ++k) turned[k] = sums[(k + step) % SUMS];
#pragma unroll
    for (u32 k = 0; k < SUMS; ++k) sums[k] = turned[k];
  }
}

// Adds the first `left` elements of a row, fewer than it has.
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

// Adds the leaf from `begin` on, or what there is of it. Whether a work-item has neighbouring
// columns: where they can be loaded as a pack, if `off` columns early; else it has every 32nd.
DEVICE bool add_leaf(ACC* sums, Elements input, u64 n, u64 begin) {
  const u32 item = threadIdx.x % 32;
  const bool shifts = SUMS == VEC && PACKS_EVERYWHERE ? SHIFTS_COLUMNS : false;
  const u32 off = shifts ? pack_offset(input) : 0;
  const bool packed = VEC == PER_ITEM && (shifts || packs_aligned(input));
  const u32 first = packed ? item * PER_ITEM : item;
  const u32 apart = packed ? 1 : 32;
  const u32 left = begin >= n ? 0 : n - begin < LEAF ? (u32)(n - begin) : LEAF;
  const bool whole = left == LEAF;
  const u32 early = item == 0 ? off : 0;
  // Where whole leaves begin early, only a few rows are on their way at once: all took twice as
  // long. So are those of a part of a leaf where no time is to be gained.
  if (off > 0 && whole) {
    add_packed_rows(sums, input, begin + first - off, LEAF_ROWS, early, FEW_ROWS);
  } else if (packed && whole) {
    add_packed_rows(sums, input, begin + first, LEAF_ROWS, 0, ROWS_AT_ONCE);
  } else if (PARTS_AT_ONCE && off > 0) {
    add_packed_part(sums, input, begin + first - off, left / COLUMNS, left % COLUMNS, first, off);
  } else if (PARTS_AT_ONCE && packed) {
    add_packed_part(sums, input, begin + first, left / COLUMNS, left % COLUMNS, first, 0);
  } else if (off > 0) {
    add_packed_rows(sums, input, begin + first - off, left / COLUMNS, early, FEW_ROWS);
  } else if (packed) {
    add_packed_rows(sums, input, begin + first, left / COLUMNS, 0, FEW_ROWS);
  } else {
    add_rows(sums, input, begin + first, left / COLUMNS);
  }
  if (left % COLUMNS > 0 && !(packed && PARTS_AT_ONCE)) {
    add_part_of_row(sums, input, begin + left / COLUMNS * COLUMNS, left % COLUMNS,
                    first + COLUMNS - off, apart);
  }
  if (off > 0) shift_columns(sums, item, off);
  return packed;
}

// Adds a leaf, or what there is of it, for each lane group.
DEVICE bool add_leaves(ACC* sums, Elements input, u64 n, u64 subtree) {
  return add_leaf(sums, input, n, subtree * NODE_ELEMENTS + threadIdx.x / 32 * LEAF);
}

#if LEAVES_EACH == 2
// Half of the rows at once are on their way while the others are added.
#define ROWS_AHEAD (ROWS_AT_ONCE / 2)
#if ROWS_AHEAD == 0
#error "rows at once in two halves"
#endif

// Adds a whole leaf by packs. Its first ROWS_AHEAD rows are in `pack`, on their way; in the end
// those from `next` on are, if `goes_on`.
DEVICE void add_rows_ahead(ACC* sums, Elements input, ElementPack pack[ROWS_AHEAD], u64 from,
                           bool goes_on, u64 next) {
#pragma unroll
  for (u32 row = 0; row < LEAF_ROWS; row += ROWS_AHEAD) {
    ElementPack ahead[ROWS_AHEAD];
    const bool last = row + ROWS_AHEAD == LEAF_ROWS;
    const bool loads = last ? goes_on : true;
    if (loads)
      load_rows(ahead, ROWS_AHEAD, input, last ? next : from + (row + ROWS_AHEAD) * COLUMNS);
#pragma unroll
    for (u32 f = 0; f < ROWS_AHEAD; ++f) {
      add_pack(sums, pack[f], from + (row + f) * COLUMNS, 0);
      if (loads) pack[f] = ahead[f];
    }
  }
}

// Adds two leaves, the first from `begin` on, if they are whole and begin where packs do: loads of
// narrow elements go on from row to row and from leaf to leaf. Whether they are added.
DEVICE bool add_leaf_pair(ACC* sums, ACC* later, Elements input, u64 n, u64 begin) {
  if (VEC != PER_ITEM || !packs_aligned(input) || begin + 2 * LEAF > n) return false;
  const u64 first = begin + threadIdx.x % 32 * PER_ITEM;
  ElementPack pack[ROWS_AHEAD];
  load_rows(pack, ROWS_AHEAD, input, first);
  add_rows_ahead(sums, input, pack, first, true, first + LEAF);
  add_rows_ahead(later, input, pack, first + LEAF, false, 0);
  return true;
}
#endif
