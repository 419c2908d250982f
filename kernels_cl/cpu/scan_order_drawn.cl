// Part scan_order_drawn:
// Single-pass scan in order v1 for CPU devices, one work-item per group: it draws tiles, a few at a
// time, publishes their totals, waits for those before, and scans its tiles while the cache still
// has them. As in scan_order, waiting is bounded, and a tile that stays missing is totalled by who
// needs it. Cost: loads each element once where the folds of tiles are kept, else twice, the second
// time from the cache, and writes it once; one launch; no barrier. Assumes 64-bit words visible to
// other running groups.
// Source: bifold; look-back as in Merrill & Garland 2016.
// Provides: scan_order_drawn
// Uses: words, count, init, total, elements, tile_scan, atomics, tile_words, order_words,
//   order_prefix_local, order_groups_local

typedef char drawn_in_one_group[GROUP_TILES % DRAWN_TILES == 0 ? 1 : -1];

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void scan_order_drawn(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global OUT* output, INIT_PARAMETERS,
    __global u64* control, ScanPlaces places TOTAL_PARAMETERS) {
  const Elements input = INPUT;
  const u64 n = COUNT;
  const ACC init = INIT;
  output += places.output;
  control += places.control;
  __global u64* words = control + 2;
  __global u64* group_words = words + places.tiles * ACC_WORDS;

  u64 drawn = add_word(control, 1);
  const u32 epoch = epoch_of(drawn);
  for (u64 first; (first = (u64)ticket_of(drawn) * DRAWN_TILES) * TILE < n;
       drawn = add_word(control, 1)) {
    const u64 group = first / GROUP_TILES;
    const u32 place = (u32)(first % GROUP_TILES);
    const u64 elements = n - first * TILE;
    const u32 full = elements < DRAWN_TILES * TILE ? (u32)(elements / TILE) : DRAWN_TILES;
    const u32 count = full < DRAWN_TILES && elements > full * TILE ? full + 1 : full;
    ACC totals[GROUP_TILES];
    KeptTile kept[DRAWN_TILES];

    // --- Publish the totals of the tiles; nobody asks for that of one that is not full ---
    for (u32 t = 0; t < count; ++t) {
      totals[place + t] = fold_tile(input, (first + t) * TILE, n, &kept[t]);
      if (t < full) publish(words, first + t, epoch, STATE_AGGREGATE, totals[place + t]);
    }
    if (starts_at(input, output)) device_fence();

    // --- Look back, and publish the prefix of the next group ---
    const ACC groups = await_groups(words, group_words, group, epoch, input, init);
    for (u32 t = 0; t < place; ++t) {
      totals[t] = await_total(words, group * GROUP_TILES + t, epoch, input);
    }
    prefix_totals(totals, place + count);
    if (place + full == GROUP_TILES && publishes_prefix(group, GROUP_TILES - 1)) {
      publish(group_words, group + 1, epoch, STATE_INCLUSIVE,
              COMBINE(groups, totals[GROUP_TILES - 1]));
    }

    // --- Scan the tiles ---
    for (u32 t = 0; t < count; ++t) {
      const u32 at = place + t;
      const ACC before = at == 0 ? groups : COMBINE(groups, totals[at - 1]);
      const ACC after = COMBINE(groups, totals[at]);
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
