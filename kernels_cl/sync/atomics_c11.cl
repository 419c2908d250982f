// Prelude: 64-bit words that other groups of the same launch see, by relaxed device-scope atomics
// of OpenCL C 2.0 and later.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

DEVICE u64 load_word(const __global u64* word) {
  return atomic_load_explicit((volatile __global atomic_ulong*)word, memory_order_relaxed,
                              memory_scope_device);
}

DEVICE void load_word_pair(const __global u64* words, __private u64* first, __private u64* second) {
  *first = load_word(words);
  *second = load_word(words + 1);
}

DEVICE void store_word(__global u64* word, u64 value) {
  atomic_store_explicit((volatile __global atomic_ulong*)word, value, memory_order_relaxed,
                        memory_scope_device);
}

DEVICE u64 add_word(__global u64* word, u64 value) {
  return atomic_fetch_add_explicit((volatile __global atomic_ulong*)word, value,
                                   memory_order_relaxed, memory_scope_device);
}

DEVICE void device_fence(void) {
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}
