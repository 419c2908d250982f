// Prelude: the look-back of a single-pass scan in order v1 by one work-item, for devices without
// lane groups as wide as a row: order_lookback_shuffle without lanes.

// The Kogge-Stone prefix of `count` tiles' totals, in place.
DEVICE void prefix_totals(ACC* total, u32 count) {
  for (u32 distance = 1; distance < count; distance *= 2) {
    for (u32 t = count - 1; t >= distance; --t) total[t] = COMBINE(total[t - distance], total[t]);
  }
}

// Finds what lies before the tile and, from the tile's total, what lies before the next one. The
// last tile of a group publishes the latter for the groups behind. Called by all work-items; seen
// by all behind a barrier.
DEVICE void look_back(const Draw* draw, __global u64* words, __global u64* group_words, ACC total,
                      Elements input, ACC init, __local ACC* before, __local ACC* after,
                      __local LaneScratch* scratch) {
  if (get_local_id(0) != 0) return;
  const u32 epoch = draw->epoch;
  const u64 group = draw->predecessors / GROUP_TILES;
  const u32 place = (u32)(draw->predecessors % GROUP_TILES);
  ACC totals[GROUP_TILES];

  // From the nearest prefix that is published on, the groups between are folded.
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
  for (u32 t = 0; t < place; ++t) {
    totals[t] = await_total(words, group * GROUP_TILES + t, epoch, input);
  }
  totals[place] = total;
  prefix_totals(totals, place + 1);

  const ACC next = COMBINE(groups, totals[place]);
  if (draw->valid && publishes_prefix(group, place)) {
    publish(group_words, group + 1, epoch, STATE_INCLUSIVE, next);
  }
  *before = place == 0 ? groups : COMBINE(groups, totals[place - 1]);
  *after = next;
}
