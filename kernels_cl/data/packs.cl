// Part units_in: 16 bytes loaded as one access.
// Provides: units_in

#ifndef HALF_KEPT
#define HALF_KEPT 0  // Whether half of what is loaded makes way in the cache before all else there.
#endif

#if HALF_KEPT
// Of an input that the cache holds not quite, one half displaces neither the other half nor what
// earlier work has left there. From sm_80 on.
DEVICE uint4 load_unit(const __global void* from) {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_unchanged.L2::evict_first.b64 %0, 0.5;" : "=l"(policy));
  uint4 unit;
  asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(unit.x), "=r"(unit.y), "=r"(unit.z), "=r"(unit.w)
               : "l"(from), "l"(policy));
  return unit;
}
#else
DEVICE uint4 load_unit(const __global void* from) { return *(const __global uint4*)from; }
#endif

// Part pack_alignment: whether an address is one of a pack.
// Provides: pack_alignment

DEVICE bool pack_aligned(const __global void* address, u32 bytes) {
  return (size_t)address % bytes == 0;
}

// Part packs_in: VEC consecutive elements loaded as one access, or structs as a few.
// Provides: packs_in
// Uses: units_in

#ifdef PACK_WORDS
#define PACK_UNIT (4 * PACK_WORDS)  // Bytes of an access, of which a pack has PACK_UNITS.
typedef struct {
  VECTOR(u32, PACK_WORDS) unit[PACK_UNITS];
} IN_UNITS;
#define IN_VECTOR IN_UNITS
#else
#define PACK_UNIT (sizeof(IN) * VEC)
#if VEC == 1
#define IN_VECTOR IN  // As it is: a struct as its fields.
#else
#define IN_VECTOR VECTOR(IN_NAME, VEC)
#endif
#endif

typedef union {
  IN_VECTOR vector;
  IN item[VEC];
} IN_PACK;

DEVICE IN_PACK load_pack(const __global IN* from) {
  IN_PACK pack;
#if HALF_KEPT
  pack.vector = PASTE(as_, IN_VECTOR)(load_unit(from));
#else
  pack.vector = *(const __global IN_VECTOR*)from;
#endif
  return pack;
}

// Part packs_out: VEC consecutive elements stored as one access.
// Provides: packs_out

// A struct is stored as the fields it is, wherever it lies, unless it or a pack of it is as long as
// a vector.
#if VEC > 1 || defined(OUT_WHOLE)
#define OUT_PACK_ALIGNMENT (sizeof(OUT) * VEC)
#else
#define OUT_PACK_ALIGNMENT 1
#endif
#ifdef OUT_WHOLE
#define OUT_VECTOR OUT_WHOLE
#elif VEC > 1
#define OUT_VECTOR VECTOR(OUT_NAME, VEC)
#else
#define OUT_VECTOR OUT
#endif

typedef union {
  OUT_VECTOR vector;
  OUT item[VEC];
} OUT_PACK;

DEVICE void store_pack(__global OUT* to, OUT_PACK pack) { *(__global OUT_VECTOR*)to = pack.vector; }
