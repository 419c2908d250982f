// Prelude: the totals of leaves. 32 work-items take a leaf each.

// Adds `rows` whole rows, of which the work-item takes every 32nd column from that of `from` on.
DEVICE void add_rows(ACC* sums, Elements input, u64 from, u32 rows) {
  for (u32 row = 0; row < rows; row += APART_UNROLL) {
    Element items[APART_UNROLL][PER_ITEM];
#pragma unroll
    for (u32 f = 0; f < APART_UNROLL; ++f) {
#pragma unroll
      for (u32 k = 0; k < PER_ITEM; ++k) {
        if (row + f < rows) {
          items[f][k] = load_element(input, from + (row + f) * COLUMNS + k * 32);
        }
      }
    }
#pragma unroll
    for (u32 f = 0; f < APART_UNROLL; ++f) {
      if (row + f >= rows) continue;
#pragma unroll
      for (u32 k = 0; k < PER_ITEM; ++k) {
        const u64 i = from + (row + f) * COLUMNS + k * 32;
        sums[k % SUMS] = COMBINE(sums[k % SUMS], lift_element(items[f][k], i));
      }
    }
  }
}

// Gives work-items their columns, which all have `off` too early.
DEVICE void shift_columns(ACC* sums, u32 item, u32 off) {
  ACC early[SUMS];
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) early[k] = sums[k];
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) {
    ACC own = early[k];
#pragma unroll
    for (u32 s = 1; s < SUMS; ++s) {
      if (s == off) own = early[(k + s) % SUMS];
    }
    sums[k] = value_of_item(own, (item + (k + off) / SUMS) % 32);
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

// The columns of a work-item by halving; the first one has the result.
DEVICE void fold_columns(ACC* sums) {
#pragma unroll
  for (u32 width = SUMS / 2; width > 0; width /= 2) {
#pragma unroll
    for (u32 k = 0; k < width; ++k) sums[k] = COMBINE(sums[k], sums[k + width]);
  }
}

// What a group needs in local memory.
typedef struct {
  FoldScratch fold;
  TreeScratch tree;
} LeafScratch;

// The total of the group's leaves, those of subtree `subtree`; the first work-item has it. A column
// is added in row order, the columns fold by halving, and a binary tree combines the leaves.
DEVICE ACC total_leaves(Elements input, u64 n, u64 subtree, __local LeafScratch* scratch) {
  const u32 item = (u32)get_local_id(0) % 32;
  const u32 team = (u32)get_local_id(0) / 32;
  const u64 begin = subtree * NODE_ELEMENTS + team * (LEAF_ROWS * COLUMNS);
  ACC sums[SUMS];
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) sums[k] = IDENTITY;
  const EdgeElement edge = take_edges(&input, &n, subtree);
  // Neighbouring columns where they can be loaded as a pack, if `off` columns early; else every
  // 32nd.
  const bool shifts = SUMS == VEC && PACKS_EVERYWHERE ? SHIFTS_COLUMNS : false;
  const u32 off = shifts ? pack_offset(input) : 0;
  const bool packed = VEC == PER_ITEM && (WHOLE_PACKS || shifts || packs_aligned(input));
  const u32 first = packed ? item * PER_ITEM : item;
  const u32 apart = packed ? 1 : 32;

  const u32 left = begin >= n                        ? 0
                   : n - begin < LEAF_ROWS * COLUMNS ? (u32)(n - begin)
                                                     : LEAF_ROWS * COLUMNS;
  const bool whole = left == LEAF_ROWS * COLUMNS;
  const u32 early = item == 0 ? off : 0;
  if (off > 0 && whole) {
    add_shifted_rows(sums, input, begin + first - off, LEAF_ROWS, early);
  } else if (off > 0) {
    add_shifted_rows(sums, input, begin + first - off, left / COLUMNS, early);
  } else if (packed && whole) {
    add_packed_leaf(sums, input, begin + first);
  } else if (packed) {
    const u32 part = WHOLE_PACKS && first < left % COLUMNS ? 1 : 0;
    add_packed_rows(sums, input, begin + first, left / COLUMNS + part);
  } else {
    add_rows(sums, input, begin + first, left / COLUMNS);
  }
  if (!WHOLE_PACKS && left % COLUMNS > 0) {
    add_part_of_row(sums, input, begin + left / COLUMNS * COLUMNS, left % COLUMNS,
                    first + COLUMNS - off, apart);
  }
  if (off > 0) shift_columns(sums, item, off);
  add_edge(sums, edge);

  // Columns fold by halving: first those of different work-items, or, where these have every 32nd,
  // first those of one. Every work-item takes part in every exchange, as compilers for CPUs lose
  // their way where barriers depend on something.
  if (!packed) fold_columns(sums);
#pragma unroll
  for (u32 k = 0; k < SUMS; ++k) {
    const ACC folded = fold_items(sums[k], &scratch->fold);
    if (packed || k == 0) sums[k] = folded;
  }
  if (packed) fold_columns(sums);
  return combine_teams(sums[0], &scratch->tree);
}
