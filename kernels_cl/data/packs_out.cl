// Prelude: VEC consecutive elements stored as one access.

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
