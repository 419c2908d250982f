// Part exponential_f32: exp of an f32 by additions and multiplications, whose bits are the same
// everywhere. Of k ln 2 + r, 2^k is exact, and a polynomial gives exp(r). ln 2 is split in two: the
// product of k and the first is exact. Errors are below one unit in the last place.
// Provides: exponential_f32

DEVICE f32 exponential_f32(f32 x) {
  // Beyond these limits, as at them, the result is 0 or infinite.
  const f32 within = x > 89.0f ? 89.0f : x < -104.0f ? -104.0f : x;
  // In units of 1.5 * 2^23 the last place is 1: the sum rounds to k.
  const f32 shifted = within * 1.44269502e+0f + 12582912.0f;
  const f32 k = shifted - 12582912.0f;
  const f32 r = (within - k * 6.93176270e-1f) - k * -2.90889711e-5f;
  f32 p = 1.98910799e-4f;
  p = p * r + 1.39337312e-3f;
  p = p * r + 8.33331048e-3f;
  p = p * r + 4.16664630e-2f;
  p = p * r + 1.66666672e-1f;
  p = p * r + 5.00000000e-1f;
  const f32 one_to_two = ((p * r) * r + r) + 1.0f;
  // In two steps, as 2^k may be less than the least normal value, or more than the greatest.
  const i32 exponent = (i32)(bits_of_f32(shifted) - 0x4b400000u);
  const i32 half_of_it = exponent >> 1;
  return one_to_two * f32_of_bits((u32)(half_of_it + 127) << 23) *
         f32_of_bits((u32)(exponent - half_of_it + 127) << 23);
}

// Part logarithm_f32: log of an f32, as above. Of 2^k (1 + f), 1 + f lies between the roots of 1/2
// and of 2. Nothing is divided, as not every device rounds quotients of f32.
// Provides: logarithm_f32

DEVICE f32 logarithm_f32(f32 x) {
  const bool denormal = x < 1.17549435e-38f;
  const u32 bits = bits_of_f32(denormal ? x * 8388608.0f : x) + (0x3f800000u - 0x3f3504f3u);
  const f32 k = (f32)((i32)(bits >> 23) - (denormal ? 150 : 127));
  const f32 f = f32_of_bits((bits & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
  f32 p = 6.97161183e-2f;
  p = p * f - 1.14797339e-1f;
  p = p * f + 1.16854198e-1f;
  p = p * f - 1.24256872e-1f;
  p = p * f + 1.42490581e-1f;
  p = p * f - 1.66678026e-1f;
  p = p * f + 2.00007156e-1f;
  p = p * f - 2.49999970e-1f;
  p = p * f + 3.33333313e-1f;
  const f32 square = f * f;
  const f32 value =
      (f - (0.5f * square - (square * (f * p) + k * -2.90889711e-5f))) + k * 6.93176270e-1f;
  if (x == 0.0f) return f32_of_bits(0xff800000u);
  if (x < 0.0f) return f32_of_bits(0x7fc00000u);
  return x < f32_of_bits(0x7f800000u) ? value : x;
}

// Part exponential_f64: exp of an f64, as that of an f32.
// Provides: exponential_f64
// Uses: types_f64

DEVICE f64 exponential_f64(f64 x) {
  const f64 within = x > 710.0 ? 710.0 : x < -746.0 ? -746.0 : x;
  const f64 shifted = within * 1.4426950408889634e+0 + 6755399441055744.0;
  const f64 k = shifted - 6755399441055744.0;
  const f64 r = (within - k * 6.9314718056011770e-1) - k * -1.7239444525614835e-13;
  f64 p = 2.0914755325893202e-9;
  p = p * r + 2.5105312729622103e-8;
  p = p * r + 2.7557273478718582e-7;
  p = p * r + 2.7557255170000888e-6;
  p = p * r + 2.4801587325677461e-5;
  p = p * r + 1.9841269875002279e-4;
  p = p * r + 1.3888888888883711e-3;
  p = p * r + 8.3333333333260838e-3;
  p = p * r + 4.1666666666666671e-2;
  p = p * r + 1.6666666666666671e-1;
  p = p * r + 5.0000000000000000e-1;
  const f64 one_to_two = ((p * r) * r + r) + 1.0;
  const i32 exponent = (i32)bits_of_f64(shifted);
  const i32 half_of_it = exponent >> 1;
  return one_to_two * f64_of_bits((u64)(half_of_it + 1023) << 52) *
         f64_of_bits((u64)(exponent - half_of_it + 1023) << 52);
}

// Part logarithm_f64: log of an f64, as that of an f32, but by s = f / (2 + f): every device rounds
// quotients of f64.
// Provides: logarithm_f64
// Uses: types_f64

DEVICE f64 logarithm_f64(f64 x) {
  const bool denormal = x < 2.2250738585072014e-308;
  const u64 bits = bits_of_f64(denormal ? x * 18014398509481984.0 : x) +
                   ((u64)0x3ff0000000000000 - (u64)0x3fe6a09e667f3bcd);
  const f64 k = (f64)((i32)(bits >> 52) - (denormal ? 1077 : 1023));
  const f64 f = f64_of_bits((bits & (u64)0xfffffffffffff) + (u64)0x3fe6a09e667f3bcd) - 1.0;
  const f64 s = f / (2.0 + f);
  const f64 z = s * s;
  f64 p = 1.4616449685043406e-1;
  p = p * z + 1.5331721600556042e-1;
  p = p * z + 1.8182889125261723e-1;
  p = p * z + 2.2222211134795081e-1;
  p = p * z + 2.8571428625975487e-1;
  p = p * z + 3.9999999999899505e-1;
  p = p * z + 6.6666666666666696e-1;
  const f64 half_square = 0.5 * f * f;
  const f64 value =
      (f - (half_square - (s * (half_square + z * p) + k * -1.7239444525614835e-13))) +
      k * 6.9314718056011770e-1;
  if (x == 0.0) return f64_of_bits((u64)0xfff0000000000000);
  if (x < 0.0) return f64_of_bits((u64)0x7ff8000000000000);
  return x < f64_of_bits((u64)0x7ff0000000000000) ? value : x;
}
