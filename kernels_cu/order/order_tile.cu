// Part order_tile_shape: how the warps of a group share a tile of order v1. A warp has
// WARP_TILES_EACH consecutive warp tiles.
// Provides: order_tile_shape
// Uses: order_lanes

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#define WARP_TILES_EACH (WARP_TILES / WARPS)
#if WARP_TILES % WARPS != 0
#error "every warp has as many warp tiles"
#endif

// Rows of which a lane holds something, warp tile after warp tile.
#define ROWS_EACH (WARP_TILES_EACH * WARP_TILE_ROWS)

// Part order_tile: a tile of order v1 in registers. A lane has sums and prefixes of its rows, as
// sum_warp_tile makes them.
// Provides: order_tile
// Uses: outputs, order_warp_tile_loads, order_warp_tile_results, order_warp_tile_stores,
//   order_tile_shape, lane_index, warp_index

// Loads the tile from `begin` on. The totals of its warp tiles go to `warp_totals`, where all
// work-items see them after a barrier.
DEVICE void load_tile_sums(Elements input, u64 begin, u64 n, ACC* sums, ACC* prefix,
                           LaneScratch* scratch, ACC* warp_totals) {
#pragma unroll
  for (u32 s = 0; s < WARP_TILES_EACH; ++s) {
    const u32 warp_tile = warp_index() * WARP_TILES_EACH + s;
    ACC* own = sums + s * WARP_TILE_ROWS * RUN;
    load_warp_tile(input, begin + warp_tile * WARP_TILE, n, own);
    const ACC total = sum_warp_tile(own, prefix + s * WARP_TILE_ROWS, scratch);
    if (lane_index() == LANES - 1) warp_totals[warp_tile] = total;
  }
}

// Writes the tile from `begin` on. `before` is its prefix, `after` that of the next tile.
DEVICE void store_tile_sums(Elements input, Outputs output, u64 begin, u64 n, ACC* sums,
                            ACC* prefix, const ACC* warp_totals, ACC before, ACC after,
                            LaneScratch* scratch TOTAL_PARAMETERS) {
#pragma unroll
  for (u32 s = 0; s < WARP_TILES_EACH; ++s) {
    const u32 warp_tile = warp_index() * WARP_TILES_EACH + s;
    const ACC start =
        warp_tile == 0 ? before : COMBINE(before, fold_warp_totals(warp_totals, warp_tile));
    const ACC next = warp_tile == WARP_TILES - 1
                         ? after
                         : COMBINE(before, fold_warp_totals(warp_totals, warp_tile + 1));
    ACC row[WARP_TILE_ROWS];
    ACC earlier[WARP_TILE_ROWS];
    edge_rows(prefix + s * WARP_TILE_ROWS, row, earlier, scratch);
    ACC* own = sums + s * WARP_TILE_ROWS * RUN;
    complete_warp_tile(begin + warp_tile * WARP_TILE, n, own, prefix + s * WARP_TILE_ROWS, row,
                       earlier, start, next TOTAL_ARGUMENTS);
    store_warp_tile(output, 0, begin + warp_tile * WARP_TILE, n, own);
  }
}

// Part order_tile_stores_one: VEC results of a run go to one array as a vector.
// Provides: order_tile_stores
// Uses: outputs, vectors_out, order_warp_tile_stores

DEVICE bool takes_vectors(Outputs output) { return (u64)output % OUT_VECTOR_ALIGNMENT == 0; }
DEVICE void put_vector(Outputs output, u64 i, const ACC* value) {
  store_vector(output + i, result_vector(value));
}

// Part order_tile_stores_more: VEC results of a run go to several arrays, each on its own.
// Provides: order_tile_stores
// Uses: outputs

DEVICE bool takes_vectors(Outputs output) { return true; }
DEVICE void put_vector(Outputs output, u64 i, const ACC* value) {
#pragma unroll
  for (u32 k = 0; k < VEC; ++k) PUT_RESULT(output, i + k, value[k]);
}

// Part order_tile_again: a tile of order v1 whose elements are loaded again, row by row from a
// cache, for their results. It is for GPUs without registers for a warp tile. In between a lane
// keeps the prefixes of its rows.
// Provides: order_tile
// Uses: outputs, order_warp_tile_loads, order_warp_tile_results, order_tile_stores,
//   order_tile_shape, lane_index, warp_index

