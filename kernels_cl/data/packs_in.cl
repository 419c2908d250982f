// Prelude: VEC consecutive elements loaded as one access, or structs as a few.

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

DEVICE bool pack_aligned(const __global void* address, u32 bytes) {
  return (size_t)address % bytes == 0;
}

DEVICE IN_PACK load_pack(const __global IN* from) {
  IN_PACK pack;
#if HALF_KEPT
  pack.vector = PASTE(as_, IN_VECTOR)(load_unit(from));
#else
  pack.vector = *(const __global IN_VECTOR*)from;
#endif
  return pack;
}
