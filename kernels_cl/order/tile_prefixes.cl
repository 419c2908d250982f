// Part tile_prefixes: what lies before each of an array's tiles, from their totals.
// Provides: tile_prefixes
// Uses: order_lanes, lane_index, warp_index

// Turns the totals of full tiles into prefixes in place, a supertile per warp at a time. `carry`
// lies before the first. All work-items of the group call it; `totals` has room for one of each
// warp.
DEVICE void prefix_tile_totals(__global ACC* partials, u64 tiles, ACC carry,
                               __local LaneScratch* lane_scratch, __local ACC* totals) {
  for (u64 begin = 0; begin <= tiles; begin += GROUP_SIZE) {
    const u64 i = begin + get_local_id(0);
    const ACC prefix = lane_prefix(i < tiles ? partials[i] : IDENTITY, lane_scratch);
    if (lane_index() == LANES - 1) totals[warp_index()] = prefix;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    ACC before_supertile = carry;
    for (u32 g = 0; g < WARPS; ++g) {
      if (g == warp_index()) before_supertile = carry;
      carry = COMBINE(carry, totals[g]);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    // One more than totals: the last full tile's last inclusive value is what lies before the next.
    if (lane_index() == 0 && i <= tiles) partials[i] = before_supertile;
    if (lane_index() < LANES - 1 && i < tiles) partials[i + 1] = COMBINE(before_supertile, prefix);
  }
}
