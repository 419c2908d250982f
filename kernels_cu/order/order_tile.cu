// Prelude: a tile of order v1 in registers: of its rows a lane holds sums and prefixes, as
// sum_strip leaves them.

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
