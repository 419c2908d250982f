// Prelude: conversion to bf16 by an instruction of sm_80. To the nearest, ties to even; NaN stays
// NaN.

DEVICE bf16 bf16_of_f32(f32 x) {
  bf16 rounded;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(rounded.bits) : "f"(x));
  return rounded;
}
