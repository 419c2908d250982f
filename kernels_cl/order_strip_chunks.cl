// Prelude: strips of a scan in order v1 by one work-item, for CPU devices: plain loops that the
// compiler turns into vectors.

#define STRIP_RUNS (ROW_RUNS * STRIP_ROWS)

// Folds of a strip: sum[k][u] of elements 0 to k of run u; behind the width of a row, the prefixes
// of runs within their rows.
typedef struct {
  ACC sum[RUN][STRIP_RUNS];
  ACC prefix[ROW_RUNS + STRIP_RUNS];
} Strip;

DEVICE ACC lifted(Elements input, u64 i) { return lift_element(load_element(input, i), i); }

// sum[k][u] is the fold of elements 0 to k of run u of the strip from `begin` on; elements from n
// on are the identity, on which no result depends.
DEVICE void fold_runs(Elements input, u64 begin, u64 n, ACC sum[RUN][STRIP_RUNS]) {
  if (begin + STRIP <= n) {
    for (u32 u = 0; u < STRIP_RUNS; ++u) {
      sum[0][u] = lifted(input, begin + u * RUN);
#pragma unroll
      for (u32 k = 1; k < RUN; ++k) {
        const ACC item = lifted(input, begin + u * RUN + k);
        sum[k][u] = COMBINE(sum[k - 1][u], item);
      }
    }
  } else {
    for (u32 u = 0; u < STRIP_RUNS; ++u) {
      ACC run = IDENTITY;
      for (u32 k = 0; k < RUN; ++k) {
        const u64 i = begin + u * RUN + k;
        ACC item = IDENTITY;
        if (i < n) item = lifted(input, i);
        run = k == 0 ? item : COMBINE(run, item);
        sum[k][u] = run;
      }
    }
  }
}

// One level of the binary tree that is a row's last prefix.
DEVICE void combine_pairs(const ACC* from, ACC* to, u32 count) {
  for (u32 i = 0; i < count; ++i) to[i] = COMBINE(from[2 * i], from[2 * i + 1]);
}

// The total of a strip, of the totals of its runs.
DEVICE ACC total_of_runs(const ACC run[STRIP_RUNS]) {
  ACC one[STRIP_RUNS / 4];
  ACC other[STRIP_RUNS / 2];
  combine_pairs(run, other, STRIP_RUNS / 2);
  combine_pairs(other, one, STRIP_RUNS / 4);
  combine_pairs(one, other, STRIP_RUNS / 8);
  combine_pairs(other, one, STRIP_RUNS / 16);
  combine_pairs(one, other, STRIP_RUNS / 32);
  ACC strip = other[0];
  for (u32 r = 1; r < STRIP_ROWS; ++r) strip = COMBINE(strip, other[r]);
  return strip;
}

// One step of the Kogge-Stone prefix of every row. Branches would cost the vectors, so the first
// lanes of a row are combined with the row before as well, or with what lies before `from`, a row's
// width of any values, and are then put right.
DEVICE void prefix_step(const ACC* from, ACC* to, u32 distance) {
  for (u32 u = 0; u < STRIP_RUNS; ++u) to[u] = COMBINE((from - distance)[u], from[u]);
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    for (u32 l = 0; l < distance; ++l) to[r * ROW_RUNS + l] = from[r * ROW_RUNS + l];
  }
}

// The total of the strip from `begin` on, which has elements.
DEVICE ACC total_of_strip(Elements input, u64 begin, u64 n) {
  ACC sum[RUN][STRIP_RUNS];
  fold_runs(input, begin, n, sum);
  return total_of_runs(sum[RUN - 1]);
}

// The total of the strip from `begin` on, which has elements, and what a scan of it takes.
DEVICE ACC fold_strip(Elements input, u64 begin, u64 n, Strip* strip) {
  ACC one[ROW_RUNS + STRIP_RUNS];
  ACC* other = strip->prefix;
  for (u32 l = 0; l < ROW_RUNS; ++l) one[l] = other[l] = IDENTITY;
  fold_runs(input, begin, n, strip->sum);
  for (u32 u = 0; u < STRIP_RUNS; ++u) one[ROW_RUNS + u] = strip->sum[RUN - 1][u];
  prefix_step(one + ROW_RUNS, other + ROW_RUNS, 1);
  prefix_step(other + ROW_RUNS, one + ROW_RUNS, 2);
  prefix_step(one + ROW_RUNS, other + ROW_RUNS, 4);
  prefix_step(other + ROW_RUNS, one + ROW_RUNS, 8);
  prefix_step(one + ROW_RUNS, other + ROW_RUNS, 16);
  const ACC* row = other + 2 * ROW_RUNS - 1;
  ACC rows = row[0];
  for (u32 r = 1; r < STRIP_ROWS; ++r) rows = COMBINE(rows, row[r * ROW_RUNS]);
  return rows;
}

// The result of element k of run u.
#if INCLUSIVE
#define RESULT(k, u) sum[k][u]
#else
#define RESULT(k, u) ((k) == 0 ? border[u] : sum[(k) == 0 ? 0 : (k)-1][u])
#endif

// Scans the strip that fold_strip() took, of which `before` lies in front, and `after` in front of
// the next.
DEVICE void scan_strip(Strip* strip, Elements input, u64 begin, u64 n, ACC before, ACC after,
                       __global OUT* output TOTAL_PARAMETERS) {
  const ACC* prefix = strip->prefix + ROW_RUNS;
  // border[u] is everything before run u.
  ACC border[STRIP_RUNS + 1];
  ACC start = before;
  ACC rows = IDENTITY;
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    border[r * ROW_RUNS] = start;
    // The last one is overwritten by the next row's start.
    for (u32 l = 0; l < ROW_RUNS; ++l) {
      border[r * ROW_RUNS + l + 1] = COMBINE(start, prefix[r * ROW_RUNS + l]);
    }
    const ACC row = prefix[(r + 1) * ROW_RUNS - 1];
    rows = r == 0 ? row : COMBINE(rows, row);
    start = COMBINE(before, rows);
  }
  border[STRIP_RUNS] = after;

  // From folds within a run to inclusive values. A run's last one is the next run's border, which
  // its own border and total would not give: that is another association.
  ACC(*sum)[STRIP_RUNS] = strip->sum;
#pragma unroll
  for (u32 k = 0; k < RUN - 1; ++k) {
    for (u32 u = 0; u < STRIP_RUNS; ++u) sum[k][u] = COMBINE(border[u], sum[k][u]);
  }
  for (u32 u = 0; u < STRIP_RUNS; ++u) sum[RUN - 1][u] = border[u + 1];
  const u64 last = n - 1 - begin;
  LEAVE_TOTAL(last < STRIP, sum[last % RUN][last / RUN]);
  if (begin + STRIP <= n) {
    for (u32 u = 0; u < STRIP_RUNS; ++u) {
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) output[begin + u * RUN + k] = TO_OUT(RESULT(k, u));
    }
  } else {
    for (u32 i = 0; begin + i < n; ++i) {
      output[begin + i] = TO_OUT(RESULT(i % RUN, i / RUN));
    }
  }
}
