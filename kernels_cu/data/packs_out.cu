// Prelude: VEC consecutive elements stored as one access.

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
