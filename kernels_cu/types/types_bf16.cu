// Part types_bf16: bf16, the upper half of an f32. Elements are stored as bf16 and computed with as
// f32. It is a struct, so that no expression takes its bits for a number.
// Provides: types_bf16

struct bf16 {
  u16 bits;
};

#define bf16_of_bits(b) (bf16{(u16)(b)})

DEVICE f32 f32_of_bf16(bf16 x) { return f32_of_bits((u32)x.bits << 16); }

// Part bf16_ptx: conversion to bf16, to the nearest, ties to even; NaN stays NaN. From sm_80 on it
// is an instruction. The text is the same for every architecture, because embedded PTX is found by
// its text.
// Provides: bf16_conversions
// Uses: types_bf16

DEVICE bf16 bf16_of_f32(f32 x) {
#if __CUDA_ARCH__ >= 800
  bf16 rounded;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded.bits) : "f"(x));
  return rounded;
#else
  const u32 bits = bits_of_f32(x);
  const u32 nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  bf16 rounded;
  rounded.bits = (u16)(x == x ? nearest : bits >> 16 | 0x40);
  return rounded;
#endif
}
