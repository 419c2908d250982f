/// @file
/// The Euclidean norm: a reduction that reads its input once. It is computed in f64 unless the
/// options say otherwise, and has the same bits on every device.
#pragma once

#include <array>
#include <bifold/op.hpp>
#include <bifold/reduce.hpp>
#include <bifold/statistics/moments.hpp>
#include <bifold/struct.hpp>
#include <bifold/type.hpp>
#include <complex>
#include <concepts>
#include <cstddef>

namespace bifold {

/// @addtogroup results
/// @{

/// What norm() accumulates of f64 and complex128, and of all where the options have `accumulate`:
/// sums of squares of elements of three magnitudes, of which the outer two are scaled by powers
/// of 2. Blue, "A portable Fortran program to find the Euclidean norm of a vector" (1978);
/// Anderson, "Algorithm 978: safe scaling in the level 1 BLAS" (2017).
template <std::floating_point T>
struct ScaledSquares {
  T big;     ///< Of elements whose squares may overflow.
  T medium;  ///< Of most elements, and of NaN.
  T small;   ///< Of elements whose squares may be denormal.
};

/// @}

/// @cond internal
template <std::floating_point T>
struct StructTraits<ScaledSquares<T>> {
  static constexpr std::array fields{
      StructField{"big", type_of<T>(), offsetof(ScaledSquares<T>, big)},
      StructField{"medium", type_of<T>(), offsetof(ScaledSquares<T>, medium)},
      StructField{"small", type_of<T>(), offsetof(ScaledSquares<T>, small)}};
  static constexpr StructType definition{sizeof(T) == 4 ? "ScaledSquares_f32" : "ScaledSquares_f64",
                                         sizeof(ScaledSquares<T>), fields};
};

namespace detail {

template <class T>
struct MagnitudeOf : MeanOf<T> {};
template <class T>
struct MagnitudeOf<std::complex<T>> {
  using type = T;
};

}  // namespace detail
/// @endcond

/// @addtogroup results
/// @{

/// The type of the norm of elements of T: that of their mean, and of complex numbers the type of
/// their parts.
template <element T>
using norm_t = typename detail::MagnitudeOf<T>::type;

/// Enqueues the Euclidean norm of numbers, real or complex, into one element of a floating type, or
/// of lines into one for each: the root of the sum of squared magnitudes, which neither overflows
/// nor underflows before the result does; 0 of nothing. Errors as mean_into().
BIFOLD_API void norm_into(Queue& queue, const ErasedView& input, const ErasedView& result,
                          const ReduceOptions& options = {});

/// Blocks, and returns what norm_into() leaves, as norm_t.
BIFOLD_API Value norm(Queue& queue, const ErasedView& input, const ReduceOptions& options = {});

/// Blocks, and returns the Euclidean norm of `input`.
template <device_range R>
[[nodiscard]] norm_t<range_value_t<R>> norm(Queue& queue, R&& input,
                                            const ReduceOptions& options = {}) {
  return norm(queue, erase(input), options).template as<norm_t<range_value_t<R>>>();
}

/// @}

}  // namespace bifold
