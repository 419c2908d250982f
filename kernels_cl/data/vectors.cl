// Part uint4_in: 16 bytes are loaded by one access.
// Provides: uint4_in

#ifndef HALF_KEPT
#define HALF_KEPT 0  // Whether half of what is loaded is marked evict_first.
#endif

#if HALF_KEPT
// For inputs slightly larger than the L2: half of the lines are marked evict_first, so that the
// other half, and what earlier kernels left, stays cached. From sm_80 on.
DEVICE uint4 load_uint4(const __global void* from) {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_unchanged.L2::evict_first.b64 %0, 0.5;" : "=l"(policy));
  uint4 vector;
  asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(vector.x), "=r"(vector.y), "=r"(vector.z), "=r"(vector.w)
               : "l"(from), "l"(policy));
  return vector;
}
#else
DEVICE uint4 load_uint4(const __global void* from) { return *(const __global uint4*)from; }
#endif

// Part alignment: whether an address is aligned.
// Provides: alignment

DEVICE bool is_aligned(const __global void* address, u32 bytes) {
  return (size_t)address % bytes == 0;
}

// Part vectors_in: VEC consecutive elements are loaded by one access, structs by a few.
// Provides: vectors_in
// Uses: uint4_in

#ifdef LOAD_WORDS
#define LOAD_BYTES (4 * LOAD_WORDS)  // Bytes of an access, of which a vector has LOADS_EACH.
typedef struct {
  VECTOR(u32, LOAD_WORDS) vector[LOADS_EACH];
} InLoads;
#define IN_ACCESS InLoads
#else
#define LOAD_BYTES (sizeof(IN) * VEC)
#if VEC == 1
#define IN_ACCESS IN  // As it is: a struct as its fields.
#else
#define IN_ACCESS VECTOR(IN_NAME, VEC)
#endif
#endif

typedef union {
  IN_ACCESS whole;
  IN item[VEC];
} InVector;

DEVICE InVector load_vector(const __global IN* from) {
  InVector vector;
#if HALF_KEPT
  vector.whole = PASTE(as_, IN_ACCESS)(load_uint4(from));
#else
  vector.whole = *(const __global IN_ACCESS*)from;
#endif
  return vector;
}

// Part vectors_out: VEC consecutive elements are stored by one access.
// Provides: vectors_out

// A struct may lie anywhere and is stored field by field, unless it, or VEC of it, is as long as a
// built-in vector.
#if VEC > 1 || defined(OUT_WHOLE)
#define OUT_VECTOR_ALIGNMENT (sizeof(OUT) * VEC)
#else
#define OUT_VECTOR_ALIGNMENT 1
#endif
#ifdef OUT_WHOLE
#define OUT_ACCESS OUT_WHOLE
#elif VEC > 1
#define OUT_ACCESS VECTOR(OUT_NAME, VEC)
#else
#define OUT_ACCESS OUT
#endif

typedef union {
  OUT_ACCESS whole;
  OUT item[VEC];
} OutVector;

DEVICE void store_vector(__global OUT* to, OutVector vector) {
  *(__global OUT_ACCESS*)to = vector.whole;
}
