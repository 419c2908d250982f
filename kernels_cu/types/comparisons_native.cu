// Prelude: which of two f32 values comes first, as the device compares them.

// Whether a stands before b where the least, or the greatest, is looked for: NaN before everything,
// and -0 below +0.
DEVICE bool comes_before_f32(f32 a, f32 b) {
  if (a != a || b != b) return a != a && b == b;
  return a < b || (a == b && bits_of_f32(a) > bits_of_f32(b));
}
DEVICE bool comes_behind_f32(f32 a, f32 b) {
  if (a != a || b != b) return a != a && b == b;
  return a > b || (a == b && bits_of_f32(a) < bits_of_f32(b));
}
