// Prelude: integers of 1 and 2 bytes in a stage of a ring.

// Element k of a run.
DEVICE IN item_of(Unit unit, u32 k) {
  const u32 per_word = 4 / sizeof(IN);
  return (IN)(unit.word[k / per_word] >> (k % per_word * (32 / per_word)));
}

// Bytes of a stage before its first element.
DEVICE u32 skew_of(Elements input) { return (u32)((u64)input % UNIT_BYTES); }

// The unit that begins `skew` bytes into `low` and goes on in `high`.
DEVICE Unit join_units(Unit low, Unit high, u32 skew) {
  u32 word[8] = {low.word[0],  low.word[1],  low.word[2],  low.word[3],
                 high.word[0], high.word[1], high.word[2], high.word[3]};
#pragma unroll
  for (u32 w = 0; w < 6; ++w) word[w] = (skew & 8) != 0 ? word[w + 2] : word[w];
#pragma unroll
  for (u32 w = 0; w < 5; ++w) word[w] = (skew & 4) != 0 ? word[w + 1] : word[w];
  Unit unit;
#pragma unroll
  for (u32 w = 0; w < 4; ++w) {
    unit.word[w] = (u32)(((u64)word[w + 1] << 32 | word[w]) >> skew % 4 * 8);
  }
  return unit;
}

// The runs that this lane has of a strip of the tile in the stage: `skew` bytes lie before the
// first element.
DEVICE void read_runs(const __local uint4* stage, u32 skew, u32 strip, Unit unit[STRIP_ROWS]) {
  const __local uint4* row = stage + strip * (STRIP / RUN) + lane_index();
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    unit[r] = unit_of(row[r * LANES]);
    if (skew != 0) unit[r] = join_units(unit[r], unit_of(row[r * LANES + 1]), skew);
  }
}
