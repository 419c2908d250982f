// Prelude: 64-bit words that other groups of the same launch see, by the read-modify-write atomics
// of OpenCL C 1.x. Polling writes, so it is slow; the fence orders this work-item's own accesses
// only, as far as the standard goes.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

DEVICE u64 load_word(const __global u64* word) {
  return atom_or((volatile __global u64*)word, 0ul);
}

DEVICE void load_word_pair(const __global u64* words, __private u64* first, __private u64* second) {
  *first = load_word(words);
  *second = load_word(words + 1);
}

DEVICE void store_word(__global u64* word, u64 value) {
  atom_xchg((volatile __global u64*)word, value);
}

DEVICE u64 add_word(__global u64* word, u64 value) {
  return atom_add((volatile __global u64*)word, value);
}

DEVICE void device_fence(void) { mem_fence(CLK_GLOBAL_MEM_FENCE); }
