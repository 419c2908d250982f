// Part types_f64: f64, left out where a device has none.
// Provides: types_f64

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef double f64;

#define NATIVE_f64 double
#define bits_of_f64(x) as_ulong(x)
#define f64_of_bits(b) as_double((u64)(b))

// Part extrema_f64: IEEE 754-2019 minimum and maximum of f64: NaN wins, and -0 lies below +0.
// Provides: extrema_f64
// Uses: types_f64

DEVICE f64 minimum_f64(f64 a, f64 b) {
  return a < b ? a : b < a ? b : f64_of_bits(bits_of_f64(a) | bits_of_f64(b));
}

DEVICE f64 maximum_f64(f64 a, f64 b) {
  return a > b ? a : b > a ? b : a == b ? f64_of_bits(bits_of_f64(a) & bits_of_f64(b)) : a + b;
}

// Part comparisons_f64: which of two f64 values comes first.
// Provides: comparisons_f64
// Uses: types_f64

// A number that rises with the value: -0 lies below +0. NaN has a number of its own.
DEVICE i64 rank_of_f64(f64 x, i64 of_nan) {
  const i64 bits = (i64)bits_of_f64(x);
  return x != x ? of_nan : bits ^ ((bits >> 63) & 0x7fffffffffffffff);
}

// Whether a comes before b when the least, or the greatest, is sought: NaN before everything.
DEVICE bool comes_before_f64(f64 a, f64 b) {
  const i64 of_nan = -0x7fffffffffffffff - 1;
  return rank_of_f64(a, of_nan) < rank_of_f64(b, of_nan);
}
DEVICE bool comes_behind_f64(f64 a, f64 b) {
  const i64 of_nan = 0x7fffffffffffffff;
  return rank_of_f64(a, of_nan) > rank_of_f64(b, of_nan);
}

// Part rounding_of_sum_f64: what a sum of two f64 loses by rounding.
// Provides: rounding_of_sum_f64
// Uses: types_f64

// The rounding error of a + b, exactly (Knuth's two-sum).
DEVICE f64 rounding_of_sum_f64(f64 a, f64 b) {
  const f64 sum = a + b;
  const f64 rest = sum - a;
  return (a - (sum - rest)) + (b - rest);
}

// Part odd_f32_of_f64: an f64 on its way to 16 bits.
// Provides: odd_f32_of_f64
// Uses: types_f64

// An f32 whose last bit tells whether something was lost. Rounded again to half as many bits, it
// gives what rounding x at once would.
DEVICE f32 odd_f32_of_f64(f64 x) {
  const f32 nearest = (f32)x;
  const f64 rounded = nearest;
  const u32 away = x < 0 ? rounded < x : rounded > x;
  const u32 lost = x == x && rounded != x;
  return f32_of_bits((bits_of_f32(nearest) - (lost & away)) | lost);
}
