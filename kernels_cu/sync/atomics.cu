// Part atomics_ptx:
// 64-bit words that other groups of the same launch see, by relaxed device-scope access.
// Provides: atomics

DEVICE u64 load_word(const u64* word) {
  u64 value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

// Two words, the first of which lies at a multiple of 16 bytes: each is seen as load_word sees it.
DEVICE void load_word_pair(const u64* words, u64* first, u64* second) {
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(*first), "=l"(*second)
               : "l"(words)
               : "memory");
}

DEVICE void store_word(u64* word, u64 value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
}

DEVICE u64 add_word(u64* word, u64 value) {
  u64 before;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
               : "=l"(before)
               : "l"(word), "l"(value)
               : "memory");
  return before;
}

DEVICE void device_fence() { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }
