// Prelude: the role of a ring that scans tiles, where the folds of every run are kept in registers.

// The folds of elements 0 to k of a whole run.
DEVICE void fold_run(Run run, u64 first, ACC* sums) {
  ACC running = lift_element(item_of(run, 0), first);
  sums[0] = running;
#pragma unroll
  for (u32 k = 1; k < RUN; ++k) {
    running = COMBINE(running, lift_element(item_of(run, k), first + k));
    sums[k] = running;
  }
}

// The same of the runs that were read; elements from n on are skipped.
DEVICE void fold_read_runs(Run run[STRIP_ROWS], u64 begin, u64 n, ACC* sums) {
  // Nearly every strip is whole, and then nothing is asked of its elements or rows.
  if (begin + STRIP <= n) {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) fold_run(run[r], begin + run_index(r), sums + r * RUN);
    return;
  }
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    const u64 first = begin + run_index(r);
    if (first + RUN <= n) {
      fold_run(run[r], first, sums + r * RUN);
    } else {
      ACC running = IDENTITY;
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        if (first + k < n) {
          running = COMBINE(running, lift_element(item_of(run[r], k), first + k));
        }
        sums[r * RUN + k] = running;
      }
    }
  }
}

// Scans tiles and writes them, as soon as it is known what lies before them.
DEVICE void scan_tiles_of(u32 strip, Elements input, u64 n, OUT* output, uint4* stages, Ring* ring,
                          LaneScratch* scratch TOTAL_PARAMETERS) {
  const u32 skew = skew_of(input);
  uint4* results = results_of(stages, strip);
  const uint4* tiles = stages + first_unit_of(input);
  const bool in_place = starts_at(input, output);
  Turn turn = first_turn();
  for (;;) {
    await(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    const u64 begin = tile * TILE + strip * STRIP;
    ACC sums[STRIP_ROWS * RUN];
    ACC prefix[STRIP_ROWS];
    Run run[STRIP_ROWS];
    read_runs(tiles + turn.stage * STAGE_UNITS, skew, strip, run);
    fold_read_runs(run, begin, n, sums);
    arrive(&ring->read[turn.stage]);
    prefix_strip(sums, prefix, scratch);
    ACC row[STRIP_ROWS];
    ACC earlier[STRIP_ROWS];
    edge_rows(prefix, row, earlier, scratch);

    await(&ring->looked_back[turn.slot], turn.slot_parity);
    const ACC groups = ring->groups[turn.slot];
    const ACC before = tile % GROUP_TILES == 0 ? groups : COMBINE(groups, ring->earlier[turn.slot]);
    const ACC* strips = ring->strips[turn.slot];
    const ACC start = strip == 0 ? before : COMBINE(before, strips[strip - 1]);
    const ACC next = strip == TILE_STRIPS - 1 ? COMBINE(groups, ring->with_own[turn.slot])
                                              : COMBINE(before, strips[strip]);
    complete_strip(begin, n, sums, prefix, row, earlier, start, next TOTAL_ARGUMENTS);
    put_strip(output, first_of(input), begin, n, in_place, sums, results);
    next_turn(&turn);
  }
  await_results();
}
