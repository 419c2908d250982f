// Part scan_chained: Single-pass chained scan: a tile publishes nothing but its inclusive prefix,
// and waits for the one of the tile before it, so that the prefixes travel from tile to tile one at
// a time. The source waits without a bound for a flag that no order ties to its value: here both
// travel in one tagged word. Tile ids are tickets drawn by running groups, so a tile waits only for
// groups that have started; past the bound of the wait it reduces the missing tile itself, and the
// ones before that, back to the nearest prefix that is there.
// Cost: reads and writes each element once; one launch; 4 barriers per tile.
// Assumes 64-bit words visible to other running groups.
// Source: Willen & Brolos 2022, version 0.
// Provides: scan_chained
// Uses: count, init, total, lanes, scan_tile, tile_words, missing_tile, tiles, tiles_drawn,
//   device_fence, tile_epoch_drawn

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    scan_chained(const IN* input, u64 input_offset, COUNT_PARAMETERS, OUT* output, INIT_PARAMETERS,
                 u64* control, ScanPlaces places TOTAL_PARAMETERS) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[WARPS];
  __shared__ ACC prefix;
  __shared__ u64 drawn;
  const u64 n = COUNT;
  const ACC init = INIT;
  input += input_offset;
  output += places.output;
  control += places.control;
  u64* words = control + 2;

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

  // --- Wait for the prefix before, publish the inclusive prefix ---
  if (threadIdx.x == 0) {
    ACC carry = IDENTITY;
    u32 state = STATE_EMPTY;
    u32 limit = SPIN_LIMIT;
    for (u64 earlier = draw.predecessors; earlier > 0 && state != STATE_INCLUSIVE; --earlier) {
      ACC value;
      state = STATE_EMPTY;
      for (u32 spin = 0; spin < limit && state == STATE_EMPTY; ++spin) {
        state = try_read(words, earlier - 1, epoch, &value);
      }
      if (state == STATE_EMPTY) {
        state = reduce_missing(words, earlier - 1, epoch, input, 0, &value);
        // The chain is held up somewhere; one look at each tile on the way back will do.
        limit = limit > 1 ? 1 : limit;
      }
      carry = COMBINE(value, carry);
    }
    if (state != STATE_INCLUSIVE) carry = COMBINE(init, carry);
    if (draw.valid) publish(words, tile, epoch, STATE_INCLUSIVE, COMBINE(carry, total));
    LEAVE_TOTAL(draw.last, COMBINE(carry, total));
    if ((const void*)input == (const void*)output) device_fence();
    prefix = carry;
  }
  __syncthreads();

  // --- Write the tile ---
  store_tile(output, 0, begin, n, item, before, prefix FIRST_ARGUMENTS);

  // --- Move the epoch on ---
  if (threadIdx.x == 0) {
    end_epoch(control, words, places.capacity, epoch, places.tiles,
              ticket_of(ticket) + 1 == places.tiles);
  }
}
