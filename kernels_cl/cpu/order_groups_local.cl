// Prelude: what lies before a group of tiles of a single-pass scan in order v1, by one work-item.

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
