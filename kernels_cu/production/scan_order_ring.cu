// Part scan_order_ring:
// Single-pass scan in order v1 by groups that stay, with tiles in a ring in local memory: the
// same association as scan_order, with other roles. The lane groups of a group divide the work: one
// draws tiles and has the bulk copy engine bring them in, several ahead; some reduce each as soon
// as it has landed, and publish its total long before it is scanned; one finds what lies before the
// tile from totals alone, carrying on from the group's last tile; the others scan and store. So who
// looks back hardly ever waits, which is what a look-back costs otherwise.
// Where no association shows, integers of 1 and 2 bytes come in longer runs and tiles than order v1
// has, and lanes have neighbours of elements of 16 bytes, in shorter tiles.
// Waiting is bounded, and a tile that stays missing is reduced by who needs it, in the same order.
// Cost: reads and writes each element once; one launch. Assumes 64-bit words visible to other
// running groups, and local memory that holds the ring. Source: bifold; look-back as in Merrill &
// Garland 2016.
// Provides: scan_order_ring
// Uses: words, count, init, total, lanes, ring_elements, launch, atomics, tile_words, order_ring,
//   ring_reduce, ring_scan, ring_lookback

extern "C" __global__ void __launch_bounds__(GROUP_SIZE, 1)
    scan_order_ring(INPUT_PARAMETERS, COUNT_PARAMETERS, OUT* output, INIT_PARAMETERS, u64* control,
                    ScanPlaces places TOTAL_PARAMETERS) {
  extern __shared__ __align__(128) uint4 stages[];
  __shared__ LaneScratch lane_scratch;
  __shared__ Ring ring;
  if (threadIdx.x == 0) expect_first_tiles(INPUT, KNOWN_COUNT);
  make_ring(&ring);
  await_earlier_work();
  admit_later_work();
  const Elements input = INPUT;
  const u64 n = first_of(input) + COUNT;
  const ACC init = INIT;
  output = output + places.output - first_of(input);
  control += places.control;
  u64* words = control + 2;
  u64* group_words = words + places.tiles * ACC_WORDS;

  // --- Divide the roles ---
  // The same in all lanes, which CUDA's compiler knows only of what a shuffle gives.
  const u32 role = shuffle_word(lane_group(), 0);
  if (role < REDUCING) {
    reduce_tiles_of(role, input, n, words, starts_at(input, output), stages, &ring, &lane_scratch);
  } else if (role < LOOKER) {
    scan_tiles_of(role - REDUCING, input, n, output, stages, &ring, &lane_scratch TOTAL_ARGUMENTS);
  } else if (role < LOADER) {
    look_back_of(role - LOOKER, input, init, words, group_words, places.tiles, &ring,
                 &lane_scratch);
  } else {
    load_tiles(input, n, control, stages, &ring, starts_at(input, output));
  }
  __syncthreads();
  LEAVE_TOTAL(n == first_of(input) && blockIdx.x == 0 && threadIdx.x == 0, init);

  // --- Move the epoch on ---
  if (threadIdx.x == 0) {
    const bool last = ticket_of(ring.ticket) + 1 == tickets_of(n);
    end_epoch(control, words, places.capacity, ring.epoch, gridDim.x, last);
  }
}
