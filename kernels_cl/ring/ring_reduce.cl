// Part ring_reduce: the role of a ring that reduces tiles.
// Provides: ring_reduce
// Uses: tile_words, bulk_copies, order_ring, ring_items, ring_strips

// Reduces tiles as they land and publishes their totals, which others wait for.
DEVICE void reduce_tiles_of(u32 squad, Elements input, u64 n, __global u64* words, bool in_place,
                            const __local uint4* stages, __local Ring* ring,
                            __local LaneScratch* scratch) {
  const u32 skew = skew_of(input);
  const __local uint4* tiles = stages + first_unit_of(input);
  Turn turn = first_turn();
  for (;;) {
    // --- Wait for a tile ---
    await(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    // --- Total its strips ---
    __local ACC* strips = ring->strips[turn.slot];
#pragma unroll 1
    for (u32 s = 0; s < REDUCED_EACH; ++s) {
      const u32 strip = squad * REDUCED_EACH + s;
      const ACC total = total_strip(tiles + turn.stage * STAGE_UNITS, skew, strip,
                                    tile * TILE + strip * STRIP, n, scratch);
      if (lane_index() == 0) strips[strip] = total;
    }
    arrive(&ring->read[turn.stage]);
    if (lane_index() == 0) arrive(&ring->reduced[turn.slot]);
    // --- Publish its total ---
    if (squad == 0) {
      await(&ring->reduced[turn.slot], turn.slot_parity);
      if (lane_index() == 0) {
        ACC sum[TILE_STRIPS];
#pragma unroll
        for (u32 s = 0; s < TILE_STRIPS; ++s) sum[s] = strips[s];
#pragma unroll
        for (u32 s = 1; s < TILE_STRIPS; ++s) sum[s] = COMBINE(sum[s - 1], sum[s]);
        publish(words, tile, ring->epoch, STATE_AGGREGATE, sum[TILE_STRIPS - 1]);
        if (in_place) device_fence();
#pragma unroll
        for (u32 s = 1; s < TILE_STRIPS; ++s) strips[s] = sum[s];
        arrive(&ring->published[turn.slot]);
      }
    }
    next_turn(&turn);
  }
  if (squad == 0 && lane_index() == 0) arrive(&ring->published[turn.slot]);
}
