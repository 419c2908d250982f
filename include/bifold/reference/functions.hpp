/// @file
/// Functions of texts whose bits are bifold's own, on the host. The compiler must not contract
/// a * b + c (GCC and Clang: -ffp-contract=off), nor reorder (no -ffast-math).
#pragma once

#include <bit>
#include <cstdint>

namespace bifold::reference {

/// @addtogroup oracle
/// @{

/// What `exp(x)` gives in a text, with an error below one unit in the last place. Of k ln 2 + r,
/// 2^k is exact, and a polynomial gives exp(r).
inline float exp(float x) {
  const float within = x > 89.0F ? 89.0F : x < -104.0F ? -104.0F : x;
  const float shifted = within * 1.44269502e+0F + 12582912.0F;
  const float k = shifted - 12582912.0F;
  const float r = (within - k * 6.93176270e-1F) - k * -2.90889711e-5F;
  float p = 1.98910799e-4F;
  p = p * r + 1.39337312e-3F;
  p = p * r + 8.33331048e-3F;
  p = p * r + 4.16664630e-2F;
  p = p * r + 1.66666672e-1F;
  p = p * r + 5.00000000e-1F;
  const float one_to_two = ((p * r) * r + r) + 1.0F;
  const auto exponent =
      static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(shifted) - 0x4b400000U);
  const std::int32_t half_of_it = exponent >> 1;
  return one_to_two * std::bit_cast<float>(static_cast<std::uint32_t>(half_of_it + 127) << 23) *
         std::bit_cast<float>(static_cast<std::uint32_t>(exponent - half_of_it + 127) << 23);
}
/// The same of an f64.
inline double exp(double x) {
  const double within = x > 710.0 ? 710.0 : x < -746.0 ? -746.0 : x;
  const double shifted = within * 1.4426950408889634e+0 + 6755399441055744.0;
  const double k = shifted - 6755399441055744.0;
  const double r = (within - k * 6.9314718056011770e-1) - k * -1.7239444525614835e-13;
  double p = 2.0914755325893202e-9;
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
  const double one_to_two = ((p * r) * r + r) + 1.0;
  const auto exponent = static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(shifted));
  const std::int32_t half_of_it = exponent >> 1;
  return one_to_two * std::bit_cast<double>(static_cast<std::uint64_t>(half_of_it + 1023) << 52) *
         std::bit_cast<double>(static_cast<std::uint64_t>(exponent - half_of_it + 1023) << 52);
}

/// What `log(x)` gives in a text, with an error below one unit in the last place: -infinity of
/// zeros, NaN of what is less. Of 2^k (1 + f), 1 + f lies between the roots of 1/2 and of 2.
inline float log(float x) {
  const bool denormal = x < 1.17549435e-38F;
  const std::uint32_t bits =
      std::bit_cast<std::uint32_t>(denormal ? x * 8388608.0F : x) + (0x3f800000U - 0x3f3504f3U);
  const auto k = static_cast<float>(static_cast<std::int32_t>(bits >> 23) - (denormal ? 150 : 127));
  const float f = std::bit_cast<float>((bits & 0x7fffffU) + 0x3f3504f3U) - 1.0F;
  float p = 6.97161183e-2F;
  p = p * f - 1.14797339e-1F;
  p = p * f + 1.16854198e-1F;
  p = p * f - 1.24256872e-1F;
  p = p * f + 1.42490581e-1F;
  p = p * f - 1.66678026e-1F;
  p = p * f + 2.00007156e-1F;
  p = p * f - 2.49999970e-1F;
  p = p * f + 3.33333313e-1F;
  const float square = f * f;
  const float value =
      (f - (0.5F * square - (square * (f * p) + k * -2.90889711e-5F))) + k * 6.93176270e-1F;
  if ((std::bit_cast<std::uint32_t>(x) << 1) == 0) return std::bit_cast<float>(0xff800000U);
  if (x < 0.0F) return std::bit_cast<float>(0x7fc00000U);
  return x < std::bit_cast<float>(0x7f800000U) ? value : x;
}
/// The same of an f64.
inline double log(double x) {
  const bool denormal = x < 2.2250738585072014e-308;
  const std::uint64_t bits =
      std::bit_cast<std::uint64_t>(denormal ? x * 18014398509481984.0 : x) +
      (std::uint64_t{0x3ff0000000000000} - std::uint64_t{0x3fe6a09e667f3bcd});
  const auto k =
      static_cast<double>(static_cast<std::int32_t>(bits >> 52) - (denormal ? 1077 : 1023));
  const double f = std::bit_cast<double>((bits & std::uint64_t{0xfffffffffffff}) +
                                         std::uint64_t{0x3fe6a09e667f3bcd}) -
                   1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double p = 1.4616449685043406e-1;
  p = p * z + 1.5331721600556042e-1;
  p = p * z + 1.8182889125261723e-1;
  p = p * z + 2.2222211134795081e-1;
  p = p * z + 2.8571428625975487e-1;
  p = p * z + 3.9999999999899505e-1;
  p = p * z + 6.6666666666666696e-1;
  const double half_square = 0.5 * f * f;
  const double value =
      (f - (half_square - (s * (half_square + z * p) + k * -1.7239444525614835e-13))) +
      k * 6.9314718056011770e-1;
  if ((std::bit_cast<std::uint64_t>(x) << 1) == 0)
    return std::bit_cast<double>(std::uint64_t{0xfff0000000000000});
  if (x < 0.0) return std::bit_cast<double>(std::uint64_t{0x7ff8000000000000});
  return x < std::bit_cast<double>(std::uint64_t{0x7ff0000000000000}) ? value : x;
}

/// @}

}  // namespace bifold::reference
