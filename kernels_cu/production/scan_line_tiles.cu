// Part scan_line_tiles: The scan of many lines in order v1, each with the bits that it has alone. A
// group has a tile of a line, or several lines that are shorter. If lines are longer,
// total_line_tiles and prefix_line_tiles find what lies before each tile.
// Cost: reads and writes each element once, and reads it twice if lines are longer than a tile; one
// launch or three; 2 barriers for the tiles of a group.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: scan_line_tiles
// Uses: count, line_count, line_init, total, line_tile, line_tile_results

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    scan_line_tiles(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
                    const ACC* partials, u64 partials_offset, OUT* output,
                    u64 output_offset MORE_OUTPUTS, LinePlaces places,
                    LineTiles tiles TOTAL_PARAMETERS) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC warp_totals[WARP_TILES];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = blockIdx.x; block < tiles.blocks; block += gridDim.x) {
    // --- Reduce the warp tiles of this group ---
    ACC sums[ROWS_EACH * RUN];
    ACC prefix[ROWS_EACH];
    load_line_tiles(INPUT_ARGUMENTS, places, tiles, block, lines, n, sums, prefix, &lane_scratch,
                    warp_totals);
    __syncthreads();

    // --- Scan them from what lies before their tiles on ---
#pragma unroll
    for (u32 s = 0; s < WARP_TILES_EACH; ++s) {
      const LineWarpTile at = line_warp_tile(places, tiles, block, s, lines);
      const bool valid = at.line < lines;
      ACC before = IDENTITY;
      ACC after = IDENTITY;
      if (valid && tiles.tiles > 1) {
        const u64 own = partials_offset + at.line * (tiles.tiles + 1) + at.tile;
        before = partials[own];
        if ((at.tile + 1) * TILE <= n) after = partials[own + 1];
      } else if (valid) {
        before = INIT_OF_LINE(places, at.line);
      }
      if (tiles.tiles == 1 && at.number == WARP_TILES - 1) {
        after = COMBINE(before, fold_warp_totals(warp_totals, WARP_TILES));
      }
      finish_line_warp_tile(OUTPUTS(output + output_offset), places, at, valid ? n : 0,
                            sums + s * WARP_TILE_ROWS * RUN, prefix + s * WARP_TILE_ROWS,
                            warp_totals + at.first, before, after,
                            &lane_scratch TOTAL_ARGUMENTS_OF(at.line));
      const bool first = at.tile == 0 && at.number == 0 && lane_index() == 0;
      LEAVE_TOTAL_OF(at.line, valid && n == 0 && first, before);
    }
    __syncthreads();
  }
}

// Part total_line_tiles: the totals of all tiles of many lines in order v1, for a scan or for a
// reduction in index order.
// Cost: reads each element once, writes an accumulator per tile.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: total_line_tiles
// Uses: count, line_count, line_tile

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    total_line_tiles(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, ACC* partials,
                     u64 partials_offset, u64 line_partials, LinePlaces places, LineTiles tiles) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC warp_totals[WARP_TILES];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  for (u64 block = blockIdx.x; block < tiles.blocks; block += gridDim.x) {
    // --- Reduce the warp tiles of this group ---
    ACC sums[ROWS_EACH * RUN];
    ACC prefix[ROWS_EACH];
    load_line_tiles(INPUT_ARGUMENTS, places, tiles, block, lines, n, sums, prefix, &lane_scratch,
                    warp_totals);
    __syncthreads();

    // --- Write the totals of its tiles ---
#pragma unroll
    for (u32 s = 0; s < WARP_TILES_EACH; ++s) {
      const LineWarpTile at = line_warp_tile(places, tiles, block, s, lines);
      if (at.line < lines && at.number == 0 && lane_index() == 0) {
        partials[partials_offset + at.line * line_partials + at.tile] =
            fold_warp_totals(warp_totals + at.first, 1u << tiles.warp_tile_shift);
      }
    }
    __syncthreads();
  }
}

// Part prefix_line_tiles: what lies before each tile of every line, in place of the totals. A group
// takes a line.
// Cost: reads and writes an accumulator per tile.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: prefix_line_tiles
// Uses: count, line_count, line_init, line_places, tile_prefixes

#ifndef GROUP_SIZE
#define GROUP_SIZE 256  // Work-items per group.
#endif

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    prefix_line_tiles(ACC* partials, u64 partials_offset, u64 most_tiles, COUNT_PARAMETERS,
                      LINE_COUNT_PARAMETERS, INIT_PARAMETERS, LinePlaces places) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[WARPS];
  // No tile follows one that is not full, so its total is not needed.
  const u64 tiles = COUNT / (RUN * ROW_RUNS * WARP_TILE_ROWS * WARP_TILES);
  const u64 lines = LINE_COUNT;
  for (u64 line = blockIdx.x; line < lines; line += gridDim.x) {
    // --- Turn totals into prefixes in place ---
    prefix_tile_totals(partials + partials_offset + line * (most_tiles + 1), tiles,
                       INIT_OF_LINE(places, line), &lane_scratch, totals);
  }
}