// The folds of this lane's run, whose first element has index i. Elements from n on are the
// identity, on which no result depends.
DEVICE void fold_run(Elements input, u64 i, u64 n, bool whole, ACC sums[RUN]) {
  if (whole) {
#pragma unroll
    for (u32 p = 0; p < RUN; p += VEC) {
      const ElementVector vector = load_elements(input, i + p);
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) sums[p + k] = lift_element(element_of(vector, k), i + p + k);
    }
  } else {
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      sums[k] = IDENTITY;
      if (i + k < n) sums[k] = lift_element(load_element(input, i + k), i + k);
    }
  }
#pragma unroll
  for (u32 k = 1; k < RUN; ++k) sums[k] = COMBINE(sums[k - 1], sums[k]);
}

// Loads the tile from `begin` on. The totals of its warp tiles go to `warp_totals`, where all
// work-items see them after a barrier. Nothing goes to `unused`.
DEVICE void load_tile_sums(Elements input, u64 begin, u64 n, ACC* unused, ACC* prefix,
                           LaneScratch* scratch, ACC* warp_totals) {
#pragma unroll
  for (u32 s = 0; s < WARP_TILES_EACH; ++s) {
    const u32 warp_tile = warp_index() * WARP_TILES_EACH + s;
    const u64 first = begin + warp_tile * WARP_TILE;
    const bool whole = first + WARP_TILE <= n && vectors_aligned(input);
    ACC total = IDENTITY;
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
      ACC sums[RUN];
      fold_run(input, first + run_index(r), n, whole, sums);
      const ACC row = lane_prefix(sums[RUN - 1], scratch);
      prefix[s * WARP_TILE_ROWS + r] = row;
      total = r == 0 ? row : COMBINE(total, row);
    }
    if (lane_index() == LANES - 1) warp_totals[warp_tile] = total;
  }
}

// Writes this lane's results of a row from element i on.
DEVICE void store_run(Outputs output, u64 i, u64 n, bool whole, const ACC results[RUN]) {
  if (whole) {
#pragma unroll
    for (u32 p = 0; p < RUN; p += VEC) put_vector(output, i + p, results + p);
  } else {
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      if (i + k < n) PUT_RESULT(output, i + k, results[k]);
    }
  }
}

// Writes the tile from `begin` on. `before` is its prefix, `after` that of the next tile. Values
// are those of complete_warp_tile.
DEVICE void store_tile_sums(Elements input, Outputs output, u64 begin, u64 n, ACC* unused,
                            ACC* prefix, const ACC* warp_totals, ACC before, ACC after,
                            LaneScratch* scratch TOTAL_PARAMETERS) {
  const bool out_aligned = takes_vectors(output);
#pragma unroll
  for (u32 s = 0; s < WARP_TILES_EACH; ++s) {
    const u32 warp_tile = warp_index() * WARP_TILES_EACH + s;
    const u64 first = begin + warp_tile * WARP_TILE;
    const bool full = first + WARP_TILE <= n;
    const ACC base =
        warp_tile == 0 ? before : COMBINE(before, fold_warp_totals(warp_totals, warp_tile));
    const ACC end = warp_tile == WARP_TILES - 1
                        ? after
                        : COMBINE(before, fold_warp_totals(warp_totals, warp_tile + 1));
    ACC row[WARP_TILE_ROWS];
    ACC earlier[WARP_TILE_ROWS];
    edge_rows(prefix + s * WARP_TILE_ROWS, row, earlier, scratch);
    ACC start = base;
    ACC rows = IDENTITY;
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
      const u64 i = first + run_index(r);
      rows = r == 0 ? row[0] : COMBINE(rows, row[r]);
      const ACC next_start = r == WARP_TILE_ROWS - 1 ? end : COMBINE(base, rows);
      ACC carry = start;
      if (lane_index() > 0) carry = COMBINE(start, earlier[r]);
      ACC next = COMBINE(start, prefix[s * WARP_TILE_ROWS + r]);
      if (lane_index() == LANES - 1) next = next_start;

      ACC sums[RUN];
      fold_run(input, i, n, full && vectors_aligned(input), sums);
      ACC results[RUN];
      ACC running = carry;
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        const ACC exclusive = running;
        running = next;
        if (k < RUN - 1) running = COMBINE(carry, sums[k]);
        LEAVE_TOTAL(i + k + 1 == n, running);
        results[k] = INCLUSIVE ? running : exclusive;
      }
      PUT_FIRST(r == 0 && i == 0, results[0]);
      store_run(output, i, n, full && out_aligned, results);
      start = next_start;
    }
  }
}
