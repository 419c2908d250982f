// Prelude: packs of bf16 in memory, rounded as bf16_of_f32() rounds one.

typedef ushort8 StoredPack;

DEVICE Pack pack_of(StoredPack stored) { return as_float8(convert_uint8(stored) << 16); }

DEVICE StoredPack stored_pack(Pack pack) {
  const uint8 bits = as_uint8(pack);
  const uint8 nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return convert_ushort8(pack == pack ? nearest : bits >> 16 | 0x40);
}
