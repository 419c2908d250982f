// Prelude: runs of 12 bytes read from a stage of a ring, word by word. Lanes that read at once are
// three words apart, and so meet in no bank of local memory.

// The runs that this lane has of a strip of the tile in the stage: `skew` bytes lie before the
// first element.
DEVICE void read_runs(const uint4* stage, u32 skew, u32 strip, Run run[STRIP_ROWS]) {
  const u32* own = (const u32*)stage + skew / 4;
  own += (strip * (STRIP / RUN) + lane_index()) * (RUN_BYTES / 4);
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
#pragma unroll
    for (u32 w = 0; w < RUN_BYTES / 4; ++w) {
      run[r].word[w] = own[r * LANES * (RUN_BYTES / 4) + w];
    }
  }
}
