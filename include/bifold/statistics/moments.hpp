/// @file
/// Mean and variance: reductions that read their input once. They are computed in f64 unless the
/// options say otherwise, and have the same bits on every device.
#pragma once

#include <array>
#include <bifold/op.hpp>
#include <bifold/reduce.hpp>
#include <bifold/struct.hpp>
#include <bifold/type.hpp>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace bifold {

/// @addtogroup results
/// @{

/// What variance() accumulates of numbers of up to 16 bits and of f32, whose squares f64 holds
/// exactly. Cancellation in squares - sum^2 / n costs less of 53 bits than updates of f32 would.
struct PowerSums {
  double sum;      ///< Of the elements.
  double squares;  ///< The sum of their squares.
};

/// What variance() accumulates of other numbers, and of all where the options have `accumulate`.
/// Chan, Golub & LeVeque, "Updating formulae and a pairwise algorithm for computing sample
/// variances" (1979), equations 2.1.
template <std::floating_point T>
struct Moments {
  T count;    ///< Of the elements.
  T mean;     ///< Of the elements.
  T squares;  ///< The sum of squares of what each is off the mean.
};

/// @}

/// @cond internal
template <>
struct StructTraits<PowerSums> {
  static constexpr std::array fields{
      StructField{"sum", Type::f64, offsetof(PowerSums, sum)},
      StructField{"squares", Type::f64, offsetof(PowerSums, squares)}};
  static constexpr StructType definition{"PowerSums", sizeof(PowerSums), fields};
};

template <std::floating_point T>
struct StructTraits<Moments<T>> {
  static constexpr std::array fields{
      StructField{"count", type_of<T>(), offsetof(Moments<T>, count)},
      StructField{"mean", type_of<T>(), offsetof(Moments<T>, mean)},
      StructField{"squares", type_of<T>(), offsetof(Moments<T>, squares)}};
  static constexpr StructType definition{sizeof(T) == 4 ? "Moments_f32" : "Moments_f64",
                                         sizeof(Moments<T>), fields};
};

namespace detail {

template <class T>
struct MeanOf {
  using type = std::conditional_t<std::is_integral_v<T>, double, accumulator_t<T>>;
};
}  // namespace detail
/// @endcond

/// @addtogroup results
/// @{

/// The type of the mean of elements of T: f64 of integers, f32 of f16 and bf16, otherwise T.
template <element T>
using mean_t = typename detail::MeanOf<T>::type;
/// Enqueues the mean of numbers, real or complex, into one element of a floating or complex type,
/// or, of lines, into one for each: their sum in order v1, divided by n; NaN of nothing. It is
/// computed in f64 and rounded once. `options.accumulate` may be f32 (of complex numbers complex64)
/// instead, as for devices without f64. Throws invalid_argument for structs, another `accumulate`,
/// a real result of complex numbers, and options with a result map or `init_from`; otherwise as
/// transform_reduce_into().
BIFOLD_API void mean_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                          const ReduceOptions& options = {});

/// Enqueues the variance of real numbers likewise: the sum of squares of what each element is off
/// the mean, divided by n - ddof ("delta degrees of freedom": 1 gives the sample variance). Where
/// that is not above 0, the divisor is 0. NaN where an element is not finite.
BIFOLD_API void variance_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                              double ddof, const ReduceOptions& options = {});

/// Enqueues both from one reading. `mean` lies as `variance` does.
BIFOLD_API void variance_mean_into(Queue& queue, const ErasedView& input,
                                   const ErasedView& variance, const ErasedView& mean, double ddof,
                                   const ReduceOptions& options = {});

/// Blocks, and returns what mean_into() leaves, as mean_t of the input's type.
BIFOLD_API Value mean(Queue& queue, const ErasedView& input, const ReduceOptions& options = {});
/// Blocks, and returns what variance_into() leaves, as mean_t.
BIFOLD_API Value variance(Queue& queue, const ErasedView& input, double ddof = 0,
                          const ReduceOptions& options = {});

/// Blocks, and returns the mean of `input`; NaN of nothing.
template <device_range R>
[[nodiscard]] mean_t<range_value_t<R>> mean(Queue& queue, R&& input,
                                            const ReduceOptions& options = {}) {
  return mean(queue, erase(input), options).template as<mean_t<range_value_t<R>>>();
}

/// Blocks, and returns the variance of `input`.
template <device_range R>
[[nodiscard]] mean_t<range_value_t<R>> variance(Queue& queue, R&& input, double ddof = 0,
                                                const ReduceOptions& options = {}) {
  return variance(queue, erase(input), ddof, options).template as<mean_t<range_value_t<R>>>();
}

/// @}

}  // namespace bifold
