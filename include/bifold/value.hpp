/// @file
/// One value of any element type: an initial value, an identity, a result.
#pragma once

#include <array>
#include <bifold/type.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bifold {

/// @addtogroup types
/// @{

/// One value of an element type known at run time. Holds a copy of its bytes.
class Value {
 public:
  /// 0 of type i32.
  constexpr Value() noexcept = default;

  /// A copy of `value`, of its type.
  template <element T>
  Value(const T& value) noexcept : type_(type_of<T>()) {  // NOLINT(google-explicit-constructor)
    std::memcpy(bytes_.data(), &value, sizeof value);
  }

  /// The value of type `type` whose object representation starts at `bytes`.
  static Value from_bytes(Type type, const void* bytes) noexcept {
    Value value;
    value.type_ = type;
    std::memcpy(value.bytes_.data(), bytes, size_of(type));
    return value;
  }

  /// The type of the value.
  [[nodiscard]] constexpr Type type() const noexcept { return type_; }
  /// Its object representation.
  [[nodiscard]] const std::byte* data() const noexcept { return bytes_.data(); }
  /// In bytes.
  [[nodiscard]] std::size_t size() const noexcept { return size_of(type_); }

  /// The bit pattern of a value of up to 8 bytes, zero-extended to 64 bits; of a wider one, its
  /// first 8 bytes.
  [[nodiscard]] std::uint64_t bits() const noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes_.data(), sizeof word);
    return word;
  }

  /// The value as T. The caller knows the type: T must be the C++ type of type().
  template <element T>
  [[nodiscard]] T as() const noexcept {
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }

  /// The same type and the same bytes, a struct's padding included.
  friend bool operator==(const Value& left, const Value& right) noexcept {
    return left.type_ == right.type_ && left.bytes_ == right.bytes_;
  }

 private:
  std::array<std::byte, max_element_bytes> bytes_{};
  Type type_;
};

/// @}

}  // namespace bifold
