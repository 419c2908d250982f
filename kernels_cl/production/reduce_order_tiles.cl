// Part reduce_order_tiles: The reduction in order v1 by operators that do not commute, in one
// launch. A group takes a tile of a scan, whose total is in index order. The group that finishes
// last combines the totals; if there are many groups, each set of them is combined first.
// Cost: reads each element once, and writes and reads one accumulator per tile and per set of them;
// one launch.
// Assumes 64-bit atomics and fences that reach the whole device. Groups do not wait for each other.
// Source: bifold, docs/order.md; the last group as in NVIDIA's threadFenceReduction sample.
// Provides: reduce_order_tiles
// Uses: count, init, elements, outputs, order_tile, launch, neighbours, group_results,
//   reduce_places

// Totals are combined after the exchange within a tile.
typedef union {
  LaneScratch lanes;
  TreeScratch tree;
} TileScratch;

__kernel __attribute__((reqd_work_group_size(GROUP_SIZE, 1, 1))) void reduce_order_tiles(
    INPUT_PARAMETERS, COUNT_PARAMETERS, __global void* work, INIT_PARAMETERS,
    __global OUT* result MORE_OUTPUTS, ReducePlaces places) {
  __local TileScratch scratch;
  __local ACC warp_totals[WARP_TILES];
  __local u32 flag;
  pdl_wait();
  __global ACC* const nodes = (__global ACC*)work + places.nodes;
  __global u64* const control = (__global u64*)work + places.control;
  const Elements input = INPUT;
  const u64 n = COUNT;

  // --- Reduce the tile of this group ---
  ACC sums[ROWS_EACH * RUN];
  ACC prefix[ROWS_EACH];
  load_tile_sums(input, (u64)get_group_id(0) * TILE, n, sums, prefix, &scratch.lanes, warp_totals);
  barrier(CLK_LOCAL_MEM_FENCE);
  ACC root = IDENTITY;
  if (get_local_id(0) == 0) root = fold_warp_totals(warp_totals, WARP_TILES);

  // --- Combine the totals of all tiles ---
  const u64 count = n / TILE + (n % TILE != 0);
  const bool done =
      combine_groups(&root, nodes, count, control, places.per_set, &scratch.tree, &flag);

  // --- Write the result ---
  // Nobody else reads INIT, which may be the result's memory.
  if (done) PUT_RESULT(OUTPUTS(result + places.result), 0, COMBINE(INIT, root));
}
