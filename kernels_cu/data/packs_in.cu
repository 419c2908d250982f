// Prelude: VEC consecutive elements loaded as one access, or structs as a few.

#ifdef PACK_WORDS
#define PACK_UNIT (4 * PACK_WORDS)  // Bytes of an access, of which a pack has PACK_UNITS.
#else
#define PACK_UNIT (sizeof(IN) * VEC)
#define PACK_UNITS 1
#endif

DEVICE bool pack_aligned(const void* address, u32 bytes) { return (u64)address % bytes == 0; }

#if VEC == 1

// As it is: a struct as its fields.
union IN_PACK {
  IN item[1];
};

DEVICE IN_PACK load_pack(const IN* from) {
  IN_PACK pack;
  pack.item[0] = *from;
  return pack;
}

#else

// The compiler splits structs and unions into their elements, so a load is spelled as one of a
// built-in vector of words.
template <int Bytes>
struct PackLoad;
template <>
struct PackLoad<2> {
  typedef u16 Words[1];
  static DEVICE void load(Words words, const void* from) { words[0] = *(const u16*)from; }
};
template <>
struct PackLoad<4> {
  typedef u32 Words[1];
  static DEVICE void load(Words words, const void* from) { words[0] = *(const u32*)from; }
};
template <>
struct PackLoad<8> {
  typedef u32 Words[2];
  static DEVICE void load(Words words, const void* from) {
    const uint2 vector = *(const uint2*)from;
    words[0] = vector.x, words[1] = vector.y;
  }
};
template <>
struct PackLoad<16> {
  typedef u32 Words[4];
  static DEVICE void load(Words words, const void* from) {
    const uint4 vector = load_unit(from);
    words[0] = vector.x, words[1] = vector.y, words[2] = vector.z, words[3] = vector.w;
  }
};

union IN_PACK {
  PackLoad<PACK_UNIT>::Words words[PACK_UNITS];
  IN item[VEC];
};

DEVICE IN_PACK load_pack(const IN* from) {
  IN_PACK pack;
#pragma unroll
  for (u32 i = 0; i < PACK_UNITS; ++i) {
    PackLoad<PACK_UNIT>::load(pack.words[i], (const u8*)from + i * PACK_UNIT);
  }
  return pack;
}

#endif
