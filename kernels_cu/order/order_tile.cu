// Part order_tile_shape: how lane groups share a tile of order v1.
// A lane group owns STRIPS_EACH consecutive strips of it.
// Provides: order_tile_shape
// Uses: order_lanes

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif
#define STRIPS_EACH (TILE_STRIPS / LANE_GROUPS)
#if TILE_STRIPS % LANE_GROUPS != 0
#error "every lane group has as many strips"
#endif

// Rows of which a lane holds something, strip after strip.
#define ROWS_EACH (STRIPS_EACH * STRIP_ROWS)

// Part order_tile: a tile of order v1 in registers: of its rows a lane holds sums and prefixes, as
// sum_strip leaves them.
// Provides: order_tile
// Uses: order_strip_loads, order_strip_results, order_tile_shape

// Loads the tile from `begin` on; the totals of its strips go to strips, where all see them behind
// a barrier.
DEVICE void load_tile_sums(Elements input, u64 begin, u64 n, ACC* sums, ACC* prefix,
                           LaneScratch* scratch, ACC* strips) {
#pragma unroll
  for (u32 s = 0; s < STRIPS_EACH; ++s) {
    const u32 strip = lane_group() * STRIPS_EACH + s;
    ACC* own = sums + s * STRIP_ROWS * RUN;
    load_strip(input, begin + strip * STRIP, n, own);
    const ACC total = sum_strip(own, prefix + s * STRIP_ROWS, scratch);
    if (lane_index() == LANES - 1) strips[strip] = total;
  }
}

// Writes the tile from `begin` on: `before` is everything before it, `after` everything before the
// next one.
DEVICE void store_tile_sums(Elements input, OUT* output, u64 begin, u64 n, ACC* sums, ACC* prefix,
                            const ACC* strips, ACC before, ACC after,
                            LaneScratch* scratch TOTAL_PARAMETERS) {
#pragma unroll
  for (u32 s = 0; s < STRIPS_EACH; ++s) {
    const u32 strip = lane_group() * STRIPS_EACH + s;
    const ACC start = strip == 0 ? before : COMBINE(before, fold_strips(strips, strip));
    const ACC next =
        strip == TILE_STRIPS - 1 ? after : COMBINE(before, fold_strips(strips, strip + 1));
    ACC row[STRIP_ROWS];
    ACC earlier[STRIP_ROWS];
    edge_rows(prefix + s * STRIP_ROWS, row, earlier, scratch);
    ACC* own = sums + s * STRIP_ROWS * RUN;
    complete_strip(begin + strip * STRIP, n, own, prefix + s * STRIP_ROWS, row, earlier, start,
                   next TOTAL_ARGUMENTS);
    store_strip(output, 0, begin + strip * STRIP, n, own);
  }
}

// Part order_tile_again:
// a tile of order v1 whose elements are loaded once more for their results, row by row,
// from a cache: for GPUs that have no registers for a strip. In between a lane keeps the prefixes
// of its rows.
// Provides: order_tile
// Uses: order_strip_loads, order_strip_results, order_tile_shape

// The folds of this lane's run of the row that element i begins; elements from n on are the
// identity, on which no result depends.
DEVICE void fold_run(Elements input, u64 i, u64 n, bool whole, ACC sums[RUN]) {
  if (whole) {
#pragma unroll
    for (u32 p = 0; p < RUN; p += VEC) {
      const ElementPack pack = load_elements(input, i + p);
#pragma unroll
      for (u32 k = 0; k < VEC; ++k) sums[p + k] = lift_element(element_of(pack, k), i + p + k);
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

// Loads the tile from `begin` on; the totals of its strips go to strips, where all see them behind
// a barrier. Nothing goes to `unused`.
DEVICE void load_tile_sums(Elements input, u64 begin, u64 n, ACC* unused, ACC* prefix,
                           LaneScratch* scratch, ACC* strips) {
#pragma unroll
  for (u32 s = 0; s < STRIPS_EACH; ++s) {
    const u32 strip = lane_group() * STRIPS_EACH + s;
    const u64 first = begin + strip * STRIP;
    const bool whole = first + STRIP <= n && packs_aligned(input);
    ACC total = IDENTITY;
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
      ACC sums[RUN];
      fold_run(input, first + run_index(r), n, whole, sums);
      const ACC row = lane_prefix(sums[RUN - 1], scratch);
      prefix[s * STRIP_ROWS + r] = row;
      total = r == 0 ? row : COMBINE(total, row);
    }
    if (lane_index() == LANES - 1) strips[strip] = total;
  }
}

// Writes this lane's results of a row from element i on.
DEVICE void store_run(OUT* output, u64 i, u64 n, bool whole, const ACC results[RUN]) {
  if (whole) {
#pragma unroll
    for (u32 p = 0; p < RUN; p += VEC) store_pack(output + i + p, pack_results(results + p));
  } else {
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      if (i + k < n) output[i + k] = TO_OUT(results[k]);
    }
  }
}

// Writes the tile from `begin` on: `before` is everything before it, `after` everything before the
// next one. Values are those of complete_strip.
DEVICE void store_tile_sums(Elements input, OUT* output, u64 begin, u64 n, ACC* unused, ACC* prefix,
                            const ACC* strips, ACC before, ACC after,
                            LaneScratch* scratch TOTAL_PARAMETERS) {
  const bool packs_out = (u64)output % OUT_PACK_ALIGNMENT == 0;
#pragma unroll
  for (u32 s = 0; s < STRIPS_EACH; ++s) {
    const u32 strip = lane_group() * STRIPS_EACH + s;
    const u64 first = begin + strip * STRIP;
    const bool full = first + STRIP <= n;
    const ACC base = strip == 0 ? before : COMBINE(before, fold_strips(strips, strip));
    const ACC end =
        strip == TILE_STRIPS - 1 ? after : COMBINE(before, fold_strips(strips, strip + 1));
    ACC row[STRIP_ROWS];
    ACC earlier[STRIP_ROWS];
    edge_rows(prefix + s * STRIP_ROWS, row, earlier, scratch);
    ACC start = base;
    ACC rows = IDENTITY;
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
      const u64 i = first + run_index(r);
      rows = r == 0 ? row[0] : COMBINE(rows, row[r]);
      const ACC next_start = r == STRIP_ROWS - 1 ? end : COMBINE(base, rows);
      ACC carry = start;
      if (lane_index() > 0) carry = COMBINE(start, earlier[r]);
      ACC next = COMBINE(start, prefix[s * STRIP_ROWS + r]);
      if (lane_index() == LANES - 1) next = next_start;

      ACC sums[RUN];
      fold_run(input, i, n, full && packs_aligned(input), sums);
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
      store_run(output, i, n, full && packs_out, results);
      start = next_start;
    }
  }
}
