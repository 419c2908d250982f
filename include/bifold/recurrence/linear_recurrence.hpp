/// @file
/// Linear recurrences h[t] = gates[t] * h[t - 1] + tokens[t] as one scan over two arrays, of real
/// numbers, complex ones and integers. Blelloch, "Prefix sums and their applications" (1990),
/// section 1.4.
#pragma once

#include <array>
#include <bifold/buffer.hpp>
#include <bifold/op.hpp>
#include <bifold/scan.hpp>
#include <bifold/struct.hpp>
#include <bifold/type.hpp>
#include <complex>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace bifold {

/// @addtogroup results
/// @{

/// Some steps of a linear recurrence at once, h -> gate * h + token. What linear_recurrence()
/// accumulates, and what `init_from` and `total` have; T is accumulator_t of the output's type.
/// Kernel texts know the parts of complex ones as gate_re, gate_im, token_re and token_im.
template <class T>
struct LinearStep {
  T gate;   ///< What it multiplies by.
  T token;  ///< What it adds then.
};

/// @}

/// @cond internal
namespace detail {

template <class T>
inline constexpr std::string_view linear_step_name;
template <>
inline constexpr std::string_view linear_step_name<std::int32_t> = "LinearStep_i32";
template <>
inline constexpr std::string_view linear_step_name<std::uint32_t> = "LinearStep_u32";
template <>
inline constexpr std::string_view linear_step_name<std::int64_t> = "LinearStep_i64";
template <>
inline constexpr std::string_view linear_step_name<std::uint64_t> = "LinearStep_u64";
template <>
inline constexpr std::string_view linear_step_name<float> = "LinearStep_f32";
template <>
inline constexpr std::string_view linear_step_name<double> = "LinearStep_f64";
template <>
inline constexpr std::string_view linear_step_name<std::complex<float>> = "LinearStep_complex64";
template <>
inline constexpr std::string_view linear_step_name<std::complex<double>> = "LinearStep_complex128";

}  // namespace detail

template <class T>
  requires(!detail::linear_step_name<T>.empty() && std::is_arithmetic_v<T>)
struct StructTraits<LinearStep<T>> {
  static constexpr std::array fields{StructField{"gate", type_of<T>(), 0},
                                     StructField{"token", type_of<T>(), sizeof(T)}};
  static constexpr StructType definition{detail::linear_step_name<T>, sizeof(LinearStep<T>),
                                         fields};
};

template <class T>
struct StructTraits<LinearStep<std::complex<T>>> {
  static constexpr std::array fields{StructField{"gate_re", type_of<T>(), 0},
                                     StructField{"gate_im", type_of<T>(), sizeof(T)},
                                     StructField{"token_re", type_of<T>(), 2 * sizeof(T)},
                                     StructField{"token_im", type_of<T>(), 3 * sizeof(T)}};
  static constexpr StructType definition{detail::linear_step_name<std::complex<T>>,
                                         sizeof(LinearStep<std::complex<T>>), fields};
};
/// @endcond

/// @addtogroup results
/// @{

/// Enqueues h[t] = gates[t] * h[t - 1] + tokens[t], where `h0` stands before h[0]; without it,
/// h[0] = tokens[0]. With `reverse`, h[t] = gates[t] * h[t + 1] + tokens[t], where `h0` stands
/// behind the last. The three arrays have as many elements; `h` may be one of the others. All is
/// computed in accumulator_t of the type of `h`, which `h0` is of: integers wrap, and real gates or
/// tokens may stand beside complex ones. A step is the composition of maps in order v1, whose
/// products of gates may overflow where h does not. Of lines, `lines` tells where gates lie,
/// `second_lines` tokens and `output_lines` h; `init_from` and `total` are LinearStep, of which
/// `init_from` gives its token for h0. Throws invalid_argument for structs that are not complex,
/// for complex inputs of an h that is not, and options with an accumulator, a result map or an
/// init; otherwise as transform_scan().
BIFOLD_API void linear_recurrence(Queue& queue, const ErasedView& gates, const ErasedView& tokens,
                                  const ErasedView& h, const std::optional<Value>& h0 = {},
                                  const ScanOptions& options = {});

/// Enqueues h[t] = gates[t] * h[t - 1] + tokens[t], from h[0] = tokens[0].
template <device_range Gates, device_range Tokens, writable_range Out>
void linear_recurrence(Queue& queue, Gates&& gates, Tokens&& tokens, Out&& h,
                       const ScanOptions& options = {}) {
  linear_recurrence(queue, erase(gates), erase(tokens), erase(h), {}, options);
}

/// The same from h[0] = gates[0] * h0 + tokens[0].
template <device_range Gates, device_range Tokens, writable_range Out>
void linear_recurrence(Queue& queue, Gates&& gates, Tokens&& tokens, Out&& h,
                       accumulator_t<range_value_t<Out>> h0, const ScanOptions& options = {}) {
  linear_recurrence(queue, erase(gates), erase(tokens), erase(h), Value(h0), options);
}

/// @}

}  // namespace bifold
