// Prelude: conversions of f16 by instructions; their header is not at hand where kernels are
// compiled. To the nearest, ties to even; NaN stays NaN.

DEVICE f32 f32_of_f16(f16 x) {
  f32 value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x.bits));
  return value;
}

DEVICE f16 f16_of_f32(f32 x) {
  f16 rounded;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(rounded.bits) : "f"(x));
  return rounded;
}
