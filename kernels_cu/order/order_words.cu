// Part order_words: the totals that tiles of a single-pass scan in order v1 read from each other's
// words.
// Provides: order_words
// Uses: elements, tile_words, device_fence

// The fold of `count` elements, by one work-item.
DEVICE ACC fold_alone(Elements input, u64 begin, u32 count) {
  ACC fold = lift_element(load_element(input, begin), begin);
#pragma unroll 1
  for (u32 i = 1; i < count; ++i) {
    const ACC later = lift_element(load_element(input, begin + i), begin + i);
    fold = COMBINE(fold, later);
  }
  return fold;
}

// The total of a full tile, computed by one work-item in the tile's order. If runs are longer than
// in order v1, the order does not matter.
DEVICE ACC reduce_tile_alone(Elements input, u64 begin) {
  if (RUN != ORDER_RUN) return fold_alone(input, begin, TILE);
  ACC tile;
#pragma unroll 1
  for (u32 s = 0; s < WARP_TILES; ++s) {
    ACC warp_tile;
#pragma unroll 1
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
      // Longer than a warp tile's arrays: some compilers give arrays of one type a common place,
      // and would then keep those in memory, too.
      ACC run[ROW_RUNS + 1];
#pragma unroll 1
      for (u32 l = 0; l < ROW_RUNS; ++l) {
        run[l] = fold_alone(input, begin, RUN);
        begin += RUN;
      }
      // The last Kogge-Stone prefix of ROW_RUNS runs is their binary tree.
#pragma unroll 1
      for (u32 width = ROW_RUNS / 2; width > 0; width /= 2) {
#pragma unroll 1
        for (u32 l = 0; l < width; ++l) run[l] = COMBINE(run[2 * l], run[2 * l + 1]);
      }
      warp_tile = r == 0 ? run[0] : COMBINE(warp_tile, run[0]);
    }
    tile = s == 0 ? warp_tile : COMBINE(tile, warp_tile);
  }
  return tile;
}

// Waits for the total of `tile`, which is full, and reduces the tile here if it stays missing. In
// place, the tile's owner may be overwriting it. But the owner publishes before it stores, with a
// fence between. So if the words are still empty afterwards, the elements that were read are the
// input's.
DEVICE ACC await_total(const u64* words, u64 tile, u32 epoch, Elements input) {
  ACC value;
  u32 spins = 0;
  do {
    if (try_read(words, tile, epoch, &value) != STATE_EMPTY) return value;
  } while (++spins < SPIN_LIMIT);
  const ACC total = reduce_tile_alone(input, tile * TILE);
  device_fence();
  return try_read(words, tile, epoch, &value) != STATE_EMPTY ? value : total;
}

// Part published_prefixes: which tile publishes the prefix of the next supertile.
// Provides: published_prefixes

#ifndef PUBLISHED_EVERY
#define PUBLISHED_EVERY 1  // Supertiles from one that publishes the next prefix to the next one.
#endif

// Whether the tile at `position` of `supertile` publishes the prefix of the next supertile.
DEVICE bool publishes_prefix(u64 supertile, u32 position) {
  return position == SUPERTILE_TILES - 1 && (supertile + 1) % PUBLISHED_EVERY == 0;
}
