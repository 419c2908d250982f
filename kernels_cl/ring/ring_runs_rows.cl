// Prelude: the totals of runs of order v1 in a ring, where a lane has one of every row.

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
