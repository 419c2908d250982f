// Part ring_items_runs: elements of a run in a stage of a ring, and where its first one lies.
// Provides: ring_items
// Uses: order_ring

// Element k of a run. Of a built-in type it is made of its bits: through a union, the whole strip
// would be written to memory besides.
DEVICE IN item_of(Run run, u32 k) {
#if defined(IN_OF_BITS) && RUN_BYTES == 2 * RUN
  return IN_OF_BITS((u16)(run.word[k / 2] >> k % 2 * 16));
#elif defined(IN_OF_BITS) && RUN_BYTES == 4 * RUN
  return IN_OF_BITS(run.word[k]);
#elif defined(IN_OF_BITS)
  return IN_OF_BITS((u64)run.word[2 * k + 1] << 32 | run.word[2 * k]);
#else
  union {
    u32 word[(sizeof(IN) + 3) / 4];
    IN value;
  } item;
  const u32 first = k * (u32)sizeof(IN);
#pragma unroll
  for (u32 w = 0; w < (sizeof(IN) + 3) / 4; ++w) {
    item.word[w] = run.word[first / 4 + w] >> first % 4 * 8;
  }
  return item.value;
#endif
}

// Bytes of a unit before the first element.
DEVICE u32 skew_of(Elements input) {
  const u64 address = (u64)address_at(input, 0);
  return address % sizeof(Part) != 0 ? 0 : (u32)(address % UNIT_BYTES);
}

// Part ring_items_bytes: long runs of integers of 1 and 2 bytes in a stage of a ring.
// Provides: ring_items, ring_reads
// Uses: order_ring, join_words

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

// Part ring_reads_vectors: runs of 8 and 16 bytes read from a stage of a ring, each as a vector.
// Provides: ring_reads
// Uses: order_ring, join_words

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

// Part ring_reads_words:
// runs of 12 bytes read from a stage of a ring, word by word. Lanes that read at once are
// three words apart, and so meet in no bank of local memory.
// Provides: ring_reads
// Uses: order_ring

// The runs that this lane has of a strip of the tile in the stage: `skew` bytes lie before the
// first element.
DEVICE void read_runs(const __local uint4* stage, u32 skew, u32 strip, Run run[STRIP_ROWS]) {
  const __local u32* own = (const __local u32*)stage + skew / 4;
  own += (strip * (STRIP / RUN) + lane_index()) * (RUN_BYTES / 4);
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
#pragma unroll
    for (u32 w = 0; w < RUN_BYTES / 4; ++w) {
      run[r].word[w] = own[r * LANES * (RUN_BYTES / 4) + w];
    }
  }
}
