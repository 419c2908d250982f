// Prelude: VEC consecutive elements loaded as one access.

// A struct is loaded alone, as the fields it is.
#if VEC == 1
#define IN_VECTOR IN
#else
#define IN_VECTOR VECTOR(IN_NAME, VEC)
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
