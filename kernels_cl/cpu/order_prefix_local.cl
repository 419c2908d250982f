// Part order_prefix_local: prefixes of the totals of tiles in order v1, by one work-item.
// Provides: order_prefix_local

// The Kogge-Stone prefix of `count` tiles' totals, in place.
DEVICE void prefix_totals(ACC* total, u32 count) {
  for (u32 distance = 1; distance < count; distance *= 2) {
    for (u32 t = count - 1; t >= distance; --t) total[t] = COMBINE(total[t - distance], total[t]);
  }
}

// Part order_groups_local:
// what lies before a group of tiles of a single-pass scan in order v1, by one work-item.
// Provides: order_groups_local
// Uses: elements, tile_words, order_words, order_prefix_local

// From the nearest prefix that is published on, the groups between are folded.
DEVICE ACC await_groups(const __global u64* words, const __global u64* group_words, u64 group,
                        u32 epoch, Elements input, ACC init) {
  ACC totals[GROUP_TILES];
  ACC groups = init;
  u64 known = group;
  while (known > 0 && inspect(group_words, known, epoch, &groups) == STATE_EMPTY) --known;
  if (known == 0) groups = init;
  for (u64 next = known; next < group; ++next) {
    for (u32 t = 0; t < GROUP_TILES; ++t) {
      totals[t] = await_total(words, next * GROUP_TILES + t, epoch, input);
    }
    prefix_totals(totals, GROUP_TILES);
    groups = COMBINE(groups, totals[GROUP_TILES - 1]);
  }
  return groups;
}
