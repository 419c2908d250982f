// Prelude: a group's reduction by lane exchange: every lane group its own values, then the first
// lane group the results of all. Index order is kept.

// The combination of x over the group, known to its first lane group.
DEVICE ACC group_lanes(ACC x, LaneScratch* lane_scratch, ACC* totals) {
  x = lane_reduce(x, lane_scratch);
#if LANE_GROUPS > 1
  if (lane_index() == 0) totals[lane_group()] = x;
  __syncthreads();
  if (lane_group() == 0) {
    // Each lane takes its share of consecutive results: narrow lane groups may be more than lanes.
    const u32 share = (LANE_GROUPS + LANES - 1) / LANES;
    x = IDENTITY;
    for (u32 g = lane_index() * share; g < (lane_index() + 1) * share; ++g) {
      if (g < LANE_GROUPS) x = COMBINE(x, totals[g]);
    }
    x = lane_reduce(x, lane_scratch);
  }
#endif
  return x;
}
