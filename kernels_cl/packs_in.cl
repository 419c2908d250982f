// Prelude: VEC consecutive elements loaded as one access.

typedef union {
  VECTOR(IN_NAME, VEC) vector;
  IN item[VEC];
} IN_PACK;

DEVICE bool pack_aligned(const __global void* address, u32 bytes) {
  return (size_t)address % bytes == 0;
}

DEVICE IN_PACK load_pack(const __global IN* from) {
  IN_PACK pack;
  pack.vector = *(const __global VECTOR(IN_NAME, VEC)*)from;
  return pack;
}
