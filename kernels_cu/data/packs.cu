// Part units_in: 16 bytes loaded as one access.
// Provides: units_in

#ifndef HALF_KEPT
#define HALF_KEPT 0  // Whether half of what is loaded makes way in the cache before all else there.
#endif

#if HALF_KEPT
// Of an input that the cache holds not quite, one half displaces neither the other half nor what
// earlier work has left there. From sm_80 on. It is volatile, as waiting for earlier work is,
// so that it stays behind that.
DEVICE uint4 load_unit(const void* from) {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_unchanged.L2::evict_first.b64 %0, 0.5;" : "=l"(policy));
  uint4 unit;
  asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(unit.x), "=r"(unit.y), "=r"(unit.z), "=r"(unit.w)
               : "l"(from), "l"(policy));
  return unit;
}
#else
DEVICE uint4 load_unit(const void* from) { return *(const uint4*)from; }
#endif

// Part pack_alignment: whether an address is one of a pack.
// Provides: pack_alignment

DEVICE bool pack_aligned(const void* address, u32 bytes) { return (u64)address % bytes == 0; }

// Part packs_in: VEC consecutive elements loaded as one access, or structs as a few.
// Provides: packs_in
// Uses: units_in

#ifdef PACK_WORDS
#define PACK_UNIT (4 * PACK_WORDS)  // Bytes of an access, of which a pack has PACK_UNITS.
#else
#define PACK_UNIT (sizeof(IN) * VEC)
#define PACK_UNITS 1
#endif

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

// Part packs_out: VEC consecutive elements stored as one access.
// Provides: packs_out

#if VEC == 1 && !defined(OUT_WHOLE)

// A struct that is not as long as a vector is stored as the fields it is, wherever it lies.
#define OUT_PACK_ALIGNMENT 1
union OUT_PACK {
  OUT item[1];
};

DEVICE void store_pack(OUT* to, OUT_PACK pack) { *to = pack.item[0]; }

#else

// As for loads, but the compiler splits stores of built-in vectors as well: the intrinsic stays
// whole.
template <int Bytes>
struct PackStore;
template <>
struct PackStore<2> {
  typedef u16 Words[1];
  static DEVICE void store(void* to, const Words words) { *(u16*)to = words[0]; }
};
template <>
struct PackStore<4> {
  typedef u32 Words[1];
  static DEVICE void store(void* to, const Words words) { *(u32*)to = words[0]; }
};
template <>
struct PackStore<8> {
  typedef u32 Words[2];
  static DEVICE void store(void* to, const Words words) {
    __stwb((uint2*)to, make_uint2(words[0], words[1]));
  }
};
template <>
struct PackStore<16> {
  typedef u32 Words[4];
  static DEVICE void store(void* to, const Words words) {
    __stwb((uint4*)to, make_uint4(words[0], words[1], words[2], words[3]));
  }
};

#define OUT_PACK_ALIGNMENT (sizeof(OUT) * VEC)

union OUT_PACK {
  PackStore<sizeof(OUT) * VEC>::Words words;
  OUT item[VEC];
};

DEVICE void store_pack(OUT* to, OUT_PACK pack) {
  PackStore<sizeof(OUT) * VEC>::store(to, pack.words);
}

#endif
