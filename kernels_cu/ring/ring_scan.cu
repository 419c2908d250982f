// Part ring_scan_kept:
// the role of a ring that scans tiles, where the folds of every run are kept in registers.
// Provides: ring_scan
// Uses: order_strip_results, bulk_copies, order_ring, ring_items, ring_reads, ring_results, total

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
    // --- Wait for a tile ---
    await(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    // --- Fold its runs ---
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

    // --- Wait for what lies before it, complete and store ---
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

// Part ring_scan_again:
// the role of a ring that scans tiles, where runs are long and every association has the
// same bits: a run is folded once for its total, and again when it is known what lies before it.
// Provides: ring_scan
// Uses: order_strip, pack_alignment, bulk_copies, order_ring, ring_items, ring_reads, ring_runs,
//   total

#define UNIT_OUTS (UNIT_BYTES / sizeof(OUT))
typedef char results_are_units[OUT_WORDS % 4 == 0 ? 1 : -1];

DEVICE void store_unit(OUT* to, const u32* word) {
  __stwb((uint4*)to, make_uint4(word[0], word[1], word[2], word[3]));
}

// Writes the runs of a row from `own` on, which do not begin where units do: so a unit has the end
// of the run before and the beginning of this lane's. The first and the last unit of the row are
// parts; the first lane makes both, and as many lanes as there are elements write them.
DEVICE void store_shifted(OUT* own, const u32* word) {
  const u32 off = (u32)((u64)own % UNIT_BYTES);
  const u32 before_own = off / sizeof(OUT);
  const u32 lane = lane_index();
#pragma unroll
  for (u32 u = 0; u < OUT_WORDS / 4; ++u) {
    Unit before;
    Unit unit;
#pragma unroll
    for (u32 w = 0; w < UNIT_BYTES / 4; ++w) {
      unit.word[w] = word[4 * u + w];
      before.word[w] = word[(4 * u + OUT_WORDS - 4 + w) % OUT_WORDS];
      if (u == 0) {
        before.word[w] = shuffle_word(before.word[w], (lane + LANES - 1) % LANES);
      }
    }
    const Unit shifted = join_units(before, unit, UNIT_BYTES - off);
    if (u > 0 || lane > 0) store_unit(own + u * UNIT_OUTS - before_own, shifted.word);
    if (u > 0) continue;
    u32 part = 0;
#pragma unroll
    for (u32 w = 0; w < UNIT_BYTES / 4; ++w) {
      const u32 first = shuffle_word(shifted.word[w], 0);
      if (lane * OUT_BITS / 32 == w) part = first;
    }
    OUT* to = own - lane * RUN - before_own + (lane < before_own ? LANES * RUN : 0);
    if (lane < UNIT_OUTS) to[lane] = (OUT)(part >> lane * OUT_BITS % 32);
  }
}

// Writes what the output has of a run of the row from element `row` on, which one lane holds, by as
// many lanes as it has elements. Every lane asked for each of its own would take a thousand
// instructions for a strip.
DEVICE void store_run_of(u32 lane, OUT* output, u64 from, u64 row, u64 n, const u32* word) {
  const u32 own = lane_index();
  u32 part = 0;
#pragma unroll
  for (u32 w = 0; w < OUT_WORDS; ++w) {
    const u32 given = shuffle_word(word[w], lane);
    if (own * OUT_BITS / 32 == w) part = given;
  }
  const u64 i = row + lane * RUN + own;
  if (own < RUN && i >= from && i < n) output[i] = (OUT)(part >> own * OUT_BITS % 32);
}

// Writes the strip from `begin` on: `prefix` are the folds of this lane's runs and of those before
// them in their rows, `start` is what lies before the strip. Runs begin where units do, or
// `shifted`. Elements before `from` are left alone, as are those from n on.
DEVICE void store_runs(OUT* output, u64 from, u64 begin, u64 n, bool shifted, Unit unit[STRIP_ROWS],
                       ACC prefix[STRIP_ROWS], ACC start, LaneScratch* scratch TOTAL_PARAMETERS) {
  const bool whole = begin >= from && begin + STRIP <= n;
  ACC row[STRIP_ROWS];
  ACC earlier[STRIP_ROWS];
  edge_rows(prefix, row, earlier, scratch);
  ACC before = start;
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    const u64 first = begin + run_index(r);
    const ACC running = lane_index() == 0 ? before : COMBINE(before, earlier[r]);
    before = COMBINE(before, row[r]);
    u32 word[OUT_WORDS];
    scan_run(unit_again(unit[r], n), first, n, running, word TOTAL_ARGUMENTS);
    const u64 line = begin + r * (LANES * RUN);
    if (!shifted) {
      if (whole || (first >= from && first + RUN <= n)) {
#pragma unroll
        for (u32 u = 0; u < OUT_WORDS / 4; ++u) {
          store_unit(output + first + u * UNIT_OUTS, word + 4 * u);
        }
      }
      if (whole) continue;
      if (line < from) store_run_of(0, output, from, line, n, word);
      if (line < n && n - line < LANES * RUN) {
        store_run_of((u32)(n - line) / RUN, output, from, line, n, word);
      }
    } else if (whole) {
      store_shifted(output + first, word);
    } else {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        if (first + k - from < n - from) {
          output[first + k] = (OUT)(word[k * OUT_BITS / 32] >> (k * OUT_BITS % 32));
        }
      }
    }
  }
}

