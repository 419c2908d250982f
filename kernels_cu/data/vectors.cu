// Part uint4_in: 16 bytes are loaded by one access.
// Provides: uint4_in

#ifndef HALF_KEPT
#define HALF_KEPT 0  // Whether half of what is loaded is marked evict_first.
#endif

#if HALF_KEPT
// For inputs slightly larger than the L2: half of the lines are marked evict_first, so that the
// other half, and what earlier kernels left, stays cached. From sm_80 on. The load is volatile, as
// pdl_wait is, so that it stays behind it.
DEVICE uint4 load_uint4(const void* from) {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_unchanged.L2::evict_first.b64 %0, 0.5;" : "=l"(policy));
  uint4 vector;
  asm volatile("ld.global.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
               : "=r"(vector.x), "=r"(vector.y), "=r"(vector.z), "=r"(vector.w)
               : "l"(from), "l"(policy));
  return vector;
}
#else
DEVICE uint4 load_uint4(const void* from) { return *(const uint4*)from; }
#endif

// Part alignment: whether an address is aligned.
// Provides: alignment

DEVICE bool is_aligned(const void* address, u32 bytes) { return (u64)address % bytes == 0; }

// Part vectors_in: VEC consecutive elements are loaded by one access, structs by a few.
// Provides: vectors_in
// Uses: uint4_in

#ifdef LOAD_WORDS
#define LOAD_BYTES (4 * LOAD_WORDS)  // Bytes of an access, of which a vector has LOADS_EACH.
#else
#define LOAD_BYTES (sizeof(IN) * VEC)
#define LOADS_EACH 1
#endif

#if VEC == 1

// As it is: a struct field by field.
union InVector {
  IN item[1];
};

DEVICE InVector load_vector(const IN* from) {
  InVector vector;
  vector.item[0] = *from;
  return vector;
}

#else

// The compiler splits structs and unions into their members. So a load is written as that of a
// built-in vector of words.
template <int Bytes>
struct VectorLoad;
template <>
struct VectorLoad<2> {
  typedef u16 Words[1];
  static DEVICE void load(Words words, const void* from) { words[0] = *(const u16*)from; }
};
template <>
struct VectorLoad<4> {
  typedef u32 Words[1];
  static DEVICE void load(Words words, const void* from) { words[0] = *(const u32*)from; }
};
template <>
struct VectorLoad<8> {
  typedef u32 Words[2];
  static DEVICE void load(Words words, const void* from) {
    const uint2 vector = *(const uint2*)from;
    words[0] = vector.x, words[1] = vector.y;
  }
};
template <>
struct VectorLoad<16> {
  typedef u32 Words[4];
  static DEVICE void load(Words words, const void* from) {
    const uint4 vector = load_uint4(from);
    words[0] = vector.x, words[1] = vector.y, words[2] = vector.z, words[3] = vector.w;
  }
};

union InVector {
  VectorLoad<LOAD_BYTES>::Words words[LOADS_EACH];
  IN item[VEC];
};

DEVICE InVector load_vector(const IN* from) {
  InVector vector;
#pragma unroll
  for (u32 i = 0; i < LOADS_EACH; ++i) {
    VectorLoad<LOAD_BYTES>::load(vector.words[i], (const u8*)from + i * LOAD_BYTES);
  }
  return vector;
}

#endif

// Part vectors_out: VEC consecutive elements are stored by one access.
// Provides: vectors_out

#if VEC == 1 && !defined(OUT_WHOLE)

// A struct that is not as long as a built-in vector may lie anywhere and is stored field by field.
#define OUT_VECTOR_ALIGNMENT 1
union OutVector {
  OUT item[1];
};

DEVICE void store_vector(OUT* to, OutVector vector) { *to = vector.item[0]; }

#else

// As for loads. But the compiler also splits stores of built-in vectors, unless they are
// intrinsics.
template <int Bytes>
struct VectorStore;
template <>
struct VectorStore<2> {
  typedef u16 Words[1];
  static DEVICE void store(void* to, const Words words) { *(u16*)to = words[0]; }
};
template <>
struct VectorStore<4> {
  typedef u32 Words[1];
  static DEVICE void store(void* to, const Words words) { *(u32*)to = words[0]; }
};
template <>
struct VectorStore<8> {
  typedef u32 Words[2];
  static DEVICE void store(void* to, const Words words) {
    __stwb((uint2*)to, make_uint2(words[0], words[1]));
  }
};
template <>
struct VectorStore<16> {
  typedef u32 Words[4];
  static DEVICE void store(void* to, const Words words) {
    __stwb((uint4*)to, make_uint4(words[0], words[1], words[2], words[3]));
  }
};

#define OUT_VECTOR_ALIGNMENT (sizeof(OUT) * VEC)

union OutVector {
  VectorStore<sizeof(OUT) * VEC>::Words words;
  OUT item[VEC];
};

DEVICE void store_vector(OUT* to, OutVector vector) {
  VectorStore<sizeof(OUT) * VEC>::store(to, vector.words);
}

#endif
