// Prelude: runs of 8 and 16 bytes read from a stage of a ring, each as a vector.

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
