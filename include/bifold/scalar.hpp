/// @file
/// Scalars that texts name: their types belong to the text, their values to each call.
#pragma once

#include <bifold/buffer.hpp>
#include <bifold/type.hpp>
#include <bifold/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace bifold {

/// @addtogroup types
/// @{

/// The most scalars that one text declares.
inline constexpr std::size_t max_scalars = 8;

/// A scalar that a text names beside its operands, such as "limit" in "x > limit", which is of
/// `type` there; of f16 and bf16 it is f32. Every call brings a value, so that another one compiles
/// nothing.
struct ScalarType {
  std::string name;  ///< An identifier, and no word of texts.
  Type type;         ///< Of the values.

  /// The same name and type.
  friend bool operator==(const ScalarType&, const ScalarType&) = default;
};

/// The value of a scalar in one call: on the host, or one element in device memory, which is read
/// when the call runs.
struct Scalar {
  /// A value on the host.
  Scalar(std::string of, const Value& is) : name(std::move(of)), value(is) {}
  /// A value in device memory: a view of one element.
  Scalar(std::string of, const ErasedView& where) : name(std::move(of)), from(where) {}
  /// A value in device memory.
  template <device_range R>
  Scalar(std::string of, R&& where) : Scalar(std::move(of), erase(std::forward<R>(where))) {}

  std::string name;                  ///< As the text declares it.
  Value value{};                     ///< Of exactly the declared type.
  std::optional<ErasedView> from{};  ///< Where there is one, instead of `value`.
};

/// @}

}  // namespace bifold
