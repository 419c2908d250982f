// Prelude: conversions of f16 by functions of the language, which devices have as instructions and
// which need no arithmetic on halves. To the nearest, ties to even; NaN stays NaN.

DEVICE f32 f32_of_f16(f16 x) { return vload_half(0, (const half*)&x); }

DEVICE f16 f16_of_f32(f32 x) {
  f16 rounded;
  vstore_half_rte(x, 0, (half*)&rounded);
  return rounded;
}
