// Prelude: runs of narrow integers in a ring, element by element. What a stage holds beyond the
// input changes no result within, and built-in operators take any bits.

#define OUT_BITS (8 * sizeof(OUT))
#define OUT_WORDS (RUN * sizeof(OUT) / 4)

// The totals of the runs that were read.
DEVICE void total_runs(Unit unit[STRIP_ROWS], u64 begin, u64 n, ACC total[STRIP_ROWS]) {
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    const u64 first = begin + run_index(r);
    ACC sum = lift_element(item_of(unit[r], 0), first);
#pragma unroll
    for (u32 k = 1; k < RUN; ++k) {
      sum = COMBINE(sum, lift_element(item_of(unit[r], k), first + k));
    }
    total[r] = sum;
  }
}

// The same unit, which no compiler knows: it would keep every element in a register of its own from
// the first fold to the second, and there are not as many. No input has 2^63 elements.
DEVICE Unit unit_again(Unit unit, u64 n) {
#pragma unroll
  for (u32 w = 0; w < UNIT_BYTES / 4; ++w) unit.word[w] ^= 0u - (u32)(n >> 63);
  return unit;
}

// The scan of a run behind `running`, as the words that are stored.
DEVICE void scan_run(Unit unit, u64 first, u64 n, ACC running, u32* word TOTAL_PARAMETERS) {
#pragma unroll
  for (u32 w = 0; w < OUT_WORDS; ++w) word[w] = 0;
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) {
    const ACC earlier = running;
    running = COMBINE(running, lift_element(item_of(unit, k), first + k));
    LEAVE_TOTAL(first + k + 1 == n, running);
    const OUT value = TO_OUT(INCLUSIVE ? running : earlier);
    const u32 bits = OUT_BITS == 32 ? (u32)value : (u32)value & ((1u << (OUT_BITS % 32)) - 1);
    word[k * OUT_BITS / 32] |= bits << (k * OUT_BITS % 32);
  }
}
