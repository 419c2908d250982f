// Prelude: the words of types for f64, left out where a device has none.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef double f64;

#define NATIVE_f64 double
#define bits_of_f64(x) as_ulong(x)
#define f64_of_bits(b) as_double((u64)(b))

DEVICE f64 minimum_f64(f64 a, f64 b) {
  return a < b ? a : b < a ? b : f64_of_bits(bits_of_f64(a) | bits_of_f64(b));
}
DEVICE f64 maximum_f64(f64 a, f64 b) {
  return a > b ? a : b > a ? b : a == b ? f64_of_bits(bits_of_f64(a) & bits_of_f64(b)) : a + b;
}
