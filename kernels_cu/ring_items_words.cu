// Prelude: elements of 4, 8 and 16 bytes, and structs of them, in a stage of a ring.

// Element k of a run. Of a built-in type it is made of its bits: through a union, the whole strip
// would be written to memory besides.
DEVICE IN item_of(Unit unit, u32 k) {
#if defined(IN_OF_BITS) && RUN == 4
  return IN_OF_BITS(unit.word[k]);
#elif defined(IN_OF_BITS)
  return IN_OF_BITS((u64)unit.word[2 * k + 1] << 32 | unit.word[2 * k]);
#else
  union {
    u32 word[sizeof(IN) / 4];
    IN value;
  } item;
#pragma unroll
  for (u32 w = 0; w < sizeof(IN) / 4; ++w) item.word[w] = unit.word[k * (sizeof(IN) / 4) + w];
  return item.value;
#endif
}

DEVICE u32 skew_of(Elements input) {
  return (u64)address_at(input, 0) % sizeof(IN) != 0
             ? 0
             : (u32)((u64)address_at(input, 0) % UNIT_BYTES / 4);
}

// The runs that this lane has of a strip of the tile in the stage: `skew` words lie before the
// first element.
DEVICE void read_runs(const uint4* stage, u32 skew, u32 strip, Unit unit[STRIP_ROWS]) {
  const uint4* row = stage + strip * (STRIP / RUN) + lane_index();
  if (skew == 0) {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) unit[r] = unit_of(row[r * LANES]);
  } else {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) {
      const Unit low = unit_of(row[r * LANES]);
      const Unit high = unit_of(row[r * LANES + 1]);
      const u32 word[7] = {low.word[1],  low.word[2],  low.word[3], high.word[0],
                           high.word[1], high.word[2], high.word[3]};
#pragma unroll
      for (u32 w = 0; w < 4; ++w) {
        unit[r].word[w] = skew == 1 ? word[w] : skew == 2 ? word[w + 1] : word[w + 2];
      }
    }
  }
}

// The total of a whole run.
DEVICE ACC total_run(Unit unit, u64 first) {
  ACC sum = lift_element(item_of(unit, 0), first);
#pragma unroll
  for (u32 k = 1; k < RUN; ++k) sum = COMBINE(sum, lift_element(item_of(unit, k), first + k));
  return sum;
}

// The totals of the runs that were read; elements from n on are skipped.
DEVICE void total_runs(Unit unit[STRIP_ROWS], u64 begin, u64 n, ACC total[STRIP_ROWS]) {
  if (begin + STRIP <= n) {
#pragma unroll
    for (u32 r = 0; r < STRIP_ROWS; ++r) total[r] = total_run(unit[r], begin + run_index(r));
    return;
  }
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    const u64 first = begin + run_index(r);
    if (first + RUN <= n) {
      total[r] = total_run(unit[r], first);
    } else {
      ACC sum = IDENTITY;
#pragma unroll
      for (u32 k = 0; k < RUN; ++k) {
        if (first + k < n) sum = COMBINE(sum, lift_element(item_of(unit[r], k), first + k));
      }
      total[r] = sum;
    }
  }
}
