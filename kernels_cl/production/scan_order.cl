// Part scan_order:
// Single-pass scan in order v1: the same bits whatever the device and the launch shape. As
// scan_lookback_warp, but tiles publish their totals only, at once; a tile's prefix is a fixed
// expression of them: groups of GROUP_TILES tiles folded from left to right from `init` on, then
// the Kogge-Stone prefix in its own group. Who needs a group's total computes it from the words of
// its tiles; the last tile of a group publishes the prefix of the next, from which others go on.
// Waiting is bounded, and a tile that stays missing is reduced by who needs it, in the same order.
// Cost: reads and writes each element once; one launch; 2 to 4 barriers per tile, and 2 more for
// every 7 groups without a published prefix. Assumes 64-bit words visible to other running groups.
// Source: bifold; look-back as in Merrill & Garland 2016.
// Provides: scan_order
// Uses: words, count, init, total, elements, order_tile, launch, atomics, tile_words, tiles,
//   tiles_taken, order_words, order_lookback

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void scan_order(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global OUT* output, INIT_PARAMETERS,
    __global u64* control, ScanPlaces places TOTAL_PARAMETERS) {
  __local LaneScratch lane_scratch;
  __local ACC strips[TILE_STRIPS];
  __local LookBack told;
  __local u64 drawn;
  await_earlier_work();
  const Elements input = INPUT;
  const u64 n = COUNT;
  const ACC init = INIT;
  output += places.output;
  control += places.control;
  __global u64* words = control + 2;
  __global u64* group_words = words + places.tiles * ACC_WORDS;

  // --- Draw a tile ---
  const u64 ticket = draw_ticket(control, &drawn);
  const Draw draw = tile_at(tile_of(ticket), n);
  const u64 begin = draw.tile * TILE;

  // --- Scan the tile in registers ---
  ACC sums[ROWS_EACH * RUN];
  ACC prefix[ROWS_EACH];
  load_tile_sums(input, begin, n, sums, prefix, &lane_scratch, strips);
  if (get_local_id(0) == 0) told.epoch = epoch_of(ticket);
  barrier(CLK_LOCAL_MEM_FENCE);

  // --- Publish the total, look back, publish the prefix of the next group ---
  const ACC total = fold_strips(strips, TILE_STRIPS);
  if (get_local_id(0) == 0 && draw.valid) {
    publish(words, draw.tile, told.epoch, STATE_AGGREGATE, total);
    if (starts_at(input, output)) device_fence();
  }
  ACC before;
  ACC after;
  look_back(&draw, words, group_words, total, input, init, &told, &before, &after, &lane_scratch);

  // --- Write the tile ---
  store_tile_sums(input, output, begin, n, sums, prefix, strips, before, after,
                  &lane_scratch TOTAL_ARGUMENTS);
  LEAVE_TOTAL(n == 0 && draw.tile == 0 && get_local_id(0) == 0, init);

  // --- Move the epoch on ---
  if (get_local_id(0) == 0) {
    end_epoch(control, words, places.capacity, told.epoch, places.tiles,
              ticket_of(ticket) + 1 == places.tiles);
  }
}
