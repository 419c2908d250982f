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

// Part extrema_ptx: IEEE 754-2019 minimum and maximum of f32: NaN wins, and -0 lies below +0. From
// sm_80 on it is an instruction. The text is the same for every architecture, because embedded PTX
// is found by its text.
// Provides: extrema

DEVICE f32 minimum_f32(f32 a, f32 b) {
#if __CUDA_ARCH__ >= 800
  f32 least;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(least) : "f"(a), "f"(b));
  return least;
#else
  // Operands that compare neither way are equal, and then differ in the sign of zero only, or one
  // is NaN: or-ing the bits keeps NaN and prefers -0.
  return a < b ? a : b < a ? b : f32_of_bits(bits_of_f32(a) | bits_of_f32(b));
#endif
}
DEVICE f32 maximum_f32(f32 a, f32 b) {
#if __CUDA_ARCH__ >= 800
  f32 greatest;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(greatest) : "f"(a), "f"(b));
  return greatest;
#else
  return a > b ? a : b > a ? b : a == b ? f32_of_bits(bits_of_f32(a) & bits_of_f32(b)) : a + b;
#endif
}
