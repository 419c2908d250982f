// Part order_warp_tile: a warp tile of order v1 in the registers of a warp. It has WARP_TILE_ROWS
// rows of LANES runs of RUN consecutive elements; WARP_TILES of them are a tile. A lane has one run
// of every row, which it loads and stores in vectors of VEC elements. An empty prefix is skipped,
// so the operator sees no identity in front.
// Provides: order_warp_tile
// Uses: order_lanes, lane_index

#define WARP_TILE (RUN * LANES * WARP_TILE_ROWS)
#define TILE (WARP_TILE * WARP_TILES)
#define ORDER_RUN (sizeof(VALUE) <= 4 ? 4 : sizeof(VALUE) <= 8 ? 2 : 1)
typedef char order_run_fits[((RUN == ORDER_RUN) | (RUN * sizeof(IN) == 16) | (RUN == 1)) ? 1 : -1];

// The index within the warp tile of the first element that this lane has in `row`.
DEVICE u32 run_index(u32 row) { return (row * LANES + lane_index()) * RUN; }

// Part warp_tile_prefix: the prefixes of a warp tile whose runs are folded.
// Provides: warp_tile_prefix
// Uses: order_warp_tile, order_lanes

// The prefixes of a warp tile whose runs are folded: sums[r * RUN + k] is the fold of elements 0 to
// k of this lane's run in row r. prefix[r] becomes the prefix of that run within its row,
// inclusive. The last lane gets the warp tile's total.
DEVICE ACC prefix_warp_tile(const ACC* sums, ACC* prefix, LaneScratch* scratch) {
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) prefix[r] = sums[r * RUN + RUN - 1];
  prefix_rows(prefix, scratch);
  // The last lane has the totals of the rows.
  ACC total = prefix[0];
#pragma unroll
  for (u32 r = 1; r < WARP_TILE_ROWS; ++r) total = COMBINE(total, prefix[r]);
  return total;
}

// Part order_warp_tile_loads: a warp tile is loaded, and its runs are folded.
// Provides: order_warp_tile_loads
// Uses: elements, element_vectors, shifted_rows, order_warp_tile, lane_index, shifted_loads,
//   warp_tile_prefix

// Loads the warp tile from `begin` on. Elements from n on are the identity, on which no result
// depends. Vectors are loaded at their alignment. One that is split by the begin of the warp tile
// holds the end of the warp tile instead.
DEVICE void load_warp_tile(Elements input, u64 begin, u64 n, ACC* item) {
  const bool shifts = VECTORS_EVERYWHERE ? SHIFTS_ROWS : false;
  if (begin + WARP_TILE <= n && (shifts || vectors_aligned(input))) {
    const u32 misaligned = shifts ? vector_misalignment(input) : 0;
    const bool split = misaligned > 0 && lane_index() == 0;
    const u64 first = begin + run_index(0) - misaligned;
    ElementVector vector[WARP_TILE_ROWS][RUN / VEC];
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
      for (u32 p = 0; p < RUN / VEC; ++p) {
        if (r == 0 && split) continue;
        vector[r][p] = load_elements(input, first + r * LANES * RUN + p * VEC);
      }
    }
    Element single[RUN];
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      if (split) single[k] = load_element(input, first + k + (k < misaligned ? WARP_TILE : 0));
    }
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        Element element = element_of(vector[r][k / VEC], k % VEC);
        u64 i = first + r * LANES * RUN + k;
        if (r == 0 && split) {
          element = single[k];
          if (k < misaligned) i += WARP_TILE;
        }
        item[r * RUN + k] = lift_element(element, i);
      }
    }
    if (shifts) vectors_to_runs(item, misaligned);
  } else {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        const u64 i = begin + run_index(r) + k;
        item[r * RUN + k] = IDENTITY;
        if (i < n) item[r * RUN + k] = lift_element(load_element(input, i), i);
      }
    }
  }
}

// Folds the runs in place, then computes their prefixes as prefix_warp_tile does.
DEVICE ACC sum_warp_tile(ACC* sums, ACC* prefix, LaneScratch* scratch) {
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
    for (u32 k = 1; k < RUN; ++k) {
      sums[r * RUN + k] = COMBINE(sums[r * RUN + k - 1], sums[r * RUN + k]);
    }
  }
  return prefix_warp_tile(sums, prefix, scratch);
}

// The fold of the first `count` warp tiles' totals, at least one.
DEVICE ACC fold_warp_totals(const ACC* warp_totals, u32 count) {
  ACC total = warp_totals[0];
  for (u32 s = 1; s < WARP_TILES; ++s) {
    if (s < count) total = COMBINE(total, warp_totals[s]);
  }
  return total;
}

// Part order_warp_tile_results: the results of a warp tile are computed.
// Provides: order_warp_tile_results
// Uses: total, order_warp_tile, lane_index

