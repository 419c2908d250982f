// Prelude: scan and reduction over the lanes of a group, by the shuffles.

// The exclusive prefix of x over the lanes before this one, in index order; the combination of all
// lanes goes to total.
DEVICE ACC lane_scan(ACC x, LaneScratch* scratch, ACC* total) {
  ACC inclusive = x;
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const ACC earlier = shuffle_up(inclusive, distance);
    if (lane_index() >= distance) inclusive = COMBINE(earlier, inclusive);
  }
  *total = shuffle_idx(inclusive, LANES - 1);
  const ACC before = shuffle_up(inclusive, 1);
  return lane_index() == 0 ? IDENTITY : before;
}

// The combination of x over all lanes in index order, known to every lane.
DEVICE ACC lane_reduce(ACC x, LaneScratch* scratch) {
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    x = COMBINE(x, shuffle_down(x, distance));
  }
  return shuffle_idx(x, 0);
}
