// Part scan_lookback_warp: Single-pass scan with decoupled look-back by a whole warp. As
// scan_lookback, but LANES predecessors are read at once; from the nearest inclusive prefix on,
// they are combined in one ordered reduction over the lanes. Tile -1 counts as an inclusive prefix
// of `init`, so no window has an edge. A tile waits only for groups that started earlier: tiles are
// tickets that running groups draw, or the groups' indices where groups start in that order.
// Waiting is bounded, and a missing tile is reduced by the group that needs it. Input and output
// are taken to begin `first_index` elements earlier, where a vector begins.
// Cost: reads and writes each element once; one launch; 3 barriers per tile, or 4.
// Assumes 64-bit words visible to other running groups.
// Source: Willen & Brolos 2022, version 3; Merrill & Garland 2016.
// Provides: scan_lookback_warp
// Uses: count, init, total, lanes, lane_folds, scan_tile, tile_words, missing_tile, tiles,
//   tiles_taken, launch, device_fence, tile_epoch, lane_index, warp_index, lane_highest

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void scan_lookback_warp(
    const __global IN* input, u64 input_offset, u64 first_index, COUNT_PARAMETERS,
    __global OUT* output, INIT_PARAMETERS, __global u64* control,
    ScanPlaces places TOTAL_PARAMETERS) {
  __local LaneScratch lane_scratch;
  __local ACC totals[WARPS];
  __local ACC prefix;
  __local u64 drawn;
  pdl_wait();
  const u64 n = first_index + COUNT;
  const ACC init = INIT;
  input = input + input_offset - first_index;
  output = output + places.output - first_index;
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
  load_tile(input, first_index, begin, n, item);
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
          state = reduce_missing(words, (u64)mine, epoch, input, first_index, &value);
        }
        inclusive = lane_highest(state == STATE_INCLUSIVE, &lane_scratch);
      }
      if ((i32)lane_index() < inclusive) value = IDENTITY;
      carry = COMBINE(lane_reduce(value, &lane_scratch), carry);
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
  store_tile(output, first_index, begin, n, item, before, prefix FIRST_ARGUMENTS);

  // --- Move the epoch on ---
  if (get_local_id(0) == 0) {
    end_epoch(control, words, places.capacity, epoch, places.tiles,
              ticket_of(ticket) + 1 == places.tiles);
  }
}