// Computes the results of the warp tile from `begin` on from its folds `sums`. `before` is its
// prefix, `after` that of the next warp tile; `row` and `earlier` are the edges of its rows'
// prefixes. An inclusive value is the exclusive value of the next element: so the last one of a run
// is the carry of the next run, and that of element n - 1 is the total of the scan.
DEVICE void complete_warp_tile(u64 begin, u64 n, ACC* sums, ACC* prefix, const ACC* row,
                               const ACC* earlier, ACC before, ACC after TOTAL_PARAMETERS) {
  ACC carry[WARP_TILE_ROWS];
  ACC start[WARP_TILE_ROWS + 1];
  start[0] = before;
  ACC rows = row[0];
#pragma unroll
  for (u32 r = 1; r < WARP_TILE_ROWS; ++r) {
    start[r] = COMBINE(before, rows);
    rows = COMBINE(rows, row[r]);
  }
  start[WARP_TILE_ROWS] = after;
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    prefix[r] = COMBINE(start[r], prefix[r]);
    carry[r] = start[r];
    if (lane_index() > 0) carry[r] = COMBINE(start[r], earlier[r]);
  }

#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    ACC running = carry[r];
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      const ACC exclusive = running;
      // Not by an expression: between structs that would choose an address, and NVIDIA's OpenCL
      // compiler would keep the arrays in memory.
      ACC next = prefix[r];
      if (lane_index() == LANES - 1) next = start[r + 1];
      running = k == RUN - 1 ? next : COMBINE(carry[r], sums[r * RUN + k]);
      LEAVE_TOTAL(begin + run_index(r) + k + 1 == n, running);
      sums[r * RUN + k] = INCLUSIVE ? running : exclusive;
    }
  }
  PUT_FIRST(begin + run_index(0) == 0, sums[0]);
}

// Part order_warp_tile_stores_one: the results of a warp tile are stored in one array.
// Provides: order_warp_tile_stores
// Uses: vectors_out, shifted_rows, joined_results, order_warp_tile, lane_index, shifted_stores

// VEC results as they are stored.
DEVICE OutVector result_vector(const ACC* value) {
  OutVector vector;
#pragma unroll
  for (u32 k = 0; k < VEC; ++k) vector.item[k] = TO_OUT(value[k]);
  return vector;
}

// Writes the results of the warp tile from `begin` on. Elements before `from` and from n on are
// left alone.
DEVICE void store_warp_tile(OUT* output, u64 from, u64 begin, u64 n, ACC* sums) {
  // One address: the others differ from it by constants.
  OUT* own = output + begin + run_index(0);
  const u32 misalignment = (u32)((u64)output % OUT_VECTOR_ALIGNMENT);
  const bool whole = begin >= from && begin + WARP_TILE <= n;
  if (whole && misalignment == 0) {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
      for (u32 p = 0; p < RUN; p += VEC) {
        store_vector(own + r * LANES * RUN + p, result_vector(sums + r * RUN + p));
      }
    }
  } else if (JOINS_OUT && RUN == VEC && whole && misalignment % sizeof(OUT) == 0) {
    // Narrow results have fewer words than values to hand on.
    OutVector vector[WARP_TILE_ROWS];
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) vector[r] = result_vector(sums + r * RUN);
    store_joined_rows(own, misalignment / sizeof(OUT), WARP_TILE_ROWS, vector);
  } else if (SHIFTS_ROWS && whole && misalignment % sizeof(OUT) == 0) {
    // One path for both would slow down aligned warp tiles.
    const u32 misaligned = misalignment / sizeof(OUT);
    runs_to_vectors(sums, misaligned);
    own -= misaligned;
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
      const bool split = r == 0 && lane_index() == 0;
      if (!split) store_vector(own + r * LANES * RUN, result_vector(sums + r * RUN));
    }
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      if (lane_index() == 0) own[k + (k < misaligned ? WARP_TILE : 0)] = TO_OUT(sums[k]);
    }
  } else {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        const u64 i = begin + run_index(r) + k;
        if (i - from < n - from) output[i] = TO_OUT(sums[r * RUN + k]);
      }
    }
  }
}

// Part order_warp_tile_stores_more: the results of a warp tile are stored in several arrays.
// Provides: order_warp_tile_stores
// Uses: outputs, order_warp_tile, lane_index

// Each result is stored on its own: arrays of other types have no vectors in common.
DEVICE void store_warp_tile(Outputs output, u64 from, u64 begin, u64 n, ACC* sums) {
  const Outputs own = OUTPUTS_FROM(output, begin + run_index(0));
  if (begin >= from && begin + WARP_TILE <= n) {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) PUT_RESULT(own, r * LANES * RUN + k, sums[r * RUN + k]);
    }
  } else {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        const u64 i = begin + run_index(r) + k;
        if (i - from < n - from) PUT_RESULT(output, i, sums[r * RUN + k]);
      }
    }
  }
}
