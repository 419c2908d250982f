// Prelude: VEC consecutive elements stored as one access.

// A struct is stored alone, as the fields it is.
#if VEC == 1
#define OUT_VECTOR OUT
#else
#define OUT_VECTOR VECTOR(OUT_NAME, VEC)
#endif

typedef union {
  OUT_VECTOR vector;
  OUT item[VEC];
} OUT_PACK;

DEVICE void store_pack(__global OUT* to, OUT_PACK pack) { *(__global OUT_VECTOR*)to = pack.vector; }
