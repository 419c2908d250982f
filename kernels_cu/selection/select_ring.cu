// Part select_ring: Single-pass selection by persistent groups, with a ring of tiles in local
// memory, as the scan in order v1 by a ring has it:
// - the loader draws tiles and has the bulk copy engine load them, several ahead;
// - reducers flag what is kept of a tile when it has landed, and publish how many these are long
//   before they are stored;
// - lookers find how much is kept before a tile, from counts alone;
// - scanners gather what is kept in local memory, and have the copy engine store it.
// Waiting is bounded. A group that waits for a missing tile counts it itself, from the input: so
// the output may not be the input's memory.
// Cost: reads each element once, writes what is kept once; one launch. What is rejected lies behind
// all that is kept only if an earlier launch has counted that.
// Assumes 64-bit words visible to other running groups, and local memory that holds the ring.
// Source: bifold; look-back as in Merrill & Garland 2016.
// Provides: select_ring
// Uses: words, count, total, select_places, lanes, ring_elements, launch, tile_words, order_ring,
//   ring_flags, ring_count, ring_all, ring_select, ring_lookback, ring_access, warp_index,
//   shuffle_word, launch_dependents

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, 1)
    select_ring(INPUT_PARAMETERS, COUNT_PARAMETERS, OUT* output, u64* control,
                SelectPlaces places ALL_PARAMETERS TOTAL_PARAMETERS) {
  extern __shared__ __align__(128) uint4 stages[];
  __shared__ LaneScratch lane_scratch;
  __shared__ Ring ring;
  __shared__ RingFlags flags;
  if (threadIdx.x == 0) prefetch_first_tiles(INPUT, KNOWN_COUNT);
  make_ring(&ring);
  pdl_wait();
  pdl_launch_dependents();
  const Elements input = INPUT;
  const u64 n = COUNT;
  output += places.output;
  control += places.control;
  u64* words = control + 2;
  u64* supertile_words = words + places.tiles * ACC_WORDS;

  // --- Divide the roles ---
  // It is the same in all lanes. CUDA's compiler knows that only of a shuffle's result.
  const u32 role = shuffle_word(warp_index(), 0);
  if (role < REDUCING) {
    count_tiles_of(role, input, n, words, stages, &ring, &flags);
  } else if (role < LOOKER) {
    select_tiles_of(role - REDUCING, input, n, ALL_KEPT, output, places.room, stages, &ring,
                    &flags TOTAL_ARGUMENTS);
  } else if (role < LOADER) {
    look_back_of(role - LOOKER, input, IDENTITY, words, supertile_words, places.tiles, &ring,
                 &lane_scratch);
  } else {
    load_tiles(input, n, control, stages, &ring, false);
  }
  __syncthreads();
  LEAVE_TOTAL(n == 0 && blockIdx.x == 0 && threadIdx.x == 0, IDENTITY);

  // --- Move the epoch on ---
  if (threadIdx.x == 0) {
    const bool last = ticket_of(ring.ticket) + 1 == tickets_of(n);
    end_epoch(control, words, places.capacity, ring.epoch, gridDim.x, last);
  }
}
