// Prelude: runs of order v1 in a stage of a ring, where a lane has one of every row.

// The runs that this lane has of a strip of the tile in the stage: `skew` bytes lie before the
// first element.
DEVICE void read_runs(const __local uint4* stage, u32 skew, u32 strip, Run run[STRIP_ROWS]) {
  const __local RunVector* row = (const __local RunVector*)stage + skew / RUN_BYTES;
  row += strip * (STRIP / RUN) + lane_index();
  // A compiler is to know of words that they lie across no others.
  const u32 step = sizeof(IN) < 4 ? sizeof(IN) : 4;
  const u32 across = skew % RUN_BYTES / step * step;
  if (across == 0) {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) run[r] = run_of(row[r * LANES]);
  } else {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
      const Run low = run_of(row[r * LANES]);
      const Run high = run_of(row[r * LANES + 1]);
      join_words(low.word, high.word, RUN_BYTES / 4, across, run[r].word);
    }
  }
}

// The total of a whole run.
DEVICE ACC total_run(Run run, u64 first) {
  ACC sum = lift_element(item_of(run, 0), first);
#pragma unroll
  for (u32 k = 1; k < RUN; ++k) sum = COMBINE(sum, lift_element(item_of(run, k), first + k));
  return sum;
}

// The totals of the runs that were read; elements from n on are skipped.
DEVICE void total_runs(Run run[STRIP_ROWS], u64 begin, u64 n, ACC total[STRIP_ROWS]) {
  if (begin + STRIP <= n) {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) total[r] = total_run(run[r], begin + run_index(r));
    return;
  }
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    const u64 first = begin + run_index(r);
    if (first + RUN <= n) {
      total[r] = total_run(run[r], first);
    } else {
      ACC sum = IDENTITY;
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        if (first + k < n) sum = COMBINE(sum, lift_element(item_of(run[r], k), first + k));
      }
      total[r] = sum;
    }
  }
}
