// Part warp_tile_shape_chunks: the shape of a warp tile, which a CPU's work-item takes at once.
// Provides: warp_tile_shape_chunks

#define WARP_TILE (RUN * ROW_RUNS * WARP_TILE_ROWS)
#define ORDER_RUN (sizeof(VALUE) <= 4 ? 4 : sizeof(VALUE) <= 8 ? 2 : 1)
typedef char order_run_fits[RUN == ORDER_RUN ? 1 : -1];

// Part order_warp_tile_chunks: warp tiles of a scan in order v1, each by one work-item of a CPU:
// plain loops that the compiler vectorises.
// Provides: warp_tile_folds
// Uses: total, elements, arrays, acc_access, caches_chunks, warp_tile_shape_chunks,
//   lifted_chunks

#define WARP_TILE_RUNS (ROW_RUNS * WARP_TILE_ROWS)

// Folds of a warp tile: sum[k][u] of elements 0 to k of run u, except the last of a run. prefix has
// ROW_RUNS unused values, then the prefixes of runs within their rows.
typedef struct {
#if RUN > 1
  ACC sum[RUN - 1][WARP_TILE_RUNS];
#endif
  ACC prefix[ROW_RUNS + WARP_TILE_RUNS];
} WarpTile;

#if RUN > 1
#define SUMS(warp_tile) (warp_tile)->sum
#else
#define SUMS(warp_tile) 0
#endif

// sum[k][u] is the fold of elements 0 to k of run u of the warp tile from `begin` on, and total[u]
// of all; elements from n on are the identity, on which no result depends.
DEVICE void fold_runs(Elements input, u64 begin, u64 n, ACC (*sum)[WARP_TILE_RUNS],
                      ACC total[WARP_TILE_RUNS]) {
  if (RUN == 1 && begin + WARP_TILE <= n) {
    lift_array(input, begin, total, WARP_TILE_RUNS);
  } else if (begin + WARP_TILE <= n) {
    for (u32 u = 0; u < WARP_TILE_RUNS; ++u) {
      ACC run = lifted(input, begin + u * RUN);
#pragma unroll
      for (u32 k = 1; k < RUN; ++k) {
        PUT_ACC(sum[k - 1][u], run);
        run = COMBINE(run, lifted(input, begin + u * RUN + k));
      }
      PUT_ACC(total[u], run);
    }
  } else {
    for (u32 u = 0; u < WARP_TILE_RUNS; ++u) {
      ACC run = IDENTITY;
      for (u32 k = 0; k < RUN; ++k) {
        const u64 i = begin + u * RUN + k;
        ACC item = IDENTITY;
        if (i < n) item = lifted(input, i);
        run = k == 0 ? item : COMBINE(run, item);
        if (k < RUN - 1) sum[k][u] = run;
      }
      total[u] = run;
    }
  }
}

// One step of the Kogge-Stone prefix of every row. With branches the compiler would not vectorise
// it. So the first lanes of a row are also combined with the row before, or with what lies before
// `from` (any values, as many as a row has), and are then corrected.
DEVICE void prefix_step(const ACC* from, ACC* to, u32 distance) {
  combine_arrays(from - distance, from, to, WARP_TILE_RUNS);
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r)
    copy_array(from + r * ROW_RUNS, to + r * ROW_RUNS, distance);
}

// The total of the warp tile from `begin` on, which has elements, and what a scan of it takes.
DEVICE ACC fold_warp_tile(Elements input, u64 begin, u64 n, WarpTile* warp_tile) {
  ACC one[ROW_RUNS + WARP_TILE_RUNS];
  ACC* other = warp_tile->prefix;
  for (u32 l = 0; l < ROW_RUNS; ++l) one[l] = other[l] = IDENTITY;
  fold_runs(input, begin, n, SUMS(warp_tile), one + ROW_RUNS);
  prefix_step(one + ROW_RUNS, other + ROW_RUNS, 1);
  prefix_step(other + ROW_RUNS, one + ROW_RUNS, 2);
  prefix_step(one + ROW_RUNS, other + ROW_RUNS, 4);
  prefix_step(other + ROW_RUNS, one + ROW_RUNS, 8);
  prefix_step(one + ROW_RUNS, other + ROW_RUNS, 16);
  const ACC* row = other + 2 * ROW_RUNS - 1;
  ACC rows = row[0];
  for (u32 r = 1; r < WARP_TILE_ROWS; ++r) rows = COMBINE(rows, row[r * ROW_RUNS]);
  return rows;
}

