// Prelude: VEC consecutive elements loaded or stored as one access.

struct alignas(sizeof(IN) * VEC) IN_PACK {
  IN item[VEC];
};
struct alignas(sizeof(OUT) * VEC) OUT_PACK {
  OUT item[VEC];
};

DEVICE bool pack_aligned(const void* address, u32 bytes) { return (u64)address % bytes == 0; }

DEVICE IN_PACK load_pack(const IN* from) { return *(const IN_PACK*)from; }
DEVICE void store_pack(OUT* to, OUT_PACK pack) { *(OUT_PACK*)to = pack; }
