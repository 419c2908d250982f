// Prelude: VEC consecutive elements loaded or stored as one access.

// How a pack of that many bytes is accessed. The compiler splits structs and unions into their
// elements, so loads are spelled as built-in vectors, and stores as the intrinsic on them.
template <int Bytes>
struct PackAccess;
template <>
struct PackAccess<2> {
  typedef u16 Words[1];
  static DEVICE void load(Words words, const void* from) { words[0] = *(const u16*)from; }
  static DEVICE void store(void* to, const Words words) { *(u16*)to = words[0]; }
};
template <>
struct PackAccess<4> {
  typedef u32 Words[1];
  static DEVICE void load(Words words, const void* from) { words[0] = *(const u32*)from; }
  static DEVICE void store(void* to, const Words words) { *(u32*)to = words[0]; }
};
template <>
struct PackAccess<8> {
  typedef u32 Words[2];
  static DEVICE void load(Words words, const void* from) {
    const uint2 vector = *(const uint2*)from;
    words[0] = vector.x, words[1] = vector.y;
  }
  static DEVICE void store(void* to, const Words words) {
    __stwb((uint2*)to, make_uint2(words[0], words[1]));
  }
};
template <>
struct PackAccess<16> {
  typedef u32 Words[4];
  static DEVICE void load(Words words, const void* from) {
    const uint4 vector = *(const uint4*)from;
    words[0] = vector.x, words[1] = vector.y, words[2] = vector.z, words[3] = vector.w;
  }
  static DEVICE void store(void* to, const Words words) {
    __stwb((uint4*)to, make_uint4(words[0], words[1], words[2], words[3]));
  }
};
typedef PackAccess<sizeof(IN) * VEC> IN_ACCESS;
typedef PackAccess<sizeof(OUT) * VEC> OUT_ACCESS;

union IN_PACK {
  IN_ACCESS::Words words;
  IN item[VEC];
};
union OUT_PACK {
  OUT_ACCESS::Words words;
  OUT item[VEC];
};

DEVICE bool pack_aligned(const void* address, u32 bytes) { return (u64)address % bytes == 0; }

DEVICE IN_PACK load_pack(const IN* from) {
  IN_PACK pack;
  IN_ACCESS::load(pack.words, from);
  return pack;
}
DEVICE void store_pack(OUT* to, OUT_PACK pack) { OUT_ACCESS::store(to, pack.words); }
