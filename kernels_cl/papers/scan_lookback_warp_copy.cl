// Part scan_lookback_warp_copy: Single-pass scan with decoupled look-back over windows that a warp
// copies to local memory: LANES predecessors are read at once, then one work-item combines them in
// index order from the nearest inclusive prefix on. The source waits for every predecessor in the
// window, also beyond the nearest inclusive prefix, swaps the operands, and relies on lanes in lock
// step: here nothing is waited for that is not used, and a barrier of the warp stands between
// copying and combining. Tile -1 counts as an inclusive prefix of `init`, so no window has an edge.
// Tickets, bounded waiting: as scan_lookback.
// Cost: reads and writes each element once; one launch; 4 barriers per tile.
// Assumes 64-bit words visible to other running groups.
// Source: Willen & Brolos 2022, version 2; Merrill & Garland 2016.
// Provides: scan_lookback_warp_copy
// Uses: count, init, total, lanes, scan_tile, tile_words, missing_tile, tiles, tiles_drawn,
//   device_fence, tile_epoch_drawn, lane_index, warp_index, lane_highest, lane_barrier

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void scan_lookback_warp_copy(
    const __global IN* input, u64 input_offset, COUNT_PARAMETERS, __global OUT* output,
    INIT_PARAMETERS, __global u64* control, ScanPlaces places TOTAL_PARAMETERS) {
  __local LaneScratch lane_scratch;
  __local ACC totals[WARPS];
  __local ACC window[LANES];
  __local ACC prefix;
  __local u64 drawn;
  const u64 n = COUNT;
  const ACC init = INIT;
  input += input_offset;
  output += places.output;
  control += places.control;
  __global u64* words = control + 2;

  // --- Draw a tile ---
  const u64 ticket = draw_ticket(control, &drawn);
  const Draw draw = tile_at(tile_of(ticket), n);
  const u64 tile = draw.tile;
  const u64 begin = tile * TILE;

  // --- Scan the tile in registers ---
  ACC item[ROWS][VEC];
  ACC before[ROWS];
  ACC total;
  load_tile(input, 0, begin, n, item);
  scan_tile(item, before, &lane_scratch, totals, &total);
  const u32 epoch = epoch_drawn(ticket);

  // --- Publish the aggregate, look back, publish the inclusive prefix ---
  if (warp_index() == 0) {
    if (lane_index() == 0 && draw.predecessors > 0) {
      publish(words, tile, epoch, STATE_AGGREGATE, total);
    }
    ACC carry = IDENTITY;
    i32 inclusive = -1;
    for (i64 nearest = (i64)draw.predecessors - 1; inclusive < 0; nearest -= LANES) {
      const i64 mine = nearest - (LANES - 1) + lane_index();
      ACC value = init;
      u32 state = mine < 0 ? STATE_INCLUSIVE : STATE_EMPTY;
      i32 missing = LANES;
      for (u32 spin = 0; spin < SPIN_LIMIT && missing > inclusive; ++spin) {
        if (state == STATE_EMPTY) state = try_read(words, (u64)mine, epoch, &value);
        inclusive = lane_highest(state == STATE_INCLUSIVE, &lane_scratch);
        missing = lane_highest(state == STATE_EMPTY, &lane_scratch);
      }
      if (missing > inclusive) {
        if (state == STATE_EMPTY && (i32)lane_index() > inclusive) {
          state = reduce_missing(words, (u64)mine, epoch, input, 0, &value);
        }
        inclusive = lane_highest(state == STATE_INCLUSIVE, &lane_scratch);
      }
      window[lane_index()] = value;
      lane_barrier();
      if (lane_index() == 0) {
        for (i32 lane = LANES - 1; lane >= 0 && lane >= inclusive; --lane) {
          carry = COMBINE(window[lane], carry);
        }
      }
      lane_barrier();
    }
    if (lane_index() == 0) {
      if (draw.valid) publish(words, tile, epoch, STATE_INCLUSIVE, COMBINE(carry, total));
      LEAVE_TOTAL(draw.last, COMBINE(carry, total));
      if ((const __global void*)input == (const __global void*)output) device_fence();
      prefix = carry;
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

  // --- Write the tile ---
  store_tile(output, 0, begin, n, item, before, prefix FIRST_ARGUMENTS);

  // --- Move the epoch on ---
  if (get_local_id(0) == 0) {
    end_epoch(control, words, places.capacity, epoch, places.tiles,
              ticket_of(ticket) + 1 == places.tiles);
  }
}
