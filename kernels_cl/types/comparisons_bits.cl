// Prelude: which of two f32 values comes first, by their bits: for devices to which all denormals
// are equal.

// Rises with the value; -0 lies below +0, and NaN beyond the infinities.
DEVICE i32 rank_of_f32(f32 x) {
  const i32 bits = (i32)bits_of_f32(x);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
DEVICE bool is_nan_f32(f32 x) { return (bits_of_f32(x) & 0x7fffffff) > 0x7f800000; }

// Whether a stands before b where the least, or the greatest, is looked for: NaN before everything,
// and -0 below +0.
DEVICE bool comes_before_f32(f32 a, f32 b) {
  if (is_nan_f32(a) || is_nan_f32(b)) return is_nan_f32(a) && !is_nan_f32(b);
  return rank_of_f32(a) < rank_of_f32(b);
}
DEVICE bool comes_behind_f32(f32 a, f32 b) {
  if (is_nan_f32(a) || is_nan_f32(b)) return is_nan_f32(a) && !is_nan_f32(b);
  return rank_of_f32(a) > rank_of_f32(b);
}
