// Prelude: the role of a ring that reduces tiles.

// The totals of as many rows as a strip has, in the shape of a binary tree: lane l is given that of
// row l % STRIP_ROWS. Lanes that meet share out the rows, so that each step is half of the one
// before.
DEVICE ACC total_rows(ACC x[STRIP_ROWS], LaneScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const bool later = (lane_index() & distance) != 0;
    const u32 partner = lane_index() ^ distance;
    if (distance < STRIP_ROWS) {
#pragma unroll
      for (u32 r = 0; r < STRIP_ROWS / 2 / distance; ++r) {
        const ACC own = later ? x[2 * r + 1] : x[2 * r];
        const ACC other = lane_value(later ? x[2 * r] : x[2 * r + 1], partner, scratch);
        x[r] = COMBINE(later ? other : own, later ? own : other);
      }
    } else {
      const ACC other = lane_value(x[0], partner, scratch);
      x[0] = COMBINE(later ? other : x[0], later ? x[0] : other);
    }
  }
  return x[0];
}

// Reduces tiles as they land and publishes their totals, which others wait for.
DEVICE void reduce_tiles_of(Elements input, u64 n, u64* words, bool in_place, const uint4* stages,
                            Ring* ring, LaneScratch* scratch) {
  const u32 squad = lane_group();
  const u32 skew = skew_of(input);
  Turn turn = first_turn();
  for (;;) {
    await(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    ACC* strips = ring->strips[turn.slot];
#pragma unroll 1
    for (u32 s = 0; s < REDUCED_EACH; ++s) {
      const u32 strip = squad * REDUCED_EACH + s;
      Run run[STRIP_ROWS];
      ACC row[STRIP_ROWS];
      read_runs(stages + turn.stage * STAGE_UNITS, skew, strip, run);
      total_runs(run, tile * TILE + strip * STRIP, n, row);
      const ACC sum = total_rows(row, scratch);
      ACC total = lane_value(sum, 0, scratch);
#pragma unroll
      for (u32 r = 1; r < STRIP_ROWS; ++r) total = COMBINE(total, lane_value(sum, r, scratch));
      if (lane_index() == 0) strips[strip] = total;
    }
    if (lane_index() == 0) {
      arrive(&ring->read[turn.stage]);
      arrive(&ring->reduced[turn.slot]);
    }
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
