// Prelude: sums of runs of narrow integers in a ring, several elements in a word. From sm_90 on.
// Only as many bits of a sum as an element has are looked at; others may hold anything.

#define OUT_BITS (8 * sizeof(OUT))
#define OUT_WORDS (UNIT_BYTES / 4)

// The prefixes of the elements of a word behind `before`.
DEVICE u32 scan_word_items(u32 word, u32 before) {
#if VALUES_PER_WORD == 4
  // In halves of a word sums of bytes have room: bytes 0 and 2, bytes 1 and 3.
  const u32 even = word & 0x00ff00ffu;
  const u32 pairs = even + (word >> 8 & 0x00ff00ffu);
  const u32 start = (before & 0xffu) * 0x00010001u + (pairs << 16);
  const u32 low = INCLUSIVE ? start + even : start;
  const u32 high = INCLUSIVE ? start + pairs : start + even;
  u32 bytes;
  asm("prmt.b32 %0, %1, %2, 0x6240;" : "=r"(bytes) : "r"(low), "r"(high));
  return bytes;
#else
  const u32 sums = INCLUSIVE ? word * 0x00010001u : word << 16;
  const u32 start = (before & 0xffffu) * 0x00010001u;
  u32 halves;
  asm("add.u16x2 %0, %1, %2;" : "=r"(halves) : "r"(sums), "r"(start));
  return halves;
#endif
}

// The totals of the runs that were read.
DEVICE void total_runs(Unit unit[STRIP_ROWS], u64 begin, u64 n, ACC total[STRIP_ROWS]) {
#pragma unroll
  for (u32 r = 0; r < STRIP_ROWS; ++r) {
    u32 sum = 0;
#pragma unroll
    for (u32 w = 0; w < UNIT_BYTES / 4; ++w) sum = add_word_items(unit[r].word[w], sum);
    total[r] = (ACC)sum;
  }
}

DEVICE Unit unit_again(Unit unit, u64 n) { return unit; }

// The scan of a run behind `running`, as the words that are stored.
DEVICE void scan_run(Unit unit, u64 first, u64 n, ACC running, u32* word) {
  u32 before = (u32)running;
#pragma unroll
  for (u32 w = 0; w < OUT_WORDS; ++w) {
    word[w] = scan_word_items(unit.word[w], before);
    before = add_word_items(unit.word[w], before);
  }
}
