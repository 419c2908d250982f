/// @file
/// The logarithm of a sum of exponentials, as a reduction and as a scan. Nothing overflows, as
/// sums have exponents of their own, and each input is read once. exp and log are those of texts
/// (bifold/reference/functions.hpp), so results have the same bits on every device.
#pragma once

#include <array>
#include <bifold/reduce.hpp>
#include <bifold/scan.hpp>
#include <bifold/type.hpp>
#include <concepts>
#include <cstddef>
#include <string_view>

namespace bifold {

/// @addtogroup results
/// @{

/// The sum of exp(x) as exp(anchor) * sum: a number whose exponent does not overflow. What
/// logsumexp() reduces to, and what `init_from` and `total` have. Of nothing, -infinity and 0.
template <std::floating_point T>
struct LogSum {
  /// Numbers with as many anchors between them are 0 beside each other.
  static constexpr T step = sizeof(T) == sizeof(float) ? 64 : 512;

  T anchor;  ///< A multiple of `step` or infinite: that of the x with the greatest one.
  T sum;     ///< Of exp(x - anchor).
};

/// @}

/// @cond internal
template <>
struct StructTraits<LogSum<float>> {
  static constexpr std::array fields{
      StructField{"anchor", Type::f32, offsetof(LogSum<float>, anchor)},
      StructField{"sum", Type::f32, offsetof(LogSum<float>, sum)}};
  static constexpr StructType definition{"LogSum_f32", sizeof(LogSum<float>), fields};
};

template <>
struct StructTraits<LogSum<double>> {
  static constexpr std::array fields{
      StructField{"anchor", Type::f64, offsetof(LogSum<double>, anchor)},
      StructField{"sum", Type::f64, offsetof(LogSum<double>, sum)}};
  static constexpr StructType definition{"LogSum_f64", sizeof(LogSum<double>), fields};
};
/// @endcond

/// @addtogroup results
/// @{

/// What logsumexp() reduces by, on LogSum of f32 or f64 (accumulator_t of f16 and bf16). It
/// commutes, and takes no exponential: the map has taken one of each element.
BIFOLD_API const Operator& logsumexp_operator(Type element);

/// Blocks, and returns log of the sum of exp(x) over floating elements, in accumulator_t of their
/// type; -infinity of nothing. NaN where an element is NaN. Throws invalid_argument for elements
/// that are not floating, and options with a result map or an accumulator; otherwise as
/// transform_reduce().
BIFOLD_API Value logsumexp(Queue& queue, const ErasedView& input,
                           const ReduceOptions& options = {});

/// Enqueues logsumexp() into one element of a floating type, which is accumulated in accumulator_t
/// of it, or, of lines, into one for each.
BIFOLD_API void logsumexp_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                               const ReduceOptions& options = {});

/// Enqueues output[i] = log of the sum of exp over input[0..i], of any numbers into a floating
/// type, accumulated in accumulator_t of the output's. In place is allowed. Errors as logsumexp()
/// and transform_scan().
BIFOLD_API void cumulative_logsumexp(Queue& queue, const ErasedView& input,
                                     const ErasedView& output, const ScanOptions& options = {});

/// Blocks, and returns log of the sum of exp(x) over `input`.
template <device_range R>
[[nodiscard]] accumulator_t<range_value_t<R>> logsumexp(Queue& queue, R&& input,
                                                        const ReduceOptions& options = {}) {
  return logsumexp(queue, erase(input), options).template as<accumulator_t<range_value_t<R>>>();
}

/// Enqueues output[i] = log of the sum of exp over input[0..i]. In place is allowed.
template <device_range R, writable_range Out>
void cumulative_logsumexp(Queue& queue, R&& input, Out&& output, const ScanOptions& options = {}) {
  cumulative_logsumexp(queue, erase(input), erase(output), options);
}

/// @}

}  // namespace bifold
