// Part select_passes: Selection in two passes over consecutive tiles: every group counts what is
// kept of its tiles, then adds up the counts of the groups before it, and stores its own. No group
// waits for another, so it runs on every device; but not in place.
// Cost: reads each element twice, writes what is kept once; two launches; 5 barriers per tile.
// Assumes nothing, and the number of groups is not limited.
// Source: bifold; after Oancea & Henriksen 2023, section on scan.
// Provides: select_passes
// Uses: count, total, select_places, elements, beside, lanes, lane_folds, select_tile, blocks,
//   group_lanes

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    count_tiles(INPUT_PARAMETERS, COUNT_PARAMETERS, ACC* partials, u64 partials_offset) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[WARPS];
  const u64 n = COUNT;
  const Elements input = INPUT;
  const u64 first = block_begin(n, blockIdx.x, gridDim.x);
  const u64 end = block_begin(n, blockIdx.x + 1, gridDim.x);

  // --- Count what is kept of the tiles of this group ---
  ACC count = IDENTITY;
  for (u64 i = first + threadIdx.x; i < end; i += GROUP_SIZE) {
    count = COMBINE(count, lift_element(load_element(input, i), i));
  }
  count = group_lanes(count, &lane_scratch, totals);
  if (threadIdx.x == 0) partials[partials_offset + blockIdx.x] = count;
}

extern "C" __global__ void __launch_bounds__(GROUP_SIZE)
    store_tiles(INPUT_PARAMETERS, COUNT_PARAMETERS, const ACC* partials, u64 partials_offset,
                OUT* output, SelectPlaces places TOTAL_PARAMETERS BESIDE_PARAMETERS) {
  __shared__ LaneScratch lane_scratch;
  __shared__ ACC totals[WARPS];
  __shared__ u32 counts[WARPS];
  __shared__ OUT gathered[TILE];
  __shared__ Beside gathered_beside[BESIDE_SLOTS];
  __shared__ ACC prefix;
  const u64 n = COUNT;
  const Elements input = INPUT;
  const u64 first = block_begin(n, blockIdx.x, gridDim.x);
  const u64 end = block_begin(n, blockIdx.x + 1, gridDim.x);
  output += places.output;

  // --- Add up the counts of the groups before this one ---
  ACC before = IDENTITY;
  for (u64 g = threadIdx.x; g < blockIdx.x; g += GROUP_SIZE) {
    before = COMBINE(before, partials[partials_offset + g]);
  }
  before = group_lanes(before, &lane_scratch, totals);
  if (threadIdx.x == 0) prefix = before;
  __syncthreads();
  u64 at = prefix;
  LEAVE_KEPT(threadIdx.x == 0 && blockIdx.x == gridDim.x - 1,
             COMBINE(prefix, partials[partials_offset + blockIdx.x]), n, places.room);

  // --- Add up the counts of all groups, if a place depends on them ---
  ACC own = IDENTITY;
  if (NEEDS_ALL) {
    __syncthreads();
    for (u64 g = threadIdx.x; g < gridDim.x; g += GROUP_SIZE) {
      own = COMBINE(own, partials[partials_offset + g]);
    }
    own = group_lanes(own, &lane_scratch, totals);
    if (threadIdx.x == 0) prefix = own;
    __syncthreads();
  }
  const u64 all = prefix;

  // --- Gather and store what is kept of the tiles of this group ---
  for (u64 begin = first; begin < end; begin += TILE) {
    Element item[PER_ITEM];
    u32 rank[PER_ITEM];
    const u32 flags = load_tile(input, begin, n, item);
    const u32 count = rank_tile(flags, rank, &lane_scratch, counts);
    const u32 size = tile_size(begin, n);
    gather_tile(item, flags, rank, begin, count, size, gathered, gathered_beside);
    __syncthreads();
    store_tile(gathered, count, size, output, begin, n, at, all, places.room);
    if (STORES_BESIDE) {
      store_beside(gathered_beside, count, BESIDE_OUTPUT, at, BESIDE_ROOM(places.room));
    }
    __syncthreads();
    at += count;
  }
}
