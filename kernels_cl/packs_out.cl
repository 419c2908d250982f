// Prelude: VEC consecutive elements stored as one access.

typedef union {
  VECTOR(OUT_NAME, VEC) vector;
  OUT item[VEC];
} OUT_PACK;

DEVICE void store_pack(__global OUT* to, OUT_PACK pack) {
  *(__global VECTOR(OUT_NAME, VEC)*)to = pack.vector;
}
