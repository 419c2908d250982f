// Part types_f16: f16. Elements are stored as f16 and computed with as f32. It is a struct, so that
// no expression takes its bits for a number.
// Provides: types_f16

struct f16 {
  u16 bits;
};

#define f16_of_bits(b) (f16{(u16)(b)})

// Part halves_native: conversions of f16 by instructions, to the nearest, ties to even; NaN stays
// NaN. The run-time compiler has no header for them.
// Provides: f16_conversions
// Uses: types_f16

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
