// Part scan_order_passes: Three-pass scan in order v1: the totals of all tiles, their prefixes,
// then the tiles. No group waits for another, so it runs on every device. CPUs run scan_order_drawn
// or scan_order_chunks.
// Cost: reads each element twice, writes it once; three launches; 2 barriers per tile and pass.
// Assumes nothing: operands are combined in index order.
// Source: bifold; the phases are those of reduce-then-scan.
// Provides: scan_order_passes
// Uses: count, init, total, elements, order_lanes, order_tile, lane_index, warp_index

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void total_tiles(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global ACC* partials, u64 partials_offset) {
  __local LaneScratch lane_scratch;
  __local ACC warp_totals[WARP_TILES];
  const Elements input = INPUT;
  const u64 n = COUNT;

  // --- Reduce the tile of this group ---
  ACC sums[ROWS_EACH * RUN];
  ACC prefix[ROWS_EACH];
  load_tile_sums(input, (u64)get_group_id(0) * TILE, n, sums, prefix, &lane_scratch, warp_totals);
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- Write its total ---
  if (get_local_id(0) == 0) {
    partials[partials_offset + get_group_id(0)] = fold_warp_totals(warp_totals, WARP_TILES);
  }
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void prefix_tiles(
    __global ACC* partials, u64 partials_offset, COUNT_PARAMETERS, INIT_PARAMETERS) {
  __local LaneScratch lane_scratch;
  __local ACC totals[WARPS];
  // No tile follows one that is not full, so its total is not needed.
  const u64 tiles = COUNT / TILE;
  partials += partials_offset;

  // --- Turn totals into prefixes in place, a supertile per warp at a time ---
  ACC carry = INIT;
  for (u64 begin = 0; begin <= tiles; begin += GROUP_SIZE) {
    const u64 i = begin + get_local_id(0);
    const ACC prefix = lane_prefix(i < tiles ? partials[i] : IDENTITY, &lane_scratch);
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

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void scan_tiles(
    INPUT_PARAMETERS, COUNT_PARAMETERS, const __global ACC* partials, u64 partials_offset,
    __global OUT* output, u64 output_offset TOTAL_PARAMETERS) {
  __local LaneScratch lane_scratch;
  __local ACC warp_totals[WARP_TILES];
  const u64 begin = (u64)get_group_id(0) * TILE;
  const Elements input = INPUT;
  const u64 n = COUNT;
  output += output_offset;
  partials += partials_offset + get_group_id(0);

  // --- Scan the tile of this group from its prefix on ---
  ACC sums[ROWS_EACH * RUN];
  ACC prefix[ROWS_EACH];
  load_tile_sums(input, begin, n, sums, prefix, &lane_scratch, warp_totals);
  barrier(CLK_LOCAL_MEM_FENCE);
  const ACC after = begin + TILE <= n ? partials[1] : partials[0];
  store_tile_sums(input, output, begin, n, sums, prefix, warp_totals, partials[0], after,
                  &lane_scratch TOTAL_ARGUMENTS);
  LEAVE_TOTAL(n == 0 && get_group_id(0) == 0 && get_local_id(0) == 0, partials[0]);
}
