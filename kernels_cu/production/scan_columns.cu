// Part scan_columns: The scan of many lines in order v1 that lie side by side in memory, each with
// the bits that it has alone. A work-item keeps a row of a line in registers, so that nothing is
// transposed. If lines are longer than a tile, total_column_tiles and prefix_line_tiles find what
// lies before each tile.
// Cost: reads and writes each element once, and reads it twice if lines are longer than a tile; one
// launch or three; 2 barriers for the rows that a group has at once.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: scan_columns
// Uses: count, line_count, line_init, total, line_tile_prefix, column_elements, column_prefix,
//   column_results

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    scan_columns(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
                 const ACC* partials, u64 partials_offset, OUT* output,
                 u64 output_offset MORE_OUTPUTS, LinePlaces places,
                 ColumnTiles tiles TOTAL_PARAMETERS) {
  __shared__ ACC totals[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u32 rows = 1u << tiles.row_shift;
  const u32 row = column_row(tiles);
  const u32 longest = (u32)(n < TILE ? n : TILE);
  const u32 runs = (longest < ROW ? longest : ROW) / RUN + (longest < ROW ? longest % RUN != 0 : 0);
  for (u64 block = blockIdx.x; block < tiles.blocks; block += gridDim.x) {
    const LineSlot slot = column_slot(places, tiles, block, lines, n);
    ACC before = IDENTITY;
    ACC behind = IDENTITY;
    if (slot.line < lines && tiles.tiles > 1) {
      const u64 own = partials_offset + slot.line * (tiles.tiles + 1) + slot.begin / TILE;
      before = partials[own];
      if (slot.left == TILE) behind = partials[own + 1];
    } else if (slot.line < lines) {
      before = INIT_OF_LINE(places, slot.line);
    }
    LineState state;
    state.warp_tiles = IDENTITY;
    state.rows = IDENTITY;
    for (u32 from = 0; from < longest; from += rows * ROW) {
      const u32 first = from + row * ROW;
      ACC sums[KEPT];
      load_column_row(INPUT_ARGUMENTS, places, slot, first, runs, n, sums);
      prefix_column_row(sums, runs);

      // --- Exchange the totals of rows, and find what lies before the own one and behind it ---
      totals[threadIdx.x] = sums[KEPT - 1];
      __syncthreads();
      const u32 line_item = threadIdx.x - (row << tiles.line_shift);
      ACC start = before;
      ACC after = before;
      for (u32 r = 0; r < rows; ++r) {
        const u32 number = from / ROW + r;
        if (r == row) start = before_row(state, number, before);
        state = next_state(state, number, totals[line_item + (r << tiles.line_shift)]);
        if (r == row) {
          after = behind;
          if (number + 1 < WARP_TILE_ROWS * WARP_TILES || tiles.tiles == 1) {
            after = before_row(state, number + 1, before);
          }
        }
      }
      __syncthreads();

      // --- Write the row ---
      write_column_row(OUTPUTS(output + output_offset), places, slot, first, runs, n, sums, start,
                       after TOTAL_ARGUMENTS);
    }
    LEAVE_TOTAL_OF(slot.line, n == 0 && slot.begin == 0 && slot.line < lines && row == 0, before);
  }
}

// Part total_column_tiles: the totals of all tiles of such lines, for a scan or for a reduction in
// index order.
// Cost: reads each element once, writes an accumulator per tile.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: total_column_tiles
// Uses: count, line_count, line_tile_total, column_elements, column_total

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    total_column_tiles(INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, ACC* partials,
                       u64 partials_offset, u64 line_partials, LinePlaces places,
                       ColumnTiles tiles) {
  __shared__ ACC totals[GROUP_SIZE];
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u32 rows = 1u << tiles.row_shift;
  const u32 row = column_row(tiles);
  const u32 longest = (u32)(n < TILE ? n : TILE);
  for (u64 block = blockIdx.x; block < tiles.blocks; block += gridDim.x) {
    const LineSlot slot = column_slot(places, tiles, block, lines, n);
    LineState state;
    state.warp_tiles = IDENTITY;
    state.rows = IDENTITY;
    u32 number = 0;
    for (u32 from = 0; from < longest; from += rows * ROW) {
      // --- Reduce the row ---
      ACC sums[KEPT];
      load_column_row(INPUT_ARGUMENTS, places, slot, from + row * ROW, KEPT_RUNS, n, sums);
      totals[threadIdx.x] = total_column_row(sums);
      __syncthreads();

      // --- Fold it into the tile's total ---
      const u32 line_item = threadIdx.x - (row << tiles.line_shift);
      for (u32 r = 0; r < rows; ++r) {
        number = from / ROW + r;
        state = next_state(state, number, totals[line_item + (r << tiles.line_shift)]);
      }
      __syncthreads();
    }
    // --- Write the total of the tile ---
    if (row == 0 && slot.line < lines && slot.left > 0) {
      partials[partials_offset + slot.line * line_partials + slot.begin / TILE] =
          tile_of_state(state, number);
    }
  }
}
