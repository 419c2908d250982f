// Part atomics_ptx: 64-bit words that are visible to other groups of the launch, by relaxed
// device-scope access in inline PTX: NVIDIA's OpenCL has no device-scope fence of its own.
// Provides: atomics

DEVICE void store_word(__global u64* word, u64 value) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
}

DEVICE u64 add_word(__global u64* word, u64 value) {
  u64 before;
  asm volatile("atom.relaxed.gpu.global.add.u64 %0, [%1], %2;"
               : "=l"(before)
               : "l"(word), "l"(value)
               : "memory");
  return before;
}

// Part word_loads_ptx: 64-bit words are read that other groups write.
// Provides: word_loads

DEVICE u64 load_word(const __global u64* word) {
  u64 value;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
  return value;
}

// Two words, the first at a multiple of 16 bytes. Each is read as by load_word.
DEVICE void load_word_pair(const __global u64* words, __private u64* first, __private u64* second) {
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(*first), "=l"(*second)
               : "l"(words)
               : "memory");
}

// Part device_fence_ptx: accesses of a work-item are ordered for the whole device.
// Provides: device_fence

DEVICE void device_fence(void) { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }

// Part atomics_c11: 64-bit words that are visible to other groups of the launch, by the relaxed
// device-scope atomics of OpenCL C 2.0 and later.
// Provides: atomics

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

DEVICE void store_word(__global u64* word, u64 value) {
  atomic_store_explicit((volatile __global atomic_ulong*)word, value, memory_order_relaxed,
                        memory_scope_device);
}

DEVICE u64 add_word(__global u64* word, u64 value) {
  return atomic_fetch_add_explicit((volatile __global atomic_ulong*)word, value,
                                   memory_order_relaxed, memory_scope_device);
}

// Part word_loads_c11: 64-bit words are read that other groups write.
// Provides: word_loads
// Uses: atomics

DEVICE u64 load_word(const __global u64* word) {
  return atomic_load_explicit((volatile __global atomic_ulong*)word, memory_order_relaxed,
                              memory_scope_device);
}

DEVICE void load_word_pair(const __global u64* words, __private u64* first, __private u64* second) {
  *first = load_word(words);
  *second = load_word(words + 1);
}

// Part device_fence_c11: accesses of a work-item are ordered for the whole device.
// Provides: device_fence

DEVICE void device_fence(void) {
  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device);
}

// Part atomics_legacy: 64-bit words that are visible to other groups of the launch, by the
// read-modify-write atomics of OpenCL C 1.x. Polling writes, so it is slow. By the standard, the
// fence orders only this work-item's own accesses.
// Provides: atomics

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

DEVICE void store_word(__global u64* word, u64 value) {
  atom_xchg((volatile __global u64*)word, value);
}

DEVICE u64 add_word(__global u64* word, u64 value) {
  return atom_add((volatile __global u64*)word, value);
}

// Part word_loads_legacy: 64-bit words are read that other groups write.
// Provides: word_loads
// Uses: atomics

DEVICE u64 load_word(const __global u64* word) {
  return atom_or((volatile __global u64*)word, 0ul);
}

DEVICE void load_word_pair(const __global u64* words, __private u64* first, __private u64* second) {
  *first = load_word(words);
  *second = load_word(words + 1);
}

// Part device_fence_legacy: accesses of a work-item are ordered for the whole device.
// Provides: device_fence

DEVICE void device_fence(void) { mem_fence(CLK_GLOBAL_MEM_FENCE); }
