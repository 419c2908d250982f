// Prelude: conversion to bf16 in integers. To the nearest, ties to even; a NaN stays one, though
// its last bits are lost.

DEVICE bf16 bf16_of_f32(f32 x) {
  const u32 bits = bits_of_f32(x);
  const u32 nearest = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  bf16 rounded;
  rounded.bits = (u16)(x == x ? nearest : bits >> 16 | 0x40);
  return rounded;
}
