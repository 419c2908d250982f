// Prelude: whole rows of leaves, which a work-item takes neighbouring columns of as packs. Loads do
// not wait for one another.

#define SUMS PER_ITEM  // Accumulators of a work-item, one for each of its columns.
#define WHOLE_PACKS 0

// Leaves begin with the first element: where others do, others are added to each other.
typedef u32 EdgeElement;
DEVICE EdgeElement take_edges(Elements* input, u64* n, u64 subtree) { return 0; }
DEVICE void add_edge(ACC* sums, EdgeElement edge) {}

// Adds `rows` whole rows by packs that begin before a work-item's columns, at `from`. `early` of
// them are the last columns of the row before: those that the first work-item has. Of the last row
// they are loaded alone, as a pack might reach beyond the input.
DEVICE void add_shifted_rows(ACC* sums, Elements input, u64 from, u32 rows, u32 early) {
  const u64 end = from + rows * COLUMNS;
  Element last[PER_ITEM];
#pragma unroll
  for (u32 k = 0; k < PER_ITEM; ++k) {
    if (rows > 0 && k < early) last[k] = load_element(input, end + k);
  }
  for (u32 row = 0; row < rows; row += UNROLL) {
    ElementPack pack[UNROLL];
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) {
      if (row + f < rows) pack[f] = load_elements(input, from + (row + f) * COLUMNS);
    }
#pragma unroll
    for (u32 f = 0; f < UNROLL; ++f) {
      if (row + f >= rows) continue;
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

// Adds `rows` rows from element `from` of the input on, column by column.
DEVICE void add_packed_rows(ACC* sums, Elements input, u64 from, u32 rows) {
  add_shifted_rows(sums, input, from, rows, 0);
}

DEVICE void add_packed_leaf(ACC* sums, Elements input, u64 from) {
  add_packed_rows(sums, input, from, LEAF_ROWS);
}
