// Part ring_warp_tiles_rows: the total of a warp tile in a stage. A lane has one run of every row.
// Provides: ring_warp_tiles
// Uses: order_lanes, ring_items, ring_reads, ring_runs, lane_index

// Values are chosen by expressions here: chosen word by word, as in CUDA, structs of three words
// would be kept in memory.

// The totals of a warp tile's rows, combined as binary trees. Lane l gets the total of row l %
// WARP_TILE_ROWS. Two lanes that meet share the rows, so each step has half of the previous step's
// work.
DEVICE ACC total_rows(ACC x[WARP_TILE_ROWS], __local LaneScratch* scratch) {
#pragma unroll
  for (u32 distance = 1; distance < LANES; distance *= 2) {
    const bool later = (lane_index() & distance) != 0;
    const u32 partner = lane_index() ^ distance;
    if (distance < WARP_TILE_ROWS) {
#pragma unroll
      for (u32 r = 0; r < WARP_TILE_ROWS / 2 / distance; ++r) {
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

// The total of the warp tile from `begin` on, known to every lane. `misalignment` bytes of the
// stage lie before the first element. Elements from n on are skipped.
DEVICE ACC total_warp_tile(const __local uint4* stage, u32 misalignment, u32 warp_tile, u64 begin,
                           u64 n, __local LaneScratch* scratch) {
  Run run[WARP_TILE_ROWS];
  ACC row[WARP_TILE_ROWS];
  read_runs(stage, misalignment, warp_tile, run);
  total_runs(run, begin, n, row);
  const ACC sum = total_rows(row, scratch);
  ACC total = lane_value(sum, 0, scratch);
#pragma unroll
  for (u32 r = 1; r < WARP_TILE_ROWS; ++r) total = COMBINE(total, lane_value(sum, r, scratch));
  return total;
}

// Part ring_warp_tiles_spans: spans of a warp tile in a stage, where an element is a vector of 16
// bytes. Where every association has the same bits, a lane has consecutive elements: lanes then
// exchange once for a warp tile and not for every row. The number of elements is odd, so that no
// two lanes use the same bank of local memory.
// Provides: ring_warp_tiles
// Uses: order_lanes, order_warp_tile, lane_index, ring_item

#define SPAN WARP_TILE_ROWS  // Elements of a lane.
typedef char spans_begin_in_other_banks[SPAN % 2 == 1 ? 1 : -1];
typedef char elements_are_vectors[RUN == 1 && sizeof(IN) == VECTOR_BYTES ? 1 : -1];

// Index in its warp tile of this lane's first element.
DEVICE u32 span_index(void) { return lane_index() * SPAN; }

// Reads and folds this lane's elements of the warp tile from `begin` on: sums[k] is the fold of
// elements 0 to k. Elements from n on are skipped.
DEVICE void fold_span(const __local uint4* stage, u32 warp_tile, u64 begin, u64 n, ACC sums[SPAN]) {
  const __local uint4* own = stage + warp_tile * WARP_TILE + span_index();
  const u64 first = begin + span_index();
  if (begin + WARP_TILE <= n) {
    sums[0] = lift_element(item_of(run_of(own[0]), 0), first);
#pragma unroll
    for (u32 k = 1; k < SPAN; ++k) {
      sums[k] = COMBINE(sums[k - 1], lift_element(item_of(run_of(own[k]), 0), first + k));
    }
    return;
  }
  ACC running = IDENTITY;
#pragma unroll
  for (u32 k = 0; k < SPAN; ++k) {
    if (first + k < n) {
      running = COMBINE(running, lift_element(item_of(run_of(own[k]), 0), first + k));
    }
    sums[k] = running;
  }
}

// The total of a warp tile, known to every lane.
DEVICE ACC total_warp_tile(const __local uint4* stage, u32 misalignment, u32 warp_tile, u64 begin,
                           u64 n, __local LaneScratch* scratch) {
  ACC sums[SPAN];
  fold_span(stage, warp_tile, begin, n, sums);
  return lane_value(lane_prefix(sums[SPAN - 1], scratch), LANES - 1, scratch);
}
