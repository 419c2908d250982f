// Part comparisons: which of two f32 values comes first, by their bits.
// Provides: comparisons

// A number that rises with the value: -0 lies below +0. NaN has a number of its own.
DEVICE i32 rank_of_f32(f32 x, i32 of_nan) {
  const i32 bits = (i32)bits_of_f32(x);
  return x != x ? of_nan : bits ^ ((bits >> 31) & 0x7fffffff);
}

// Whether a comes before b when the least, or the greatest, is sought: NaN before everything.
DEVICE bool comes_before_f32(f32 a, f32 b) {
  const i32 of_nan = -0x7fffffff - 1;
  return rank_of_f32(a, of_nan) < rank_of_f32(b, of_nan);
}
DEVICE bool comes_behind_f32(f32 a, f32 b) {
  const i32 of_nan = 0x7fffffff;
  return rank_of_f32(a, of_nan) > rank_of_f32(b, of_nan);
}

// Part extrema_ptx: IEEE 754-2019 minimum and maximum of f32, an instruction of sm_80: NaN wins,
// and -0 lies below +0.
// Provides: extrema

DEVICE f32 minimum_f32(f32 a, f32 b) {
  f32 least;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
  return least;
}
DEVICE f32 maximum_f32(f32 a, f32 b) {
  f32 greatest;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(greatest) : "f"(a), "f"(b));
  return greatest;
}

// Part extrema_native: IEEE 754-2019 minimum and maximum of f32, as the device compares them.
// Provides: extrema

// Operands that compare neither way are equal, and then differ in the sign of zero only, or one is
// NaN: or-ing the bits keeps NaN and prefers -0.
DEVICE f32 minimum_f32(f32 a, f32 b) {
  return a < b ? a : b < a ? b : f32_of_bits(bits_of_f32(a) | bits_of_f32(b));
}
DEVICE f32 maximum_f32(f32 a, f32 b) {
  return a > b ? a : b > a ? b : a == b ? f32_of_bits(bits_of_f32(a) & bits_of_f32(b)) : a + b;
}

// Part extrema_bits: IEEE 754-2019 minimum and maximum of f32, by their bits.
// Provides: extrema
// Uses: comparisons

DEVICE f32 minimum_f32(f32 a, f32 b) { return comes_before_f32(b, a) ? b : a; }
DEVICE f32 maximum_f32(f32 a, f32 b) { return comes_behind_f32(b, a) ? b : a; }