// Everything before element k of run u, and with k = RUN before the next run.
#if RUN > 1
#define BEFORE(k, u)                      \
  ((k) == 0     ? ACC_AT(border[u])       \
   : (k) == RUN ? ACC_AT(border[(u) + 1]) \
                : ACC_AT(inner[((k) + RUN - 1) % RUN][u]))
#else
#define BEFORE(k, u) ACC_AT(border[(u) + (k)])
#endif

// Scans the warp tile that fold_warp_tile() took, of which `before` lies in front, and `after` in
// front of the next.
DEVICE void scan_warp_tile(const WarpTile* warp_tile, Elements input, u64 begin, u64 n, ACC before,
                           ACC after, __global OUT* output TOTAL_PARAMETERS) {
  const ACC* prefix = warp_tile->prefix + ROW_RUNS;
  // border[u] is everything before run u.
  ACC border[WARP_TILE_RUNS + 1];
  ACC start = before;
  ACC rows = IDENTITY;
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    ACC starts[ROW_RUNS];
    for (u32 l = 0; l < ROW_RUNS; ++l) starts[l] = start;
    border[r * ROW_RUNS] = start;
    // The last one is overwritten by the next row's start.
    combine_arrays(starts, prefix + r * ROW_RUNS, border + r * ROW_RUNS + 1, ROW_RUNS);
    const ACC row = prefix[(r + 1) * ROW_RUNS - 1];
    rows = r == 0 ? row : COMBINE(rows, row);
    start = COMBINE(before, rows);
  }
  border[WARP_TILE_RUNS] = after;

  // From folds within a run to inclusive values. A run's last inclusive value is the next run's
  // border: its own border and total would be combined in another association.
#if RUN > 1
  ACC inner[RUN - 1][WARP_TILE_RUNS];
#pragma unroll
  for (u32 k = 0; k < RUN - 1; ++k)
    combine_arrays(border, warp_tile->sum[k], inner[k], WARP_TILE_RUNS);
#endif
  const u64 last = n - 1 - begin;
  LEAVE_TOTAL(last < WARP_TILE, BEFORE(last % RUN + 1, last / RUN));
  const bool whole = last >= WARP_TILE - 1;
  if (whole && goes_past_caches(input, output, n)) {
    OUT staged[WARP_TILE] __attribute__((aligned(sizeof(uint4))));
    for (u32 u = 0; u < WARP_TILE_RUNS; ++u) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) staged[u * RUN + k] = TO_OUT(BEFORE(k + INCLUSIVE, u));
    }
    for (u32 i = 0; i < WARP_TILE * sizeof(OUT) / sizeof(uint4); ++i) {
      STORE_PAST_CACHES(((const uint4*)staged)[i], (__global uint4*)(output + begin) + i);
    }
  } else if (RUN == 1 && whole) {
    store_array(border + INCLUSIVE, output + begin, WARP_TILE_RUNS);
  } else if (whole) {
    for (u32 u = 0; u < WARP_TILE_RUNS; ++u) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) output[begin + u * RUN + k] = TO_OUT(BEFORE(k + INCLUSIVE, u));
    }
  } else {
    for (u32 i = 0; begin + i < n; ++i) {
      output[begin + i] = TO_OUT(BEFORE(i % RUN + INCLUSIVE, i / RUN));
    }
  }
}
