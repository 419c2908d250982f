// Single-pass scan with decoupled look-back: a tile publishes its aggregate, then its first
// work-item walks back over the tiles before it, adding aggregates until it meets one whose
// inclusive prefix is known.
// Tile ids are tickets drawn by running groups, so a tile waits only for groups that have started;
// waiting is bounded, and a tile that stays missing is reduced by who needs it.
// Cost: reads and writes each element once; one launch; 4 barriers per tile.
// Assumes 64-bit words visible to other running groups.
// Source: Willen & Brolos 2022, version 1; Merrill & Garland 2016.

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    scan_lookback(const IN* input, u64 input_offset, u64 n, OUT* output, u64 output_offset,
                  ACC init, u64* control, u64 control_offset, u64 capacity, u64 tiles) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[LANE_GROUPS];
  __shared__ ACC prefix;
  __shared__ u64 drawn;
  input += input_offset;
  output += output_offset;
  control += control_offset;
  u64* words = control + 2;

  // --- Draw a tile ---
  if (threadIdx.x == 0) drawn = add_word(control, 1);
  __syncthreads();
  const u32 epoch = epoch_of(drawn);
  const u64 tile = ticket_of(drawn);
  const u64 begin = tile * TILE;
  // Only a call that failed half-way leaves a ticket beyond the tiles behind; who draws one has no
  // element, looks at no predecessor and publishes nothing.
  const bool valid = tile < tiles;
  const u64 predecessors = valid ? tile : 0;

  // --- Scan the tile in registers ---
  ACC item[ROWS][VEC];
  ACC before[ROWS];
  ACC total;
  load_tile(input, begin, n, item);
  scan_tile(item, before, &lane_scratch, totals, &total);

  // --- Publish the aggregate, look back, publish the inclusive prefix ---
  if (threadIdx.x == 0) {
    ACC carry = IDENTITY;
    u32 state = STATE_AGGREGATE;
    if (predecessors > 0) publish(words, tile, epoch, STATE_AGGREGATE, total);
    for (u64 earlier = predecessors; earlier > 0 && state != STATE_INCLUSIVE; --earlier) {
      ACC value;
      state = STATE_EMPTY;
      for (u32 spin = 0; spin < SPIN_LIMIT && state == STATE_EMPTY; ++spin) {
        state = inspect(words, earlier - 1, epoch, &value);
      }
      if (state == STATE_EMPTY) state = reduce_missing(words, earlier - 1, epoch, input, &value);
      carry = COMBINE(value, carry);
    }
    if (state != STATE_INCLUSIVE) carry = COMBINE(init, carry);
    if (valid) publish(words, tile, epoch, STATE_INCLUSIVE, COMBINE(carry, total));
    if ((const void*)input == (const void*)output) device_fence();
    prefix = carry;
  }
  __syncthreads();

  // --- Write the tile ---
  store_tile(output, begin, n, item, before, prefix);

  // --- Count the tile as finished ---
  if (threadIdx.x == 0) finish_tile(control, words, capacity, epoch, tiles);
}
