// Part ring_runs_rows: totals of the runs that a lane has, one of every row.
// Provides: ring_runs
// Uses: order_warp_tile, ring_item

// The total of a whole run.
DEVICE ACC total_run(Run run, u64 first) {
  ACC sum = lift_element(item_of(run, 0), first);
#pragma unroll
  for (u32 k = 1; k < RUN; ++k) sum = COMBINE(sum, lift_element(item_of(run, k), first + k));
  return sum;
}

// The totals of the runs that were read; elements from n on are skipped.
DEVICE void total_runs(Run run[WARP_TILE_ROWS], u64 begin, u64 n, ACC total[WARP_TILE_ROWS]) {
  if (begin + WARP_TILE <= n) {
#pragma unroll
    for (u32 r = 0; r < WARP_TILE_ROWS; ++r) total[r] = total_run(run[r], begin + run_index(r));
    return;
  }
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
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

// Part ring_runs_items: runs of narrow integers, element by element. What a stage holds beyond the
// input changes no result within it, and built-in operators accept any bits.
// Provides: ring_runs
// Uses: order_warp_tile, total, ring_items, ring_item

#define OUT_BITS (8 * sizeof(OUT))
#define OUT_WORDS (RUN * sizeof(OUT) / 4)

// The totals of the runs that were read.
DEVICE void total_runs(Vector vector[WARP_TILE_ROWS], u64 begin, u64 n, ACC total[WARP_TILE_ROWS]) {
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    const u64 first = begin + run_index(r);
    ACC sum = lift_element(item_of(vector[r], 0), first);
#pragma unroll
    for (u32 k = 1; k < RUN; ++k) {
      sum = COMBINE(sum, lift_element(item_of(vector[r], k), first + k));
    }
    total[r] = sum;
  }
}

// The same vector, but the compiler cannot know that. Otherwise it would keep every element in a
// register of its own from the first fold to the second, and there are not enough registers. No
// input has 2^63 elements.
DEVICE Vector opaque_vector(Vector vector, u64 n) {
#pragma unroll
  for (u32 w = 0; w < VECTOR_BYTES / 4; ++w) vector.word[w] ^= 0u - (u32)(n >> 63);
  return vector;
}

// The scan of a run behind `running`, as the words that are stored.
DEVICE void scan_run(Vector vector, u64 first, u64 n, ACC running, u32* word TOTAL_PARAMETERS) {
#pragma unroll
  for (u32 w = 0; w < OUT_WORDS; ++w) word[w] = 0;
#pragma unroll
  for (u32 k = 0; k < RUN; ++k) {
    const ACC earlier = running;
    running = COMBINE(running, lift_element(item_of(vector, k), first + k));
    LEAVE_TOTAL(first + k + 1 == n, running);
    const OUT value = TO_OUT(INCLUSIVE ? running : earlier);
    const u32 bits = OUT_BITS == 32 ? (u32)value : (u32)value & ((1u << (OUT_BITS % 32)) - 1);
    word[k * OUT_BITS / 32] |= bits << (k * OUT_BITS % 32);
  }
}

// Part ring_runs_sums: sums of runs of narrow integers, several elements in a word. From sm_90 on.
// Only the low bits of a sum, as many as an element has, are used; the others may hold anything.
// Provides: ring_runs
// Uses: ring_items, word_addition

#define OUT_BITS (8 * sizeof(OUT))
#define OUT_WORDS (VECTOR_BYTES / 4)

// The prefixes of the elements of a word behind `before`.
DEVICE u32 scan_word_items(u32 word, u32 before) {
#if VALUES_PER_WORD == 4
  // Each half of a word has room for a sum of bytes: bytes 0 and 2, bytes 1 and 3.
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
DEVICE void total_runs(Vector vector[WARP_TILE_ROWS], u64 begin, u64 n, ACC total[WARP_TILE_ROWS]) {
#pragma unroll
  for (u32 r = 0; r < WARP_TILE_ROWS; ++r) {
    u32 sum = 0;
#pragma unroll
    for (u32 w = 0; w < VECTOR_BYTES / 4; ++w) sum = add_word_items(vector[r].word[w], sum);
    total[r] = (ACC)sum;
  }
}

DEVICE Vector opaque_vector(Vector vector, u64 n) { return vector; }

// The scan of a run behind `running`, as the words that are stored.
DEVICE void scan_run(Vector vector, u64 first, u64 n, ACC running, u32* word) {
  u32 before = (u32)running;
#pragma unroll
  for (u32 w = 0; w < OUT_WORDS; ++w) {
    word[w] = scan_word_items(vector.word[w], before);
    before = add_word_items(vector.word[w], before);
  }
}
