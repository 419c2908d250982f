// Prelude: packs of f16 in memory, rounded as f16_of_f32() rounds one.

typedef ushort8 StoredPack;

#ifdef HAS_FLOAT16
typedef _Float16 Halves __attribute__((ext_vector_type(8)));

DEVICE Pack pack_of(StoredPack stored) {
  return __builtin_convertvector(__builtin_astype(stored, Halves), Pack);
}

DEVICE StoredPack stored_pack(Pack pack) {
  return __builtin_astype(__builtin_convertvector(pack, Halves), StoredPack);
}
#else
DEVICE Pack pack_of(StoredPack stored) {
  u16 bits[PACK_LANES];
  f32 value[PACK_LANES];
  vstore8(stored, 0, bits);
  for (u32 l = 0; l < PACK_LANES; ++l) value[l] = f32_of_f16(f16_of_bits(bits[l]));
  return vload8(0, value);
}

DEVICE StoredPack stored_pack(Pack pack) {
  f32 value[PACK_LANES];
  u16 bits[PACK_LANES];
  vstore8(pack, 0, value);
  for (u32 l = 0; l < PACK_LANES; ++l) bits[l] = f16_of_f32(value[l]).bits;
  return vload8(0, bits);
}
#endif
