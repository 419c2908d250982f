// Prelude: IEEE 754-2019 minimum and maximum of f32, as the device compares them.

// Operands that compare neither way are equal, and then differ in the sign of zero only, or one is
// NaN: or-ing the bits keeps NaN and prefers -0.
DEVICE f32 minimum_f32(f32 a, f32 b) {
  return a < b ? a : b < a ? b : f32_of_bits(bits_of_f32(a) | bits_of_f32(b));
}
DEVICE f32 maximum_f32(f32 a, f32 b) {
  return a > b ? a : b > a ? b : a == b ? f32_of_bits(bits_of_f32(a) & bits_of_f32(b)) : a + b;
}
