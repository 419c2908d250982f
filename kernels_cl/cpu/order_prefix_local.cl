// Part order_prefix_local: prefixes of tiles' totals in order v1, computed by one work-item.
// Provides: order_prefix_local

// The Kogge-Stone prefix of `count` tiles' totals, in place.
DEVICE void prefix_totals(ACC* total, u32 count) {
  for (u32 distance = 1; distance < count; distance *= 2) {
    for (u32 t = count - 1; t >= distance; --t) total[t] = COMBINE(total[t - distance], total[t]);
  }
}

// Part order_supertiles_local: the prefix of a supertile of a single-pass scan in order v1,
// computed by one work-item.
// Provides: order_supertiles_local
// Uses: elements, tile_words, order_words, order_prefix_local

// Starts from the nearest published prefix and folds the supertiles between.
DEVICE ACC await_supertiles(const __global u64* words, const __global u64* supertile_words,
                            u64 supertile, u32 epoch, Elements input, ACC init) {
  ACC totals[SUPERTILE_TILES];
  ACC before_supertile = init;
  u64 known = supertile;
  while (known > 0 && try_read(supertile_words, known, epoch, &before_supertile) == STATE_EMPTY)
    --known;
  if (known == 0) before_supertile = init;
  for (u64 next = known; next < supertile; ++next) {
    for (u32 t = 0; t < SUPERTILE_TILES; ++t) {
      totals[t] = await_total(words, next * SUPERTILE_TILES + t, epoch, input);
    }
    prefix_totals(totals, SUPERTILE_TILES);
    before_supertile = COMBINE(before_supertile, totals[SUPERTILE_TILES - 1]);
  }
  return before_supertile;
}
