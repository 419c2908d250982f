// Part scan_order_drawn: Single-pass scan in order v1 for CPUs, one work-item per group. It draws a
// few tiles at a time, publishes their totals, waits for those of earlier tiles, and scans its
// tiles while the cache still has them. As in scan_order, waiting is bounded, and a missing tile is
// reduced by the work-item that needs it.
// Cost: loads each element once where the folds of tiles are kept, otherwise a second time from the
// cache, and writes it once; one launch; no barrier.
// Assumes 64-bit words visible to other running groups.
// Source: bifold; look-back as in Merrill & Garland 2016.
// Provides: scan_order_drawn
// Uses: words, count, init, total, elements, tile_scan, atomics, tile_words, order_words,
//   order_prefix_local, order_supertiles_local, element_start, device_fence, published_prefixes

typedef char drawn_in_one_supertile[SUPERTILE_TILES % DRAWN_TILES == 0 ? 1 : -1];

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scan_order_drawn(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global OUT* output, INIT_PARAMETERS,
    __global u64* control, ScanPlaces places TOTAL_PARAMETERS) {
  const Elements input = INPUT;
  const u64 n = COUNT;
  const ACC init = INIT;
  output += places.output;
  control += places.control;
  __global u64* words = control + 2;
  __global u64* supertile_words = words + places.tiles * ACC_WORDS;

  u64 drawn = add_word(control, 1);
  const u32 epoch = epoch_of(drawn);
  for (u64 first; (first = (u64)ticket_of(drawn) * DRAWN_TILES) * TILE < n;
       drawn = add_word(control, 1)) {
    const u64 supertile = first / SUPERTILE_TILES;
    const u32 position = (u32)(first % SUPERTILE_TILES);
    const u64 elements = n - first * TILE;
    const u32 full = elements < DRAWN_TILES * TILE ? (u32)(elements / TILE) : DRAWN_TILES;
    const u32 count = full < DRAWN_TILES && elements > full * TILE ? full + 1 : full;
    ACC totals[SUPERTILE_TILES];
    KeptTile kept[DRAWN_TILES];

    // --- Publish the totals of the tiles; nobody asks for that of one that is not full ---
    for (u32 t = 0; t < count; ++t) {
      totals[position + t] = fold_tile(input, (first + t) * TILE, n, &kept[t]);
      if (t < full) publish(words, first + t, epoch, STATE_AGGREGATE, totals[position + t]);
    }
    if (starts_at(input, output)) device_fence();

    // --- Look back, and publish the prefix of the next supertile ---
    const ACC before_supertile =
        await_supertiles(words, supertile_words, supertile, epoch, input, init);
    for (u32 t = 0; t < position; ++t) {
      totals[t] = await_total(words, supertile * SUPERTILE_TILES + t, epoch, input);
    }
    prefix_totals(totals, position + count);
    if (position + full == SUPERTILE_TILES && publishes_prefix(supertile, SUPERTILE_TILES - 1)) {
      publish(supertile_words, supertile + 1, epoch, STATE_INCLUSIVE,
              COMBINE(before_supertile, totals[SUPERTILE_TILES - 1]));
    }

    // --- Scan the tiles ---
    for (u32 t = 0; t < count; ++t) {
      const u32 at = position + t;
      const ACC before = at == 0 ? before_supertile : COMBINE(before_supertile, totals[at - 1]);
      const ACC after = COMBINE(before_supertile, totals[at]);
      scan_tile(&kept[t], input, (first + t) * TILE, n, before, after, output TOTAL_ARGUMENTS);
    }
    STORE_FIRST(first == 0, output);
  }
  LEAVE_TOTAL(n == 0 && get_group_id(0) == 0, init);

  // --- Move the epoch on ---
  const u64 drawers = (n + DRAWN_TILES * TILE - 1) / (DRAWN_TILES * TILE) + get_num_groups(0);
  end_epoch(control, words, places.capacity, epoch, get_num_groups(0),
            ticket_of(drawn) + 1 == drawers);
}
