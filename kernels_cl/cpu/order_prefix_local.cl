// Prelude: prefixes of the totals of tiles in order v1, by one work-item.

// The Kogge-Stone prefix of `count` tiles' totals, in place.
DEVICE void prefix_totals(ACC* total, u32 count) {
  for (u32 distance = 1; distance < count; distance *= 2) {
    for (u32 t = count - 1; t >= distance; --t) total[t] = COMBINE(total[t - distance], total[t]);
  }
}
