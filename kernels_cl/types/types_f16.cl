// Part types_f16: f16. Elements are stored as f16 and computed with as f32. It is a struct, so that
// no expression takes its bits for a number.
// Provides: types_f16

typedef struct {
  u16 bits;
} f16;

#define NATIVE_f16 ushort

#define f16_of_bits(b) ((f16){(u16)(b)})

// Part halves_native: conversions of f16 by functions of the language, to the nearest, ties to
// even; NaN stays NaN. Devices have instructions for them, and they need no arithmetic on halves.
// Provides: f16_conversions
// Uses: types_f16

DEVICE f32 f32_of_f16(f16 x) { return vload_half(0, (const half*)&x); }

DEVICE f16 f16_of_f32(f32 x) {
  f16 rounded;
  vstore_half_rte(x, 0, (half*)&rounded);
  return rounded;
}

// Part halves_bits: conversions of f16 that compilers for CPUs keep in vector registers, where they
// leave them for the functions of the language.
// Provides: f16_conversions
// Uses: types_f16

#if defined(__F16C__) && defined(__FLT16_MAX__)
// x86 has instructions for it.
#define HAS_FLOAT16
DEVICE f32 f32_of_f16(f16 x) { return (f32)__builtin_astype(x.bits, _Float16); }

DEVICE f16 f16_of_f32(f32 x) { return f16_of_bits(__builtin_astype((_Float16)x, u16)); }
#else
// In integers.

// Exponents are less by 112: a product puts that right, for denormals, too. What is infinite or NaN
// then has all bits of the exponent or-ed in.
DEVICE f32 f32_of_f16(f16 x) {
  const u32 magnitude = x.bits & 0x7fff;
  const u32 finite = bits_of_f32(f32_of_bits(magnitude << 13) * 0x1p112f);
  const u32 special = magnitude < 0x7c00 ? 0 : 0x7f800000;
  return f32_of_bits(finite | special | (u32)(x.bits & 0x8000) << 16);
}

// To the nearest, ties to even; NaN stays NaN. What becomes denormal is rounded by adding 0.5, next
// to which the last bit of an f32 is the least f16.
DEVICE f16 f16_of_f32(f32 x) {
  const u32 magnitude = bits_of_f32(x) & 0x7fffffff;
  const u32 denormal = bits_of_f32(f32_of_bits(magnitude) + 0.5f) - bits_of_f32(0.5f);
  const u32 rebiased = magnitude - 0x38000000;
  const u32 normal = (rebiased + 0xfff + (rebiased >> 13 & 1)) >> 13;
  const u32 finite = magnitude < 0x38800000 ? denormal : normal;
  const u32 special = magnitude > 0x7f800000 ? 0x7e00 : 0x7c00;
  const u32 sign = bits_of_f32(x) >> 16 & 0x8000;
  f16 rounded;
  rounded.bits = (u16)(sign | (magnitude < 0x47800000 ? finite : special));
  return rounded;
}
#endif
