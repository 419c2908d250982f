// Part scan_order: Single-pass scan in order v1: the same bits on every device and for every launch
// shape. As scan_lookback_warp, but a tile publishes only its total, and at once. A tile's prefix
// is a fixed expression of totals. The totals of supertiles are folded from left to right, starting
// with `init`; within a supertile the prefix is Kogge-Stone's. Whoever needs a supertile's total
// computes it from its tiles' words. The last tile of a supertile publishes the prefix of the next
// one, from which other tiles go on. Waiting is bounded. A group that waits for a missing tile
// reduces it itself, in the same order.
// Cost: reads and writes each element once; one launch; 2 to 4 barriers per tile, and 2 more for
// every 7 supertiles without a published prefix.
// Assumes 64-bit words visible to other running groups.
// Source: bifold; look-back as in Merrill & Garland 2016.
// Provides: scan_order
// Uses: words, count, init, total, elements, order_tile, launch, tile_words, tiles, tiles_taken,
//   order_lookback, output_start, device_fence

// Groups that a multiprocessor is to hold at once. Without a number, the compiler spills
// registers for the sake of more. Three keep nearly all of values of up to 8 bytes in registers.
#define GROUPS_HELD (ACC_WORDS <= 2 ? 3 : 1)

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, GROUPS_HELD)
    scan_order(INPUT_PARAMETERS, COUNT_PARAMETERS, OUT* output MORE_OUTPUTS, INIT_PARAMETERS,
               u64* control, ScanPlaces places TOTAL_PARAMETERS) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC warp_totals[WARP_TILES];
  __shared__ LookBack lookback;
  __shared__ u64 drawn;
  pdl_wait();
  const Elements input = INPUT;
  const u64 n = COUNT;
  const ACC init = INIT;
  const Outputs outputs = OUTPUTS(output + places.output);
  control += places.control;
  u64* words = control + 2;
  u64* supertile_words = words + places.tiles * ACC_WORDS;

  // --- Draw a tile ---
  const u64 ticket = draw_ticket(control, &drawn);
  const Draw draw = tile_at(tile_of(ticket), n);
  const u64 begin = draw.tile * TILE;

  // --- Scan the tile in registers ---
  ACC sums[ROWS_EACH * RUN];
  ACC prefix[ROWS_EACH];
  load_tile_sums(input, begin, n, sums, prefix, &lane_scratch, warp_totals);
  if (threadIdx.x == 0) lookback.epoch = epoch_of(ticket);
  __syncthreads();

  // --- Publish the total, look back, publish the prefix of the next supertile ---
  const ACC total = fold_warp_totals(warp_totals, WARP_TILES);
  if (threadIdx.x == 0 && draw.valid) {
    publish(words, draw.tile, lookback.epoch, STATE_AGGREGATE, total);
    if (writes_over(input, outputs)) device_fence();
  }
  ACC before;
  ACC after;
  look_back(&draw, words, supertile_words, total, input, init, &lookback, &before, &after,
            &lane_scratch);

  // --- Write the tile ---
  store_tile_sums(input, outputs, begin, n, sums, prefix, warp_totals, before, after,
                  &lane_scratch TOTAL_ARGUMENTS);
  LEAVE_TOTAL(n == 0 && draw.tile == 0 && threadIdx.x == 0, init);

  // --- Move the epoch on ---
  if (threadIdx.x == 0) {
    end_epoch(control, words, places.capacity, lookback.epoch, places.tiles,
              ticket_of(ticket) + 1 == places.tiles);
  }
}
