// Part order_strip: a strip of order v1 in the registers of a lane group.
// A strip is STRIP_ROWS rows of LANES runs of RUN consecutive elements; TILE_STRIPS of them are a
// tile. A lane has one run of every row, which it loads and stores in packs of VEC. A prefix of
// nothing is skipped, so no identity meets the operator in front.
// Provides: order_strip
// Uses: order_lanes

#define STRIP (RUN * LANES * STRIP_ROWS)
#define TILE (STRIP * TILE_STRIPS)
#define ORDER_RUN (sizeof(VALUE) <= 4 ? 4 : sizeof(VALUE) <= 8 ? 2 : 1)
typedef char order_run_fits[((RUN == ORDER_RUN) | (RUN * sizeof(IN) == 16)) ? 1 : -1];

// Index in its strip of the first element that this lane holds in `row`.
DEVICE u32 run_index(u32 row) { return (row * LANES + lane_index()) * RUN; }

// The prefixes of a strip whose runs are folded: sums[r * RUN + k] is the fold of elements 0 to k
// of this lane's run in row r, and prefix[r] becomes that of its run and those before it in the
// row. The last lane is given the strip's total.
DEVICE ACC prefix_strip(const ACC* sums, ACC* prefix, LaneScratch* scratch) {
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) prefix[r] = sums[r * RUN + RUN - 1];
  prefix_rows(prefix, scratch);
  // The last lane has the totals of the rows.
  ACC total = prefix[0];
#pragma unroll
  for (u32 r = 1; r < STRIP_ROWS; ++r) total = COMBINE(total, prefix[r]);
  return total;
}

// Part order_strip_loads: a strip is loaded, and its runs are folded.
// Provides: order_strip_loads
// Uses: elements, element_packs, shifted_rows, order_strip

// The strip from `begin` on; elements from n on are the identity, on which no result depends.
// Packs are loaded where they lie; one that the strip's begin splits has its end as well.
DEVICE void load_strip(Elements input, u64 begin, u64 n, ACC* item) {
  const bool shifts = PACKS_EVERYWHERE ? SHIFTS_ROWS : false;
  if (begin + STRIP <= n && (shifts || packs_aligned(input))) {
    const u32 early = shifts ? pack_offset(input) : 0;
    const bool split = early > 0 && lane_index() == 0;
    const u64 first = begin + run_index(0) - early;
    ElementPack pack[STRIP_ROWS][RUN / VEC];
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
#pragma unroll
      for (u32 p = 0; p < RUN / VEC; ++p) {
        if (r == 0 && split) continue;
        pack[r][p] = load_elements(input, first + r * LANES * RUN + p * VEC);
      }
    }
    Element single[RUN];
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      if (split) single[k] = load_element(input, first + k + (k < early ? STRIP : 0));
    }
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        Element element = element_of(pack[r][k / VEC], k % VEC);
        u64 i = first + r * LANES * RUN + k;
        if (r == 0 && split) {
          element = single[k];
          if (k < early) i += STRIP;
        }
        item[r * RUN + k] = lift_element(element, i);
      }
    }
    if (shifts) packs_to_runs(item, early);
  } else {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        const u64 i = begin + run_index(r) + k;
        item[r * RUN + k] = IDENTITY;
        if (i < n) item[r * RUN + k] = lift_element(load_element(input, i), i);
      }
    }
  }
}

// The same behind folding the runs: sums[r * RUN + k] is element k of the run before.
DEVICE ACC sum_strip(ACC* sums, ACC* prefix, LaneScratch* scratch) {
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
#pragma unroll
    for (u32 k = 1; k < RUN; ++k) {
      sums[r * RUN + k] = COMBINE(sums[r * RUN + k - 1], sums[r * RUN + k]);
    }
  }
  return prefix_strip(sums, prefix, scratch);
}

// The fold of the first `count` strips, at least one.
DEVICE ACC fold_strips(const ACC* strips, u32 count) {
  ACC total = strips[0];
  for (u32 s = 1; s < TILE_STRIPS; ++s) {
    if (s < count) total = COMBINE(total, strips[s]);
  }
  return total;
}

