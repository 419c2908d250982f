// Part scan_order_passes: Three-pass scan in order v1: the totals of all tiles, their prefixes,
// then the tiles. No group waits for another, so it runs on every device. CPUs run scan_order_drawn
// or scan_order_chunks.
// Cost: reads each element twice, writes it once; three launches; 2 barriers per tile and pass.
// Assumes nothing: operands are combined in index order.
// Source: bifold; the phases are those of reduce-then-scan.
// Provides: scan_order_passes
// Uses: count, init, total, elements, outputs, order_lanes, order_tile, tile_prefixes

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    total_tiles(INPUT_PARAMETERS, COUNT_PARAMETERS, ACC* partials, u64 partials_offset) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC warp_totals[WARP_TILES];
  const Elements input = INPUT;
  const u64 n = COUNT;

  // --- Reduce the tile of this group ---
  ACC sums[ROWS_EACH * RUN];
  ACC prefix[ROWS_EACH];
  load_tile_sums(input, (u64)blockIdx.x * TILE, n, sums, prefix, &lane_scratch, warp_totals);
  __syncthreads();

  // --- Write its total ---
  if (threadIdx.x == 0) {
    partials[partials_offset + blockIdx.x] = fold_warp_totals(warp_totals, WARP_TILES);
  }
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    prefix_tiles(ACC* partials, u64 partials_offset, COUNT_PARAMETERS, INIT_PARAMETERS) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[WARPS];
  // No tile follows one that is not full, so its total is not needed.
  const u64 tiles = COUNT / TILE;

  // --- Turn totals into prefixes in place ---
  prefix_tile_totals(partials + partials_offset, tiles, INIT, &lane_scratch, totals);
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    scan_tiles(INPUT_PARAMETERS, COUNT_PARAMETERS, const ACC* partials, u64 partials_offset,
               OUT* output, u64 output_offset MORE_OUTPUTS TOTAL_PARAMETERS) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC warp_totals[WARP_TILES];
  const u64 begin = (u64)blockIdx.x * TILE;
  const Elements input = INPUT;
  const u64 n = COUNT;
  const Outputs outputs = OUTPUTS(output + output_offset);
  partials += partials_offset + blockIdx.x;

  // --- Scan the tile of this group from its prefix on ---
  ACC sums[ROWS_EACH * RUN];
  ACC prefix[ROWS_EACH];
  load_tile_sums(input, begin, n, sums, prefix, &lane_scratch, warp_totals);
  __syncthreads();
  const ACC after = begin + TILE <= n ? partials[1] : partials[0];
  store_tile_sums(input, outputs, begin, n, sums, prefix, warp_totals, partials[0], after,
                  &lane_scratch TOTAL_ARGUMENTS);
  LEAVE_TOTAL(n == 0 && blockIdx.x == 0 && threadIdx.x == 0, partials[0]);
}
