/// @file
/// The operators, reduction and scan in plain sequential C++: what the kernels are compared with.
#pragma once

#include <bifold/op.hpp>
#include <bifold/scan.hpp>
#include <bifold/type.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace bifold::reference {

/// @addtogroup oracle
/// @{

/// op(a, b) for a built-in operator: integers modulo 2^width, minimum and maximum by IEEE 754-2019,
/// logical results 0 or 1. Bitwise operators are not defined on floating types and return `a`.
template <builtin_element T>
constexpr T combine(OperatorKind kind, T a, T b) noexcept {
  constexpr bool floating = std::is_floating_point_v<T>;
  switch (kind) {
    case OperatorKind::plus:
    case OperatorKind::multiplies:
      if constexpr (floating) {
        return kind == OperatorKind::plus ? a + b : a * b;
      } else {
        // Sign extension is meant: it does not reach the result's bits.
        const auto left = static_cast<std::uint64_t>(a);   // NOLINT(bugprone-signed-char-misuse)
        const auto right = static_cast<std::uint64_t>(b);  // NOLINT(bugprone-signed-char-misuse)
        return static_cast<T>(kind == OperatorKind::plus ? left + right : left * right);
      }
    case OperatorKind::minimum:
    case OperatorKind::maximum: {
      if (bifold::detail::is_nan(a)) return a;
      if (bifold::detail::is_nan(b)) return b;
      const bool wants_less = kind == OperatorKind::minimum;
      if (a < b) return wants_less ? a : b;
      if (b < a) return wants_less ? b : a;
      if constexpr (floating) {
        // Equal values differ in bits only as zeros of either sign.
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        const auto left = std::bit_cast<Bits>(a);
        const auto right = std::bit_cast<Bits>(b);
        return std::bit_cast<T>(wants_less ? left | right : left & right);
      }
      return a;
    }
    case OperatorKind::bit_and:  // NOLINT(bugprone-branch-clone): not for integers.
      if constexpr (!floating) return static_cast<T>(a & b);
      break;
    case OperatorKind::bit_or:
      if constexpr (!floating) return static_cast<T>(a | b);
      break;
    case OperatorKind::bit_xor:
      if constexpr (!floating) return static_cast<T>(a ^ b);
      break;
    case OperatorKind::logical_and:
      return static_cast<T>(!bifold::detail::is_zero(a) && !bifold::detail::is_zero(b));
    case OperatorKind::logical_or:
      return static_cast<T>(!bifold::detail::is_zero(a) || !bifold::detail::is_zero(b));
    case OperatorKind::user: break;
  }
  return a;
}

/// plus or multiplies of std::complex, as kernels do it: each operation is rounded, and no infinity
/// is mended as by Annex G of C. Other operators are not defined and return `a`.
template <complex_element T>
constexpr T combine(OperatorKind kind, const T& a, const T& b) noexcept {
  if (kind == OperatorKind::plus) return T(a.real() + b.real(), a.imag() + b.imag());
  if (kind != OperatorKind::multiplies) return a;
  return T(a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real());
}

/// The accumulator's value of one input element: converted, and for logical operators 0 or 1.
template <builtin_element Acc, scalar_element In>
constexpr Acc lift(OperatorKind kind, In x) noexcept {
  if (kind == OperatorKind::logical_and || kind == OperatorKind::logical_or) {
    return static_cast<Acc>(!bifold::detail::is_zero(x));
  }
  return static_cast<Acc>(x);
}

/// What a built-in operator gives of nothing, without an initial value: its neutral element, but
/// +0.0 for floating sums, whose neutral element is -0.0. Bitwise operators are not defined on
/// floating types and give 0.
template <builtin_element T>
constexpr T of_nothing(OperatorKind kind) noexcept {
  using Limits = std::numeric_limits<T>;
  constexpr bool floating = std::is_floating_point_v<T>;
  switch (kind) {
    case OperatorKind::minimum: return floating ? Limits::infinity() : (Limits::max)();
    case OperatorKind::maximum:
      return floating ? static_cast<T>(-Limits::infinity()) : Limits::lowest();
    case OperatorKind::multiplies:
    case OperatorKind::logical_and: return T{1};
    case OperatorKind::bit_and:
      if constexpr (!floating) return static_cast<T>(~T{0});
      break;
    case OperatorKind::plus:
    case OperatorKind::bit_or:
    case OperatorKind::bit_xor:
    case OperatorKind::logical_or:
    case OperatorKind::user: break;
  }
  return T{0};
}

/// The left fold of `input` from `init` on: lift(x) makes an element an accumulator and
/// combine(earlier, later) joins two of them.
template <class Acc, class In, class Lift, class Combine>
constexpr Acc reduce(std::span<const In> input, Acc init, Lift lift, Combine combine) {
  Acc total = init;
  for (const In& x : input) total = combine(total, lift(x));
  return total;
}

/// The scan of `input` into `output`, of the same length, with `init` as the carry before the first
/// element. In place is allowed.
template <class Out, class Acc, class In, class Lift, class Combine>
constexpr void scan(ScanKind kind, std::span<const In> input, std::span<Out> output, Acc init,
                    Lift lift, Combine combine) {
  Acc carry = init;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const Acc before = carry;
    carry = combine(carry, lift(input[i]));
    output[i] = static_cast<Out>(kind == ScanKind::inclusive ? carry : before);
  }
}

/// reduce() for a built-in operator.
template <builtin_element Acc, scalar_element In>
constexpr Acc reduce(OperatorKind op, std::span<const In> input, Acc init) {
  return reduce(
      input, lift<Acc>(op, init), [op](In x) { return lift<Acc>(op, x); },
      [op](Acc a, Acc b) { return combine(op, a, b); });
}

/// The same without an initial value: of no elements, of_nothing().
template <builtin_element Acc, scalar_element In>
constexpr Acc reduce(OperatorKind op, std::span<const In> input) {
  if (input.empty()) return of_nothing<Acc>(op);
  return reduce(op, input.subspan(1), lift<Acc>(op, input.front()));
}

/// scan() for a built-in operator.
template <builtin_element Acc, scalar_element In, scalar_element Out>
constexpr void scan(ScanKind kind, OperatorKind op, std::span<const In> input,
                    std::span<Out> output, Acc init) {
  scan(
      kind, input, output, lift<Acc>(op, init), [op](In x) { return lift<Acc>(op, x); },
      [op](Acc a, Acc b) { return combine(op, a, b); });
}

/// The same without an initial value: the first value of an exclusive scan is of_nothing().
template <builtin_element Acc, scalar_element In, scalar_element Out>
constexpr void scan(ScanKind kind, OperatorKind op, std::span<const In> input,
                    std::span<Out> output) {
  Acc carry = of_nothing<Acc>(op);
  for (std::size_t i = 0; i < input.size(); ++i) {
    const Acc before = carry;
    const Acc x = lift<Acc>(op, input[i]);
    carry = i == 0 ? x : combine(op, carry, x);
    output[i] = static_cast<Out>(kind == ScanKind::inclusive ? carry : before);
  }
}

/// @}

}  // namespace bifold::reference
