// Part scan_lines: The scan of many lines in order v1, each with the bits that it has alone. A
// group walks along a tile of several lines at once. If lines are longer than a tile,
// total_line_tiles and prefix_line_tiles find what lies before each tile.
// Cost: reads and writes each element once, and reads it twice if lines are longer than a tile; one
// launch or three; a barrier for a block of elements.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: scan_lines
// Uses: count, line_count, line_init, line_total, line_elements, line_tile, line_tile_prefix,
//   line_loads, line_results

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void scan_lines(
    INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, INIT_PARAMETERS,
    const __global ACC* partials, u64 partials_offset, __global OUT* output, u64 output_offset,
    LinePlaces places, LineTiles tiles TOTAL_PARAMETERS) {
  __local LineScratch scratch;
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u32 span = 1u << span_shift(tiles);
  const u32 lanes = 1u << tiles.lane_shift;
  const u32 longest = (u32)(n < TILE ? n : TILE);
  for (u64 block = get_group_id(0); block < tiles.blocks; block += get_num_groups(0)) {
    keep_slots(places, tiles, block, lines, n, scratch.slot);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (u32 from = 0; from < longest; from += span) {
      const u32 parity = from / span % 2;
      ACC sums[EACH];
      load_line_rows(INPUT_ARGUMENTS, places, tiles, block, lines, from, n, scratch.slot, sums);

      // --- Combine the rows of this warp ---
      ACC prefix[LINE_ROWS];
      ACC total[LINE_ROWS];
      ACC earlier[LINE_ROWS];
      fold_line_rows(tiles, sums, prefix, total, earlier, &scratch.lanes);
      LineState state;
      state.warp_tiles = IDENTITY;
      state.rows = IDENTITY;
#pragma unroll
      for (u32 r = 0; r < LINE_ROWS; ++r) {
        const LineRow at = line_row(tiles, r);
        const LineSlot slot = slot_at(places, tiles, block, at.slot, lines, n, scratch.slot);
        const bool valid = slot.line < lines;
        const u32 number = from / (LANES * RUN) + at.row;
        const bool ends_tile = number == WARP_TILE_ROWS * WARP_TILES - 1;
        if (at.row == 0 && number > 0) state = scratch.state[parity][at.slot];
        ACC before = IDENTITY;
        ACC after = IDENTITY;
        if (valid && tiles.tiles > 1) {
          const u64 own = partials_offset + slot.line * (tiles.tiles + 1) + slot.begin / TILE;
          before = partials[own];
          if (ends_tile) after = partials[own + 1];
        } else if (valid) {
          before = INIT_OF_LINE(places, slot.line);
        }
        const ACC start = before_row(state, number, before);
        state = next_state(state, number, total[r]);
        if (!ends_tile || tiles.tiles == 1) after = before_row(state, number + 1, before);
        if (at.row + 1 == 1u << tiles.row_shift && at.lane == 0 && lanes == LANES) {
          scratch.state[1 - parity][at.slot] = state;
        }
        ACC carry = start;
        if (at.lane > 0) carry = COMBINE(start, earlier[r]);
        ACC next = COMBINE(start, prefix[r]);
        if (at.lane == lanes - 1) next = after;
        ACC running = carry;
#pragma unroll
        for (u32 k = 0; k < RUN; ++k) {
          const u64 i = slot.begin + from + at.run + k;
          const ACC exclusive = running;
          running = next;
          if (k < RUN - 1) running = COMBINE(carry, sums[r * RUN + k]);
          LEAVE_LINE_TOTAL(valid && i + 1 == n, slot.line, running);
          ACC result = INCLUSIVE ? running : exclusive;
          PUT_FIRST(i == 0, result);
          sums[r * RUN + k] = result;
        }
      }

      // --- Write the rows ---
      store_line_rows(output + output_offset, places, tiles, block, lines, from, n, scratch.slot,
                      sums);
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (u32 k = (u32)get_local_id(0); k < slots_of_block(tiles); k += GROUP_SIZE) {
      const LineSlot slot = slot_at(places, tiles, block, k, lines, n, scratch.slot);
      LEAVE_LINE_TOTAL(n == 0 && slot.begin == 0 && slot.line < lines, slot.line,
                       INIT_OF_LINE(places, slot.line));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

// Part total_line_tiles: the totals of all tiles of many lines in order v1, for a scan or for a
// reduction in index order.
// Cost: reads each element once, writes an accumulator per tile.
// Assumes nothing: operands are combined in index order.
// Source: bifold, docs/order.md.
// Provides: total_line_tiles
// Uses: count, line_count, line_elements, line_tile, line_tile_total, line_loads

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void total_line_tiles(
    INPUT_PARAMETERS, COUNT_PARAMETERS, LINE_COUNT_PARAMETERS, __global ACC* partials,
    u64 partials_offset, u64 line_partials, LinePlaces places, LineTiles tiles) {
  __local LineScratch scratch;
  const u64 n = COUNT;
  const u64 lines = LINE_COUNT;
  const u32 span = 1u << span_shift(tiles);
  const u32 lanes = 1u << tiles.lane_shift;
  const u32 longest = (u32)(n < TILE ? n : TILE);
  for (u64 block = get_group_id(0); block < tiles.blocks; block += get_num_groups(0)) {
    keep_slots(places, tiles, block, lines, n, scratch.slot);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (u32 from = 0; from < longest; from += span) {
      const u32 parity = from / span % 2;
      ACC sums[EACH];
      load_line_rows(INPUT_ARGUMENTS, places, tiles, block, lines, from, n, scratch.slot, sums);

      // --- Combine the rows of this warp ---
      ACC prefix[LINE_ROWS];
      ACC total[LINE_ROWS];
      ACC earlier[LINE_ROWS];
      fold_line_rows(tiles, sums, prefix, total, earlier, &scratch.lanes);
      LineState state;
      state.warp_tiles = IDENTITY;
      state.rows = IDENTITY;
#pragma unroll
      for (u32 r = 0; r < LINE_ROWS; ++r) {
        const LineRow at = line_row(tiles, r);
        const u32 number = from / (LANES * RUN) + at.row;
        if (at.row == 0 && number > 0) state = scratch.state[parity][at.slot];
        state = next_state(state, number, total[r]);
        if (at.row + 1 == 1u << tiles.row_shift && at.lane == 0) {
          if (lanes == LANES) scratch.state[1 - parity][at.slot] = state;
          const LineSlot slot = slot_at(places, tiles, block, at.slot, lines, n, scratch.slot);
          if (from + span >= longest && slot.line < lines) {
            partials[partials_offset + slot.line * line_partials + slot.begin / TILE] =
                tile_of_state(state, number);
          }
        }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
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

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void prefix_line_tiles(
    __global ACC* partials, u64 partials_offset, u64 most_tiles, COUNT_PARAMETERS,
    LINE_COUNT_PARAMETERS, INIT_PARAMETERS, LinePlaces places) {
  __local LaneScratch lane_scratch;
  __local ACC totals[WARPS];
  // No tile follows one that is not full, so its total is not needed.
  const u64 tiles = COUNT / (RUN * ROW_RUNS * WARP_TILE_ROWS * WARP_TILES);
  const u64 lines = LINE_COUNT;
  for (u64 line = get_group_id(0); line < lines; line += get_num_groups(0)) {
    // --- Turn totals into prefixes in place ---
    prefix_tile_totals(partials + partials_offset + line * (most_tiles + 1), tiles,
                       INIT_OF_LINE(places, line), &lane_scratch, totals);
  }
}
