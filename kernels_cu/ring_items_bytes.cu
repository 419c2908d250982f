// Prelude: integers of 1 and 2 bytes in a stage of a ring.

// Element k of a run.
DEVICE IN item_of(Unit unit, u32 k) {
  const u32 per_word = 4 / sizeof(IN);
  return (IN)(unit.word[k / per_word] >> (k % per_word * (32 / per_word)));
}

// Bytes of a stage before its first element.
DEVICE u32 skew_of(Elements input) { return (u32)((u64)input % UNIT_BYTES); }

// The runs that this lane has of a strip of the tile in the stage: `skew` bytes lie before the
// first element.
DEVICE void read_runs(const uint4* stage, u32 skew, u32 strip, Unit unit[STRIP_ROWS]) {
  const uint4* row = stage + strip * (STRIP / RUN) + lane_index();
  const u32 words = skew / 4;
  const u32 bits = skew % 4 * 8;
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    const Unit low = unit_of(row[r * LANES]);
    unit[r] = low;
    if (skew != 0) {
      const Unit high = unit_of(row[r * LANES + 1]);
      const u32 word[8] = {low.word[0],  low.word[1],  low.word[2],  low.word[3],
                           high.word[0], high.word[1], high.word[2], high.word[3]};
#pragma unroll
      for (u32 w = 0; w < 4; ++w) {
        const u32 first = words == 0   ? word[w]
                          : words == 1 ? word[w + 1]
                          : words == 2 ? word[w + 2]
                                       : word[w + 3];
        const u32 second = words == 0   ? word[w + 1]
                           : words == 1 ? word[w + 2]
                           : words == 2 ? word[w + 3]
                                        : word[w < 3 ? w + 4 : 7];
        unit[r].word[w] = (u32)(((u64)second << 32 | first) >> bits);
      }
    }
  }
}
