// Part scan_order_ahead:
// Single-pass scan in order v1 by groups that stay, each a tile ahead: as scan_order, but a group
// loads its next tile into registers and publishes that one's total before it looks back for the
// tile that it has. So totals are there earlier for whoever waits for them, as in scan_order_ring,
// and no local memory holds tiles. Waiting is bounded, and a tile that stays missing is reduced by
// who needs it, in the same order.
// Cost: reads and writes each element once; one launch; 3 to 5 barriers per tile, and 2 more for
// every 7 groups without a published prefix. Assumes 64-bit words visible to other running groups.
// Source: bifold; look-back as in Merrill & Garland 2016.
// Provides: scan_order_ahead
// Uses: words, count, init, total, elements, order_tile, atomics, tile_words, tiles, tiles_drawn,
//   order_words, order_lookback

// The same value, word by word. Where arrays of structs with padding are copied as they are,
// NVIDIA's compiler shuffles words that nothing was written to.
DEVICE ACC by_words(ACC x) {
  AccWords from = words_of(x);
  AccWords words;
#pragma unroll
  for (u32 w = 0; w < ACC_WORDS; ++w) words.word[w] = from.word[w];
  return words.value;
}

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void scan_order_ahead(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global OUT* output, INIT_PARAMETERS,
    __global u64* control, ScanPlaces places TOTAL_PARAMETERS) {
  __local LaneScratch lane_scratch;
  __local ACC strips[2 * TILE_STRIPS];
  __local LookBack told;
  __local u64 drawn;
  const Elements input = INPUT;
  const u64 n = COUNT;
  const ACC init = INIT;
  output += places.output;
  control += places.control;
  __global u64* words = control + 2;
  __global u64* group_words = words + places.tiles * ACC_WORDS;

  // The tile that the group has, of which there is none at first, and the next one.
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
  u32 ahead = 0;  // Strips of the next tile: the one half or the other.
  bool goes_on = true;
  bool holds = false;
  while (goes_on) {
    // --- Draw the next tile, load it and publish its total ---
    ticket = draw_ticket(control, &drawn);
    const Draw next = tile_at(tile_of(ticket), n);
    load_tile_sums(input, next.tile * TILE, n, next_sums, next_prefix, &lane_scratch,
                   strips + ahead);
    if (get_local_id(0) == 0) told.epoch = epoch_of(ticket);
    barrier(CLK_LOCAL_MEM_FENCE);
    const ACC next_total = fold_strips(strips + ahead, TILE_STRIPS);
    if (get_local_id(0) == 0 && next.valid) {
      publish(words, next.tile, told.epoch, STATE_AGGREGATE, next_total);
      if (starts_at(input, output)) device_fence();
    }
    ahead = TILE_STRIPS - ahead;

    // --- Look back for the tile before, publish the prefix of the next group, write the tile ---
    ACC before;
    ACC after;
    look_back(&draw, words, group_words, total, input, init, &told, &before, &after, &lane_scratch);
    store_tile_sums(input, output, draw.tile * TILE, holds ? n : 0, sums, prefix, strips + ahead,
                    before, after, &lane_scratch TOTAL_ARGUMENTS);
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
  // All groups draw a ticket for each tile, and each group one beyond them.
  if (get_local_id(0) == 0) {
    const u64 tickets = (n + TILE - 1) / TILE + get_num_groups(0);
    end_epoch(control, words, places.capacity, epoch_of(ticket), get_num_groups(0),
              ticket_of(ticket) + 1 == tickets);
  }
}