// Scans tiles and writes them, as soon as it is known what lies before them. `shifted` is a
// constant: the loop for outputs where units lie is not to ask.
DEVICE void scan_tiles_in(u32 strip, Elements input, u64 n, OUT* output, bool shifted,
                          const uint4* stages, Ring* ring, LaneScratch* scratch TOTAL_PARAMETERS) {
  const u32 skew = skew_of(input);
  const uint4* tiles = stages + first_unit_of(input);
  Turn turn = first_turn();
  for (;;) {
    // --- Wait for a tile ---
    await(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    ACC prefix[STRIP_ROWS];
    Unit unit[STRIP_ROWS];
    // --- Fold its runs ---
    const u64 begin = tile * TILE + strip * STRIP;
    read_runs(tiles + turn.stage * STAGE_UNITS, skew, strip, unit);
    total_runs(unit, begin, n, prefix);
    arrive(&ring->read[turn.stage]);
    prefix_rows(prefix, scratch);

    // --- Wait for what lies before it, complete and store ---
    await(&ring->looked_back[turn.slot], turn.slot_parity);
    const ACC groups = ring->groups[turn.slot];
    const ACC before = tile % GROUP_TILES == 0 ? groups : COMBINE(groups, ring->earlier[turn.slot]);
    const ACC* strips = ring->strips[turn.slot];
    const ACC start = strip == 0 ? before : COMBINE(before, strips[strip - 1]);
    store_runs(output, first_of(input), begin, n, shifted, unit, prefix, start,
               scratch TOTAL_ARGUMENTS);
    next_turn(&turn);
  }
}

DEVICE void scan_tiles_of(u32 strip, Elements input, u64 n, OUT* output, const uint4* stages,
                          Ring* ring, LaneScratch* scratch TOTAL_PARAMETERS) {
  if (pack_aligned(output, UNIT_BYTES)) {
    scan_tiles_in(strip, input, n, output, false, stages, ring, scratch TOTAL_ARGUMENTS);
  } else {
    scan_tiles_in(strip, input, n, output, true, stages, ring, scratch TOTAL_ARGUMENTS);
  }
}

// Part ring_scan_spans:
// the role of a ring that scans tiles, where lanes have spans. Results go through local
// memory, from where lanes store units that lie side by side.
// Provides: ring_scan
// Uses: order_strip, bulk_copies, order_ring, ring_strips, total

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
    // --- Wait for a tile ---
    await(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    // --- Fold its runs ---
    const u64 begin = tile * TILE + strip * STRIP;
    ACC sums[SPAN];
    fold_span(tiles + turn.stage * STAGE_UNITS, strip, begin, n, sums);
    // Behind what the lanes have stored of the results of the tile before.
    lane_barrier();
    arrive(&ring->read[turn.stage]);
    const ACC prefix = lane_prefix(sums[SPAN - 1], scratch);
    const ACC earlier = lane_value(prefix, (lane_index() + LANES - 1) % LANES, scratch);

    // --- Wait for what lies before it, complete and store ---
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
