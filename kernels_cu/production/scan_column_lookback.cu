// Part scan_column_lookback: The scan of many long lines in order v1 that lie side by side in
// memory, in a single pass, each with the bits that it has alone. A work-item keeps a row of a line
// in registers and local memory, a group some warp tiles of neighbouring lines. Groups draw the
// first tiles of all lines first. Waiting is bounded. A group that waits for a missing total
// computes it itself, in the same order.
// Cost: reads and writes each element once; one launch; 7 barriers.
// Assumes 64-bit words visible to other running groups.
// Source: bifold; look-back as in Merrill & Garland 2016.
// Provides: scan_column_lookback
// Uses: words, count, line_count, line_init, total, column_elements_values, column_prefix,
//   column_results, tile_words, tiles_taken, column_lookback, column_stash, line_output_start

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    scan_column_lookback(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS,
                         OUT* output MORE_OUTPUTS, INIT_PARAMETERS, u64* control, LinePlaces places,
                         ColumnTiles tiles, ScanPlaces scratch TOTAL_PARAMETERS) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ColumnLookBack lookback;
  __shared__ ACC stash[STASHED][GROUP_SIZE];
  __shared__ u64 drawn;
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const Outputs outputs = OUTPUTS(output + scratch.output);
  control += scratch.control;

  // --- Draw warp tiles of some lines ---
  const u64 ticket = draw_ticket(control, &drawn);
  const ColumnUnit own = column_unit(tiles, tile_of(ticket), lines, n);
  const LineSlot slot = slot_of_line(places, own.line, lines, own.tile * TILE, n);

  // --- Scan a row in registers, and stash half of it ---
  const u32 first = (own.first_row + own.row) * ROW;
  ACC sums[KEPT];
  load_column_row(INPUT_ARGUMENTS, places, slot, first, KEPT_RUNS, n, sums);
  stash_column_row(stash, sums);
  prefix_column_row(sums, KEPT_RUNS);
  lookback.rows[threadIdx.x] = sums[KEPT - 1];
  if (threadIdx.x == 0) lookback.epoch = epoch_of(ticket);
  __syncthreads();

  // --- Publish totals, look back ---
  ACC init = IDENTITY;
  if (own.line < lines) init = INIT_OF_LINE(places, own.line);
  const bool in_place = writes_over_line(elements_from(INPUT_ARGUMENTS, slot.input, slot.second),
                                         OUTPUTS_FROM(outputs, slot.output));
  const ColumnWords words =
      column_words(control + 2, tiles.tiles, own.line, own.lines, lookback.epoch);
  look_back_columns(INPUT_ARGUMENTS, places, words, own, n, init, in_place, &lookback,
                    &lane_scratch);

  // --- Write the row ---
  ACC behind;
  fetch_column_row(stash, sums);
  const ACC start = before_column_row(own, &lookback, &behind);
  write_column_row(outputs, places, slot, first, KEPT_RUNS, n, sums, start, behind TOTAL_ARGUMENTS);
  LEAVE_TOTAL_OF(own.line, n == 0 && own.line < lines && own.tile == 0 && first == 0, init);

  // --- Move the epoch on ---
  if (threadIdx.x == 0) {
    end_epoch(control, control + 2, scratch.capacity, words.epoch, tiles.blocks,
              ticket_of(ticket) + 1 == tiles.blocks);
  }
}
