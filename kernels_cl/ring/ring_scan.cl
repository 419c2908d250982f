// Part ring_scan_kept: the warps of a ring that scan tiles. The folds of every run are kept in
// registers.
// Provides: ring_scan
// Uses: order_warp_tile_results, bulk_copies, order_ring, ring_items, ring_reads, ring_results,
//   total, element_start, ring_access, ring_item, warp_tile_prefix

// The folds of elements 0 to k of a whole run.
DEVICE void fold_run(Run run, u64 first, __private ACC* sums) {
  ACC running = lift_element(item_of(run, 0), first);
  sums[0] = running;
#pragma unroll
  for (u32 k = 1; k < RUN; ++k) {
    running = COMBINE(running, lift_element(item_of(run, k), first + k));
    sums[k] = running;
  }
}

// The same for all runs that were read. Elements from n on are skipped.
DEVICE void fold_read_runs(Run run[WARP_TILE_ROWS], u64 begin, u64 n, __private ACC* sums) {
  // Nearly every warp tile is whole: then no element or row is checked.
  if (begin + WARP_TILE <= n) {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) fold_run(run[r], begin + run_index(r), sums + r * RUN);
    return;
  }
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
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

// Scans tiles and writes them as soon as their prefixes are known.
DEVICE void scan_tiles_of(u32 warp_tile, Elements input, u64 n, __global OUT* output,
                          __local uint4* stages, __local Ring* ring,
                          __local LaneScratch* scratch TOTAL_PARAMETERS) {
  const u32 misalignment = misalignment_of(input);
  __local uint4* results = results_of(stages, warp_tile);
  const __local uint4* tiles = stages + first_vector_of(input);
  const bool in_place = starts_at(input, output);
  Turn turn = first_turn();
  for (;;) {
    // --- Wait for a tile ---
    mbarrier_wait(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    // --- Fold its runs ---
    const u64 begin = tile * TILE + warp_tile * WARP_TILE;
    ACC sums[WARP_TILE_ROWS * RUN];
    ACC prefix[WARP_TILE_ROWS];
    Run run[WARP_TILE_ROWS];
    read_runs(tiles + turn.stage * STAGE_VECTORS, misalignment, warp_tile, run);
    fold_read_runs(run, begin, n, sums);
    mbarrier_arrive(&ring->read[turn.stage]);
    prefix_warp_tile(sums, prefix, scratch);

    // --- Wait for what lies before it, complete and store ---
    mbarrier_wait(&ring->looked_back[turn.slot], turn.slot_parity);
    const ACC before_supertile = ring->before_supertile[turn.slot];
    const ACC before = tile % SUPERTILE_TILES == 0
                           ? before_supertile
                           : COMBINE(before_supertile, ring->before_tile[turn.slot]);
    const __local ACC* warp_totals = ring->warp_totals[turn.slot];
    const ACC start = warp_tile == 0 ? before : COMBINE(before, warp_totals[warp_tile - 1]);
    const ACC next = warp_tile == WARP_TILES - 1
                         ? COMBINE(before_supertile, ring->through_tile[turn.slot])
                         : COMBINE(before, warp_totals[warp_tile]);
    // Taken before the wait, these would be more values to keep: f64 takes 1 % longer from OpenCL.
    ACC row[WARP_TILE_ROWS];
    ACC earlier[WARP_TILE_ROWS];
    edge_rows(prefix, row, earlier, scratch);
    complete_warp_tile(begin, n, sums, prefix, row, earlier, start, next TOTAL_ARGUMENTS);
    put_warp_tile(output, first_index_of(input), begin, n, in_place, sums, results);
    next_turn(&turn);
  }
  wait_results();
}

// Part ring_scan_again: the warps of a ring that scan tiles, where runs are long and every
// association has the same bits. A run is folded once for its total, and again when its prefix is
// known.
// Provides: ring_scan
// Uses: order_warp_tile, alignment, bulk_copies, order_ring, ring_items, ring_reads, ring_runs,
//   total, ring_access, lane_index, shuffle_word

#define VECTOR_OUTS (VECTOR_BYTES / sizeof(OUT))
typedef char results_are_vectors[OUT_WORDS % 4 == 0 ? 1 : -1];

DEVICE void store_words(__global OUT* to, const u32* word) {
  *(__global uint4*)to = (uint4)(word[0], word[1], word[2], word[3]);
}

// Writes the runs of a row from `own` on to a misaligned output. A vector then has the end of the
// previous lane's run and the beginning of this lane's. The first and the last vector of the row
// are parts: the first lane makes both, and as many lanes as a vector has elements write them.
DEVICE void store_shifted(__global OUT* own, const u32* word) {
  const u32 misalignment = (u32)((u64)own % VECTOR_BYTES);
  const u32 before_own = misalignment / sizeof(OUT);
  const u32 lane = lane_index();
#pragma unroll
  for (u32 u = 0; u < OUT_WORDS / 4; ++u) {
    Vector before;
    Vector vector;
#pragma unroll
    for (u32 w = 0; w < VECTOR_BYTES / 4; ++w) {
      vector.word[w] = word[4 * u + w];
      before.word[w] = word[(4 * u + OUT_WORDS - 4 + w) % OUT_WORDS];
      if (u == 0) {
        before.word[w] = shuffle_word(before.word[w], (lane + LANES - 1) % LANES);
      }
    }
    const Vector shifted = join_vectors(before, vector, VECTOR_BYTES - misalignment);
    if (u > 0 || lane > 0) store_words(own + u * VECTOR_OUTS - before_own, shifted.word);
    if (u > 0) continue;
    u32 part = 0;
#pragma unroll
    for (u32 w = 0; w < VECTOR_BYTES / 4; ++w) {
      const u32 first = shuffle_word(shifted.word[w], 0);
      if (lane * OUT_BITS / 32 == w) part = first;
    }
    __global OUT* to = own - lane * RUN - before_own + (lane < before_own ? LANES * RUN : 0);
    if (lane < VECTOR_OUTS) to[lane] = (OUT)(part >> lane * OUT_BITS % 32);
  }
}

// Writes a run of the row from element `row` on, which one lane holds, where the output has only a
// part of it. As many lanes write as the run has elements. If every lane checked its own elements,
// a warp tile would take a thousand instructions.
DEVICE void store_run_of(u32 lane, __global OUT* output, u64 from, u64 row, u64 n,
                         const u32* word) {
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

// Writes the warp tile from `begin` on. `prefix` has the folds of this lane's runs and those before
// them in their rows; `start` is the warp tile's prefix. The output is aligned, or `shifted`.
// Elements before `from` and from n on are left alone.
DEVICE void store_runs(__global OUT* output, u64 from, u64 begin, u64 n, bool shifted,
                       Vector vector[WARP_TILE_ROWS], ACC prefix[WARP_TILE_ROWS], ACC start,
                       __local LaneScratch* scratch TOTAL_PARAMETERS) {
  const bool whole = begin >= from && begin + WARP_TILE <= n;
  ACC row[WARP_TILE_ROWS];
  ACC earlier[WARP_TILE_ROWS];
  edge_rows(prefix, row, earlier, scratch);
  ACC before = start;
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    const u64 first = begin + run_index(r);
    const ACC running = lane_index() == 0 ? before : COMBINE(before, earlier[r]);
    before = COMBINE(before, row[r]);
    u32 word[OUT_WORDS];
    scan_run(opaque_vector(vector[r], n), first, n, running, word TOTAL_ARGUMENTS);
    const u64 line = begin + r * (LANES * RUN);
    if (!shifted) {
      if (whole || (first >= from && first + RUN <= n)) {
#pragma unroll
        for (u32 u = 0; u < OUT_WORDS / 4; ++u) {
          store_words(output + first + u * VECTOR_OUTS, word + 4 * u);
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

// Scans tiles and writes them as soon as their prefixes are known. `shifted` is a constant, so that
// the loop for aligned outputs does not check it.
DEVICE void scan_tiles_in(u32 warp_tile, Elements input, u64 n, __global OUT* output, bool shifted,
                          const __local uint4* stages, __local Ring* ring,
                          __local LaneScratch* scratch TOTAL_PARAMETERS) {
  const u32 misalignment = misalignment_of(input);
  const __local uint4* tiles = stages + first_vector_of(input);
  Turn turn = first_turn();
  for (;;) {
    // --- Wait for a tile ---
    mbarrier_wait(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    ACC prefix[WARP_TILE_ROWS];
    Vector vector[WARP_TILE_ROWS];
    // --- Fold its runs ---
    const u64 begin = tile * TILE + warp_tile * WARP_TILE;
    read_runs(tiles + turn.stage * STAGE_VECTORS, misalignment, warp_tile, vector);
    total_runs(vector, begin, n, prefix);
    mbarrier_arrive(&ring->read[turn.stage]);
    prefix_rows(prefix, scratch);

    // --- Wait for what lies before it, complete and store ---
    mbarrier_wait(&ring->looked_back[turn.slot], turn.slot_parity);
    const ACC before_supertile = ring->before_supertile[turn.slot];
    const ACC before = tile % SUPERTILE_TILES == 0
                           ? before_supertile
                           : COMBINE(before_supertile, ring->before_tile[turn.slot]);
    const __local ACC* warp_totals = ring->warp_totals[turn.slot];
    const ACC start = warp_tile == 0 ? before : COMBINE(before, warp_totals[warp_tile - 1]);
    store_runs(output, first_index_of(input), begin, n, shifted, vector, prefix, start,
               scratch TOTAL_ARGUMENTS);
    next_turn(&turn);
  }
}

DEVICE void scan_tiles_of(u32 warp_tile, Elements input, u64 n, __global OUT* output,
                          const __local uint4* stages, __local Ring* ring,
                          __local LaneScratch* scratch TOTAL_PARAMETERS) {
  if (is_aligned(output, VECTOR_BYTES)) {
    scan_tiles_in(warp_tile, input, n, output, false, stages, ring, scratch TOTAL_ARGUMENTS);
  } else {
    scan_tiles_in(warp_tile, input, n, output, true, stages, ring, scratch TOTAL_ARGUMENTS);
  }
}

// Part ring_scan_spans: the warps of a ring that scan tiles, where lanes have spans. Results go
// through local memory, so that lanes store neighbouring vectors.
// Provides: ring_scan
// Uses: order_warp_tile, bulk_copies, order_ring, ring_warp_tiles, total, lane_index, lane_barrier

typedef char results_are_vectors[sizeof(OUT) == VECTOR_BYTES ? 1 : -1];

// Gathers the results of this lane's elements, whose folds are `sums`. `start` is the lane's
// prefix.
DEVICE void gather_span(__local uint4* results, u64 first, u64 n, const __private ACC* sums,
                        ACC start TOTAL_PARAMETERS) {
  __local uint4* own = results + span_index();
  ACC running = start;
#pragma unroll
  for (u32 k = 0; k < SPAN; ++k) {
    const ACC earlier = running;
    running = COMBINE(start, sums[k]);
    LEAVE_TOTAL(first + k + 1 == n, running);
    union {
      uint4 whole;
      OUT item;
    } vector;
    vector.item = TO_OUT(INCLUSIVE ? running : earlier);
    own[k] = vector.whole;
  }
}

// Stores the first `count` results of a warp tile from `to` on.
DEVICE void store_results(__global OUT* to, const __local uint4* results, u64 count) {
  if (count >= WARP_TILE && (u64)to % VECTOR_BYTES == 0) {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
      const u32 i = r * LANES + lane_index();
      ((__global uint4*)to)[i] = results[i];
    }
    return;
  }
#pragma unroll 1
  for (u32 i = lane_index(); i < WARP_TILE && i < count; i += LANES)
    to[i] = ((const __local OUT*)results)[i];
}

// Scans tiles and writes them as soon as their prefixes are known.
DEVICE void scan_tiles_of(u32 warp_tile, Elements input, u64 n, __global OUT* output,
                          __local uint4* stages, __local Ring* ring,
                          __local LaneScratch* scratch TOTAL_PARAMETERS) {
  __local uint4* results = stages + STAGES * STAGE_VECTORS + warp_tile * WARP_TILE;
  const __local uint4* tiles = stages + first_vector_of(input);
  Turn turn = first_turn();
  for (;;) {
    // --- Wait for a tile ---
    mbarrier_wait(&ring->landed[turn.stage], turn.stage_parity);
    const u64 tile = ring->tile[turn.slot];
    if (tile == NO_TILE) break;
    // --- Fold its runs ---
    const u64 begin = tile * TILE + warp_tile * WARP_TILE;
    ACC sums[SPAN];
    fold_span(tiles + turn.stage * STAGE_VECTORS, warp_tile, begin, n, sums);
    // All lanes have stored the results of the previous tile.
    lane_barrier();
    mbarrier_arrive(&ring->read[turn.stage]);
    const ACC prefix = lane_prefix(sums[SPAN - 1], scratch);
    const ACC earlier = lane_value(prefix, (lane_index() + LANES - 1) % LANES, scratch);

    // --- Wait for what lies before it, complete and store ---
    mbarrier_wait(&ring->looked_back[turn.slot], turn.slot_parity);
    ACC start = ring->before_supertile[turn.slot];
    if (tile % SUPERTILE_TILES > 0) start = COMBINE(start, ring->before_tile[turn.slot]);
    if (warp_tile > 0) start = COMBINE(start, ring->warp_totals[turn.slot][warp_tile - 1]);
    if (lane_index() > 0) start = COMBINE(start, earlier);
    gather_span(results, begin + span_index(), n, sums, start TOTAL_ARGUMENTS);
    lane_barrier();
    store_results(output + begin, results, begin < n ? n - begin : 0);
    next_turn(&turn);
  }
}
