// Prelude: the words of types for f64, left out where a device has none.

typedef double f64;

#define bits_of_f64(x) ((u64)__double_as_longlong(x))
#define f64_of_bits(b) __longlong_as_double((i64)(b))

DEVICE f64 minimum_f64(f64 a, f64 b) {
  return a < b ? a : b < a ? b : f64_of_bits(bits_of_f64(a) | bits_of_f64(b));
}
DEVICE f64 maximum_f64(f64 a, f64 b) {
  return a > b ? a : b > a ? b : a == b ? f64_of_bits(bits_of_f64(a) & bits_of_f64(b)) : a + b;
}
