// Part atomics_ptx: 64-bit words that are visible to other groups of the launch, by relaxed
// device-scope access.
// Provides: atomics

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

// Part word_loads_ptx: 64-bit words are read that other groups write.
// Provides: word_loads

DEVICE u64 load_word(const u64* word) {
  u64 value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

// Two words, the first at a multiple of 16 bytes. Each is read as by load_word.
DEVICE void load_word_pair(const u64* words, u64* first, u64* second) {
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(*first), "=l"(*second)
               : "l"(words)
               : "memory");
}

// Part device_fence_ptx: accesses of a work-item are ordered for the whole device.
// Provides: device_fence

DEVICE void device_fence() { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }
