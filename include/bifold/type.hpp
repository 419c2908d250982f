// Element types: the run-time tag, its mapping from C++ types, and one value of any of them.
#pragma once

#include <array>
#include <bifold/export.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

namespace bifold {

/// The built-in element types. The names are those operator texts use, on every backend.
enum class Type : std::uint8_t { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };

inline constexpr std::array all_types{Type::i8,  Type::i16, Type::i32, Type::i64, Type::u8,
                                      Type::u16, Type::u32, Type::u64, Type::f32, Type::f64};

/// Bytes of one element.
constexpr std::size_t size_of(Type type) noexcept {
  constexpr std::array<std::size_t, all_types.size()> sizes{1, 2, 4, 8, 1, 2, 4, 8, 4, 8};
  return sizes[static_cast<std::size_t>(type)];
}

constexpr bool is_floating(Type type) noexcept { return type == Type::f32 || type == Type::f64; }

constexpr bool is_signed(Type type) noexcept { return type <= Type::i64 || is_floating(type); }

/// "i8" ... "f64".
BIFOLD_API std::string_view name_of(Type type) noexcept;

/// The type of that name, or nothing.
BIFOLD_API std::optional<Type> parse_type(std::string_view name) noexcept;

/// C++ types that are elements: the integers of 1 to 8 bytes (bool excepted), float and double.
template <class T>
concept element =
    (std::integral<T> && !std::same_as<std::remove_cv_t<T>, bool> && sizeof(T) <= 8) ||
    std::same_as<std::remove_cv_t<T>, float> || std::same_as<std::remove_cv_t<T>, double>;

/// The tag of a C++ element type. Integers map by size and signedness, so `long` and `long long`
/// are both i64 where they have eight bytes.
template <element T>
constexpr Type type_of() noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? Type::f32 : Type::f64;
  } else {
    constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<Type>((std::is_signed_v<T> ? 0 : 4) + log2_size);
  }
}

/// Calls `body` with a value-initialised object of the C++ type that `type` names: the one bridge
/// from the run-time tag back to templates.
template <class Body>
constexpr decltype(auto) visit_type(Type type, Body&& body) {
  switch (type) {
    case Type::i8: return body(std::int8_t{});
    case Type::i16: return body(std::int16_t{});
    case Type::i32: return body(std::int32_t{});
    case Type::i64: return body(std::int64_t{});
    case Type::u8: return body(std::uint8_t{});
    case Type::u16: return body(std::uint16_t{});
    case Type::u32: return body(std::uint32_t{});
    case Type::u64: return body(std::uint64_t{});
    case Type::f32: return body(float{});
    case Type::f64: break;
  }
  return body(double{});
}

/// One value of any element type: an initial value, an identity, a result.
class Scalar {
 public:
  constexpr Scalar() noexcept = default;

  template <element T>
  Scalar(T value) noexcept : type_(type_of<T>()) {  // NOLINT(google-explicit-constructor)
    std::memcpy(bytes_.data(), &value, sizeof value);
  }

  /// The value of type `type` whose object representation starts at `bytes`.
  static Scalar from_bytes(Type type, const void* bytes) noexcept {
    Scalar scalar;
    scalar.type_ = type;
    std::memcpy(scalar.bytes_.data(), bytes, size_of(type));
    return scalar;
  }

  [[nodiscard]] constexpr Type type() const noexcept { return type_; }
  [[nodiscard]] const std::byte* data() const noexcept { return bytes_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return size_of(type_); }

  /// The bit pattern, zero-extended to 64 bits.
  [[nodiscard]] std::uint64_t bits() const noexcept {
    return visit_type(type_, [this](auto zero) -> std::uint64_t {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes_.data(), sizeof zero);
      return word;
    });
  }

  /// The value as T. The caller knows the type: T must be the C++ type of type().
  template <element T>
  [[nodiscard]] T as() const noexcept {
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }

 private:
  std::array<std::byte, 8> bytes_{};
  Type type_ = Type::i32;
};

}  // namespace bifold