// Part order_strip_results: the results of a strip are made and stored.
// Provides: order_strip_results
// Uses: total, packs_out, shifted_rows, joined_results, order_strip

// VEC results as they are stored.
DEVICE OUT_PACK pack_results(const ACC* value) {
  OUT_PACK pack;
#pragma unroll
  for (u32 k = 0; k < VEC; ++k) pack.item[k] = TO_OUT(value[k]);
  return pack;
}

// Makes the results of the strip from `begin` on of its folds `sums`: `before` is everything before
// it, `after` everything before the next one, `row` and `earlier` the edges of its rows' prefixes.
// An inclusive value is what an exclusive scan has behind it: so the last one of a run is the carry
// of the next, and that of element n - 1 the total of the scan.
DEVICE void complete_strip(u64 begin, u64 n, ACC* sums, ACC* prefix, const ACC* row,
                           const ACC* earlier, ACC before, ACC after TOTAL_PARAMETERS) {
  ACC carry[STRIP_ROWS];
  ACC start[STRIP_ROWS + 1];
  start[0] = before;
  ACC rows = row[0];
#pragma unroll
  for (u32 r = 1; r < STRIP_ROWS; ++r) {
    start[r] = COMBINE(before, rows);
    rows = COMBINE(rows, row[r]);
  }
  start[STRIP_ROWS] = after;
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    prefix[r] = COMBINE(start[r], prefix[r]);
    carry[r] = start[r];
    if (lane_index() > 0) carry[r] = COMBINE(start[r], earlier[r]);
  }

#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    ACC running = carry[r];
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      const ACC exclusive = running;
      // Not by an expression: of structs that chooses an address, for which the OpenCL compiler of
      // NVIDIA keeps the arrays in memory.
      ACC next = prefix[r];
      if (lane_index() == LANES - 1) next = start[r + 1];
      running = k == RUN - 1 ? next : COMBINE(carry[r], sums[r * RUN + k]);
      LEAVE_TOTAL(begin + run_index(r) + k + 1 == n, running);
      sums[r * RUN + k] = INCLUSIVE ? running : exclusive;
    }
  }
  PUT_FIRST(begin + run_index(0) == 0, sums[0]);
}

// Writes the results of the strip from `begin` on. Elements before `from` are left alone, as are
// those from n on.
DEVICE void store_strip(OUT* output, u64 from, u64 begin, u64 n, ACC* sums) {
  // One address, from which the others are constants away.
  OUT* own = output + begin + run_index(0);
  const u32 off = (u32)((u64)output % OUT_PACK_ALIGNMENT);
  const bool whole = begin >= from && begin + STRIP <= n;
  if (whole && off == 0) {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
#pragma unroll
      for (u32 p = 0; p < RUN; p += VEC) {
        store_pack(own + r * LANES * RUN + p, pack_results(sums + r * RUN + p));
      }
    }
  } else if (JOINS_OUT && RUN == VEC && whole && off % sizeof(OUT) == 0) {
    // Of narrow results there are fewer words to hand on than values.
    OUT_PACK pack[STRIP_ROWS];
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) pack[r] = pack_results(sums + r * RUN);
    store_joined_rows(own, off / sizeof(OUT), STRIP_ROWS, pack);
  } else if (SHIFTS_ROWS && whole && off % sizeof(OUT) == 0) {
    // By one path for both, whole strips on alignment take longer.
    const u32 early = off / sizeof(OUT);
    runs_to_packs(sums, early);
    own -= early;
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
      const bool split = r == 0 && lane_index() == 0;
      if (!split) store_pack(own + r * LANES * RUN, pack_results(sums + r * RUN));
    }
#pragma unroll
    for (u32 k = 0; k < RUN; ++k) {
      if (lane_index() == 0) own[k + (k < early ? STRIP : 0)] = TO_OUT(sums[k]);
    }
  } else {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        const u64 i = begin + run_index(r) + k;
        if (i - from < n - from) output[i] = TO_OUT(sums[r * RUN + k]);
      }
    }
  }
}
