// Part scan_order_ring: Single-pass scan in order v1 by persistent groups, with a ring of tiles in
// local memory. The association is that of scan_order. The warps of a group have roles:
// - the loader draws tiles and has the bulk copy engine load them, several ahead;
// - reducers reduce a tile when it has landed, and publish its total long before it is scanned;
// - lookers find a tile's prefix from totals alone, starting from the group's previous tile;
// - scanners scan a tile and store it.
// So the look-back hardly ever waits.
// Where every association has the same bits, 1-byte and 2-byte integers have longer runs and tiles
// than order v1 has; for elements of 16 bytes a lane has consecutive elements, and tiles are
// shorter.
// Waiting is bounded. A group that waits for a missing tile reduces it itself, in the same order.
// Cost: reads and writes each element once; one launch.
// Assumes 64-bit words visible to other running groups, and local memory that holds the ring.
// Source: bifold; look-back as in Merrill & Garland 2016.
// Provides: scan_order_ring
// Uses: words, count, init, total, lanes, ring_elements, launch, tile_words, order_ring,
//   ring_reduce, ring_scan, ring_lookback, element_start, ring_access, warp_index, shuffle_word,
//   launch_dependents

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, 1)
    scan_order_ring(INPUT_PARAMETERS, COUNT_PARAMETERS, OUT* output, INIT_PARAMETERS, u64* control,
                    ScanPlaces places TOTAL_PARAMETERS) {
  extern __shared__ __align__(128) uint4 stages[];
  __shared__ LaneScratch lane_scratch;
  __shared__ Ring ring;
  if (threadIdx.x == 0) prefetch_first_tiles(INPUT, KNOWN_COUNT);
  make_ring(&ring);
  pdl_wait();
  pdl_launch_dependents();
  const Elements input = INPUT;
  const u64 n = first_index_of(input) + COUNT;
  const ACC init = INIT;
  output = output + places.output - first_index_of(input);
  control += places.control;
  u64* words = control + 2;
  u64* supertile_words = words + places.tiles * ACC_WORDS;

  // --- Divide the roles ---
  // It is the same in all lanes. CUDA's compiler knows that only of a shuffle's result.
  const u32 role = shuffle_word(warp_index(), 0);
  if (role < REDUCING) {
    reduce_tiles_of(role, input, n, words, starts_at(input, output), stages, &ring, &lane_scratch);
  } else if (role < LOOKER) {
    scan_tiles_of(role - REDUCING, input, n, output, stages, &ring, &lane_scratch TOTAL_ARGUMENTS);
  } else if (role < LOADER) {
    look_back_of(role - LOOKER, input, init, words, supertile_words, places.tiles, &ring,
                 &lane_scratch);
  } else {
    load_tiles(input, n, control, stages, &ring, starts_at(input, output));
  }
  __syncthreads();
  LEAVE_TOTAL(n == first_index_of(input) && blockIdx.x == 0 && threadIdx.x == 0, init);

  // --- Move the epoch on ---
  if (threadIdx.x == 0) {
    const bool last = ticket_of(ring.ticket) + 1 == tickets_of(n);
    end_epoch(control, words, places.capacity, ring.epoch, gridDim.x, last);
  }
}
