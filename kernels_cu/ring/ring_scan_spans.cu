// Prelude: the role of a ring that scans tiles, where lanes have spans. Results go through local
// memory, from where lanes store units that lie side by side.

typedef char results_are_units[sizeof(OUT) == UNIT_BYTES ? 1 : -1];

// Gathers the results of a strip: those of this lane's elements, whose folds are `sums`, behind
// `start`.
DEVICE void gather_span(uint4* results, u64 first, u64 n, const ACC sums[SPAN],
                        ACC start TOTAL_PARAMETERS) {
  uint4* own = results + span_index();
  ACC running = start;
#pragma unroll
  for (u32 k = 0; k < SPAN; ++k) {
    const ACC earlier = running;
    running = COMBINE(start, sums[k]);
    LEAVE_TOTAL(first + k + 1 == n, running);
    union {
      u32 word[UNIT_BYTES / 4];
      OUT item;
    } unit;
    unit.item = TO_OUT(INCLUSIVE ? running : earlier);
    own[k] = make_uint4(unit.word[0], unit.word[1], unit.word[2], unit.word[3]);
  }
}

// Stores the first `count` results of a strip from `to` on.
DEVICE void store_results(OUT* to, const uint4* results, u64 count) {
  if (count >= STRIP && (u64)to % UNIT_BYTES == 0) {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
      const u32 i = r * LANES + lane_index();
      __stwb((uint4*)to + i, results[i]);
    }
    return;
  }
#pragma unroll 1
  for (u32 i = lane_index(); i < STRIP && i < count; i += LANES) to[i] = ((const OUT*)results)[i];
}

// Scans tiles and writes them, as soon as it is known what lies before them.
DEVICE void scan_tiles_of(u32 strip, Elements input, u64 n, OUT* output, uint4* stages, Ring* ring,
                          LaneScratch* scratch TOTAL_PARAMETERS) {
  uint4* results = stages + STAGES * STAGE_UNITS + strip * STRIP;
  const uint4* tiles = stages + first_unit_of(input);
  Turn turn = first_turn();
  for (;;) {
    await(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    const u64 begin = tile * TILE + strip * STRIP;
    ACC sums[SPAN];
    fold_span(tiles + turn.stage * STAGE_UNITS, strip, begin, n, sums);
    // Behind what the lanes have stored of the results of the tile before.
    lane_barrier();
    arrive(&ring->read[turn.stage]);
    const ACC prefix = lane_prefix(sums[SPAN - 1], scratch);
    const ACC earlier = lane_value(prefix, (lane_index() + LANES - 1) % LANES, scratch);

    await(&ring->looked_back[turn.slot], turn.slot_parity);
    ACC start = ring->groups[turn.slot];
    if (tile % GROUP_TILES > 0) start = COMBINE(start, ring->earlier[turn.slot]);
    if (strip > 0) start = COMBINE(start, ring->strips[turn.slot][strip - 1]);
    if (lane_index() > 0) start = COMBINE(start, earlier);
    gather_span(results, begin + span_index(), n, sums, start TOTAL_ARGUMENTS);
    lane_barrier();
    store_results(output + begin, results, begin < n ? n - begin : 0);
    next_turn(&turn);
  }
}
