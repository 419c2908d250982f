// Part scan_line_lookback: The scan of many long lines in order v1 in a single pass, each with the
// bits that it has alone. It is scan_order in which a tile looks back along its line. Groups draw
// the first tiles of all lines first, so that a tile hardly waits for the one before it. Waiting is
// bounded. A group that waits for a missing tile reduces it itself, in the same order.
// Cost: reads and writes each element once; one launch; 2 to 4 barriers per tile, and 2 more for
// every 7 supertiles of a line without a published prefix.
// Assumes 64-bit words visible to other running groups.
// Source: bifold; look-back as in Merrill & Garland 2016.
// Provides: scan_line_lookback
// Uses: words, count, line_count, line_init, total, line_tile, line_tile_results, tile_words,
//   tiles, tiles_taken, order_lookback, output_start, device_fence

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    scan_line_lookback(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS,
                       OUT* output MORE_OUTPUTS, INIT_PARAMETERS, u64* control, LinePlaces places,
                       LineTiles tiles, ScanPlaces scratch TOTAL_PARAMETERS) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC warp_totals[WARP_TILES];
  __shared__ LookBack lookback;
  __shared__ u64 drawn;
  const u64 lines = LINE_COUNT;
  const Outputs outputs = OUTPUTS(output + scratch.output);
  control += scratch.control;

  // --- Draw a tile of a line ---
  const u64 ticket = draw_ticket(control, &drawn);
  const u64 block = tile_of(ticket);
  const LineWarpTile own = line_warp_tile(places, tiles, block, 0, lines);
  const u64 line = own.line;
  const bool valid = line < lines;
  const u64 n = valid ? COUNT : 0;
  const Draw draw = tile_at(own.tile, n);
  u64* words = control + 2 + line * tiles.tiles * ACC_WORDS;
  u64* supertile_words =
      control + 2 + (tiles.blocks + line * (tiles.tiles / SUPERTILE_TILES + 1)) * ACC_WORDS;
  const Elements input = array_of_line(INPUT_ARGUMENTS, places, own.starts, n);

  // --- Scan the tile in registers ---
  ACC sums[ROWS_EACH * RUN];
  ACC prefix[ROWS_EACH];
  load_line_tiles(INPUT_ARGUMENTS, places, tiles, block, lines, n, sums, prefix, &lane_scratch,
                  warp_totals);
  if (threadIdx.x == 0) lookback.epoch = epoch_of(ticket);
  __syncthreads();

  // --- Publish the total, look back, publish the prefix of the next supertile ---
  ACC init = IDENTITY;
  if (valid) init = INIT_OF_LINE(places, line);
  const ACC total = fold_warp_totals(warp_totals, WARP_TILES);
  if (threadIdx.x == 0 && draw.valid) {
    publish(words, draw.tile, lookback.epoch, STATE_AGGREGATE, total);
    const u64 first = place_in_line(0, n) * ELEMENT_STRIDE(places.output);
    if (writes_over(input, OUTPUTS_FROM(outputs, own.starts.output + first))) device_fence();
  }
  ACC before;
  ACC after;
  look_back(&draw, words, supertile_words, total, input, init, &lookback, &before, &after,
            &lane_scratch);

  // --- Write the tile ---
#pragma unroll
  for (u32 s = 0; s < WARP_TILES_EACH; ++s) {
    finish_line_warp_tile(outputs, places, line_warp_tile(places, tiles, block, s, lines), n,
                          sums + s * WARP_TILE_ROWS * RUN, prefix + s * WARP_TILE_ROWS, warp_totals,
                          before, after, &lane_scratch TOTAL_ARGUMENTS_OF(line));
  }
  LEAVE_TOTAL_OF(line, valid && n == 0 && draw.tile == 0 && threadIdx.x == 0, init);

  // --- Move the epoch on ---
  if (threadIdx.x == 0) {
    end_epoch(control, control + 2, scratch.capacity, lookback.epoch, tiles.blocks,
              ticket_of(ticket) + 1 == tiles.blocks);
  }
}
