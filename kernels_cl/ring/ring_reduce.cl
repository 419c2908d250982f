// Part ring_publication: the reducers of a tile publish its total together.
// Provides: ring_publication
// Uses: tile_words, bulk_copies, order_ring, device_fence, lane_index

// Folds and publishes the totals of a tile's warp tiles, when every reducer has left its own.
DEVICE void publish_tile(u32 reducer, u64 tile, Turn turn, __global u64* words, bool in_place,
                         __local Ring* ring) {
  __local ACC* warp_totals = ring->warp_totals[turn.slot];
  if (lane_index() == 0) mbarrier_arrive(&ring->reduced[turn.slot]);
  if (reducer != 0) return;
  mbarrier_wait(&ring->reduced[turn.slot], turn.slot_parity);
  if (lane_index() != 0) return;
  ACC sum[WARP_TILES];
#pragma unroll
  for (u32 s = 0; s < WARP_TILES; ++s) sum[s] = warp_totals[s];
#pragma unroll
  for (u32 s = 1; s < WARP_TILES; ++s) sum[s] = COMBINE(sum[s - 1], sum[s]);
  publish(words, tile, ring->epoch, STATE_AGGREGATE, sum[WARP_TILES - 1]);
  if (in_place) device_fence();
#pragma unroll
  for (u32 s = 1; s < WARP_TILES; ++s) warp_totals[s] = sum[s];
  mbarrier_arrive(&ring->published[turn.slot]);
}

// Part ring_reduce: the warps of a ring that reduce tiles.
// Provides: ring_reduce
// Uses: bulk_copies, order_ring, ring_items, ring_warp_tiles, ring_publication, lane_index

// Reduces each tile when it has landed, and publishes its total.
DEVICE void reduce_tiles_of(u32 reducer, Elements input, u64 n, __global u64* words, bool in_place,
                            const __local uint4* stages, __local Ring* ring,
                            __local LaneScratch* scratch) {
  const u32 misalignment = misalignment_of(input);
  const __local uint4* tiles = stages + first_vector_of(input);
  Turn turn = first_turn();
  for (;;) {
    // --- Wait for a tile ---
    mbarrier_wait(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    // --- Total its warp tiles ---
    __local ACC* warp_totals = ring->warp_totals[turn.slot];
#pragma unroll 1
    for (u32 s = 0; s < REDUCED_EACH; ++s) {
      const u32 warp_tile = reducer * REDUCED_EACH + s;
      const ACC total = total_warp_tile(tiles + turn.stage * STAGE_VECTORS, misalignment, warp_tile,
                                        tile * TILE + warp_tile * WARP_TILE, n, scratch);
      if (lane_index() == 0) warp_totals[warp_tile] = total;
    }
    mbarrier_arrive(&ring->read[turn.stage]);
    publish_tile(reducer, tile, turn, words, in_place, ring);
    next_turn(&turn);
  }
  if (reducer == 0 && lane_index() == 0) mbarrier_arrive(&ring->published[turn.slot]);
}
