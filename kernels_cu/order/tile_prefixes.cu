// Part tile_prefixes: what lies before each of an array's tiles, from their totals.
// Provides: tile_prefixes
// Uses: order_lanes, lane_index, warp_index

// Turns the totals of full tiles into prefixes in place, a supertile per warp at a time. `carry`
// lies before the first. All work-items of the group call it; `totals` has room for one of each
// warp.
DEVICE void prefix_tile_totals(ACC* partials, u64 tiles, ACC carry, LaneScratch* lane_scratch,
                               ACC* totals) {
  for (u64 begin = 0; begin <= tiles; begin += GROUP_SIZE) {
    const u64 i = begin + threadIdx.x;
    const ACC prefix = lane_prefix(i < tiles ? partials[i] : IDENTITY, lane_scratch);
    if (lane_index() == LANES - 1) totals[warp_index()] = prefix;
    __syncthreads();
    ACC before_supertile = carry;
    for (u32 g = 0; g < WARPS; ++g) {
      if (g == warp_index()) before_supertile = carry;
      carry = COMBINE(carry, totals[g]);
    }
    __syncthreads();
    // One more than totals: the last full tile's last inclusive value is what lies before the next.
    if (lane_index() == 0 && i <= tiles) partials[i] = before_supertile;
    if (lane_index() < LANES - 1 && i < tiles) partials[i + 1] = COMBINE(before_supertile, prefix);
  }
}
