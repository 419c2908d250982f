// Prelude: long runs of integers of 1 and 2 bytes in a stage of a ring.

// They are as long as what copies move.
typedef Run Unit;
typedef char runs_are_units[RUN_BYTES == UNIT_BYTES ? 1 : -1];

// Element k of a run.
DEVICE IN item_of(Unit unit, u32 k) {
  const u32 per_word = 4 / sizeof(IN);
  return (IN)(unit.word[k / per_word] >> (k % per_word * (32 / per_word)));
}

// Bytes of a unit before the first element.
DEVICE u32 skew_of(Elements input) { return (u32)((u64)address_at(input, 0) % UNIT_BYTES); }

// The unit that begins `skew` bytes into `low` and goes on in `high`.
DEVICE Unit join_units(Unit low, Unit high, u32 skew) {
  Unit unit;
  join_words(low.word, high.word, UNIT_BYTES / 4, skew, unit.word);
  return unit;
}

// The runs that this lane has of a strip of the tile in the stage: `skew` bytes lie before the
// first element.
DEVICE void read_runs(const __local uint4* stage, u32 skew, u32 strip, Unit unit[STRIP_ROWS]) {
  const __local uint4* row = stage + strip * (STRIP / RUN) + lane_index();
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    unit[r] = run_of(row[r * LANES]);
    if (skew != 0) unit[r] = join_units(unit[r], run_of(row[r * LANES + 1]), skew);
  }
}
