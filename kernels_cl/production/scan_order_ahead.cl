// Part scan_order_ahead: Single-pass scan in order v1 by persistent groups that work one tile
// ahead. As scan_order, but a group loads its next tile into registers and publishes its total
// before it looks back for its current tile. So totals are published earlier, as in
// scan_order_ring, and no tile needs local memory. Waiting is bounded. A group that waits for a
// missing tile reduces it itself, in the same order.
// Cost: reads and writes each element once; one launch; 3 to 5 barriers per tile, and 2 more for
// every 7 supertiles without a published prefix.
// Assumes 64-bit words visible to other running groups.
// Source: bifold; look-back as in Merrill & Garland 2016.
// Provides: scan_order_ahead
// Uses: words, count, init, total, elements, order_tile, tile_words, tiles, tiles_drawn,
//   order_lookback, output_start, device_fence

// The same value, copied word by word. If arrays of structs with padding are copied as a whole,
// NVIDIA's compiler shuffles words that were never written.
DEVICE ACC by_words(ACC x) {
  AccWords from = words_of(x);
  AccWords words;
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) words.word[w] = from.word[w];
  return words.value;
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void scan_order_ahead(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global OUT* output MORE_OUTPUTS, INIT_PARAMETERS,
    __global u64* control, ScanPlaces places TOTAL_PARAMETERS) {
  __local LaneScratch lane_scratch;
  __local ACC warp_totals[2 * WARP_TILES];
  __local LookBack lookback;
  __local u64 drawn;
  const Elements input = INPUT;
  const u64 n = COUNT;
  const ACC init = INIT;
  const Outputs outputs = OUTPUTS(output + places.output);
  control += places.control;
  __global u64* words = control + 2;
  __global u64* supertile_words = words + places.tiles * ACC_WORDS;

  // The current tile, of which there is none at first, and the next one.
  Draw draw = tile_at(0, 0);
  ACC total = IDENTITY;
  ACC sums[ROWS_EACH * RUN];
  ACC prefix[ROWS_EACH];
  ACC next_sums[ROWS_EACH * RUN];
  ACC next_prefix[ROWS_EACH];
#pragma unroll
  for (u32 k = 0; k < ROWS_EACH * RUN; ++k) sums[k] = IDENTITY;
#pragma unroll
  for (u32 r = 0; r < ROWS_EACH; ++r) prefix[r] = IDENTITY;
  u64 ticket = 0;
  u32 ahead = 0;  // Warp tiles of the next tile: the one half or the other.
  bool goes_on = true;
  bool holds = false;
  while (goes_on) {
    // --- Draw the next tile, load it and publish its total ---
    ticket = draw_ticket(control, &drawn);
    const Draw next = tile_at(tile_of(ticket), n);
    load_tile_sums(input, next.tile * TILE, n, next_sums, next_prefix, &lane_scratch,
                   warp_totals + ahead);
    if (get_local_id(0) == 0) lookback.epoch = epoch_of(ticket);
    barrier(CLK_LOCAL_MEM_FENCE);
    const ACC next_total = fold_warp_totals(warp_totals + ahead, WARP_TILES);
    if (get_local_id(0) == 0 && next.valid) {
      publish(words, next.tile, lookback.epoch, STATE_AGGREGATE, next_total);
      if (writes_over(input, outputs)) device_fence();
    }
    ahead = WARP_TILES - ahead;

    // --- Look back for the tile before, publish the next supertile's prefix, write the tile ---
    ACC before;
    ACC after;
    look_back(&draw, words, supertile_words, total, input, init, &lookback, &before, &after,
              &lane_scratch);
    store_tile_sums(input, outputs, draw.tile * TILE, holds ? n : 0, sums, prefix,
                    warp_totals + ahead, before, after, &lane_scratch TOTAL_ARGUMENTS);
    draw = next;
    total = next_total;
    holds = true;
    goes_on = next.valid;
#pragma unroll
    for (u32 k = 0; k < ROWS_EACH * RUN; ++k) sums[k] = by_words(next_sums[k]);
#pragma unroll
    for (u32 r = 0; r < ROWS_EACH; ++r) prefix[r] = by_words(next_prefix[r]);
  }
  LEAVE_TOTAL(n == 0 && get_group_id(0) == 0 && get_local_id(0) == 0, init);

  // --- Move the epoch on ---
  // Each tile takes one ticket, and each group draws one more.
  if (get_local_id(0) == 0) {
    const u64 tickets = (n + TILE - 1) / TILE + get_num_groups(0);
    end_epoch(control, words, places.capacity, epoch_of(ticket), get_num_groups(0),
              ticket_of(ticket) + 1 == tickets);
  }
}
